/**
 * Finds what JSON cannot contain in the body of a request, before `JSON.stringify` changes it without a word. Source: decision 0055.
 */
import type { Issue } from "@mailkeep/core"
import { isRecord, timeOfDate } from "@mailkeep/core/options"

/** Deeper values are refused. The server accepts 64 levels. */
const levelsMax = 64

/** The fields with any JSON. The core checks each as a whole, so its issue has the path of the field. */
const wholeFields: ReadonlySet<unknown> = new Set(["metadata", "filter"])

const notJson: Pick<Issue, "code" | "message"> = {
  code: "invalid_value",
  message: "must be JSON, its text well-formed and without U+0000"
}

const issueOf = (path: Issue["path"], message: string): Issue => ({ path, code: "invalid_type", message })

/** An object whose fields are all that it has. The prototype of a plain object has none, also in another realm. A class instance is not plain. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  const isOrdinary = prototype === null || Object.getPrototypeOf(prototype) === null
  return isOrdinary && typeof Reflect.get(value, "toJSON") !== "function"
}

/** Where the fields of a message begin in a path: a batch has a list of messages. */
const messageAt = (path: Issue["path"]): number => (path[0] === "messages" ? 2 : 0)

/** Whether the place is within a field with any JSON. */
const isWithinJson = (path: Issue["path"]): boolean => {
  const at = messageAt(path)
  return path.length > at + 1 && wholeFields.has(path[at])
}

const isPropertyValue = (path: Issue["path"]): boolean => path[0] === "properties" && path.length === 2

/** Whether the core takes a number here, as one of several types: as a property, a variable of a template, or the fallback of a variable. */
const takesNumber = (path: Issue["path"]): boolean => {
  const [group, , field] = path.slice(messageAt(path))
  const depth = path.length - messageAt(path)
  if (group === "variables" && depth === 3) return field === "fallback_value"
  return depth === 2 && ["properties", "templateVariables", "variables"].includes(String(group))
}

const scalarIssues = (value: unknown, path: Issue["path"]): ReadonlyArray<Issue> => {
  if (typeof value === "number" && !Number.isFinite(value))
    return takesNumber(path)
      ? [{ path, code: "invalid_value", message: "must be a finite number" }]
      : [issueOf(path, "must be a finite number")]
  return ["bigint", "function", "symbol"].includes(typeof value) ? [issueOf(path, "must be a JSON value")] : []
}

/** Whether a field that is `undefined` counts as one of another form. Only within a value of the metadata, as in the core. */
const refusesUndefined = (value: object, path: Issue["path"]): boolean =>
  Array.isArray(value) || (path[messageAt(path)] === "metadata" && path.length > messageAt(path) + 1)

/** Whether the contents of an object are its fields, as in the core. Within any JSON, the core takes only plain objects. */
const hasFields = (value: object, path: Issue["path"]): boolean =>
  isWithinJson(path) ? isPlain(value) : isRecord(value)

const valueIssues = (value: unknown, path: Issue["path"]): ReadonlyArray<Issue> => {
  if (path.length > levelsMax)
    return [{ path: path.slice(0, messageAt(path)), code: "too_deep", message: "must have at most 64 levels" }]
  if (typeof value !== "object" || value === null) return scalarIssues(value, path)
  if (isPropertyValue(path) && Number.isFinite(timeOfDate(value))) return []
  if (!Array.isArray(value) && !hasFields(value, path))
    return [issueOf(path, path.length === messageAt(path) ? "must be an object" : "must be a JSON value")]
  const names = Array.isArray(value) ? value.keys() : Object.keys(value)
  for (const name of names) {
    const one: unknown = Reflect.get(value, name)
    const found =
      one === undefined && refusesUndefined(value, path)
        ? [issueOf([...path, name], "must be a JSON value")]
        : valueIssues(one, [...path, name])
    if (found.length > 0) return found
  }
  return []
}

/** An issue within a field with any JSON becomes the issue of the core for the whole field. */
const asCore = (found: Issue): Issue =>
  isWithinJson(found.path) ? { path: found.path.slice(0, messageAt(found.path) + 1), ...notJson } : found

/**
 * What JSON cannot contain, and `JSON.stringify` changes without a word: `NaN` to `null`, a `Set` to `{}`. A valid `Date` is allowed as the value of a
 * contact's property. A field that is `undefined` is absent. `path` is where the value is in the body.
 */
export const jsonIssues = (value: unknown, path: Issue["path"] = []): ReadonlyArray<Issue> =>
  valueIssues(value, path).map(asCore)

/** The body as plain objects, so that `JSON.stringify` writes the fields of a class instance and does not call its `toJSON`. */
export const toPlainJson = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(toPlainJson)
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([name, field]) => [name, toPlainJson(field)]))
    : value
}
