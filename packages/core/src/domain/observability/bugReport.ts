/**
 * Describes a bug by the class of its error and its stack frames, never by its message, because a message may contain data of a caller.
 */
import { Cause } from "effect"

/** A bug, as a log may have it. */
export interface BugReport {
  /** The class or tag of the error. For a thrown value that is not an object, its type. */
  readonly error: string
  /** Stack frames, the innermost first. */
  readonly at: ReadonlyArray<string>
}

const framesMax = 20
/** Long enough for any class name; excludes other text in `name`. */
const className = /^[\w$/@.-]{1,100}$/

const namesOf = (value: object): ReadonlyArray<unknown> => {
  const { _tag, name, constructor } = value as { readonly [key in "_tag" | "name" | "constructor"]?: unknown }
  const built = typeof constructor === "function" ? constructor.name : undefined
  return [_tag, built === "Error" || built === "Object" ? undefined : built, name, built]
}

/** The class or tag of an error. For a thrown value that is not an object, its type. */
export const errorNameOf = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value
  const found = namesOf(value).find((name) => typeof name === "string" && className.test(name))
  return found === undefined ? "object" : String(found)
}

/** No path of a module is as long. The error of a caller may have a message of any length in its stack. */
const frameCharactersMax = 1000
const frame = /^\s+at (?:.*[( ])?(?:file:|node:|https?:|\/|[A-Za-z]:\\)\S*:\d+:\d+\)?$/

const framesOf = ({ name, message, stack = "" }: Error): ReadonlyArray<string> => {
  const headline = `${name}: ${message}`
  const rest = stack.startsWith(headline) ? stack.slice(headline.length) : stack
  return rest
    .split("\n")
    .filter((line) => line.length <= frameCharactersMax && frame.test(line))
    .slice(0, framesMax)
    .map((line) => line.trim())
}

/** One report for each error and defect of the cause. */
export const bugReports = (cause: Cause.Cause<unknown>): ReadonlyArray<BugReport> => {
  const thrown = cause.reasons.filter((reason) => reason._tag !== "Interrupt")
  const shown = Cause.prettyErrors(cause)
  return thrown.flatMap((reason, index) => {
    const value: unknown = reason._tag === "Die" ? reason.defect : reason.error
    return Cause.isCause(value) ? bugReports(value) : [{ error: errorNameOf(value), at: framesOf(shown[index]!) }]
  })
}
