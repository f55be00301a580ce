/**
 * Describes issues in a sentence. Imports no schema, so that a client loads the failures fast.
 */

/** The part of an issue that the sentence has. */
interface Described {
  readonly path: ReadonlyArray<string | number>
  readonly message: string
}

/** The form of Mailkeep's field names. The length excludes an API key or a webhook secret that is sent as a name by mistake. */
const nameForm = /^[A-Za-z_][A-Za-z0-9_.-]{0,39}$/

/** Returns the name of a field. Shows a part of another form, which comes from the caller, as `[…]`. */
const fieldName = (start: string, path: Described["path"]): string =>
  path.reduce<string>((name, part) => {
    if (typeof part === "number") return `${name}[${part}]`
    if (!nameForm.test(part)) return `${name}[…]`
    return name === "" ? part : `${name}.${part}`
  }, start)

/**
 * Describes the first issue and counts the others: "properties.score must be a number, and 1 more". A binding gives the part of its
 * request in which the field is: "body.properties.score must be a number". Source: decision 0009.
 */
export const issuesSentence = (issues: ReadonlyArray<Described>, part = ""): string => {
  const [first] = issues
  const whole = part === "" ? "the argument" : part
  if (first === undefined) return `${whole} is not valid`
  const more = issues.length > 1 ? `, and ${issues.length - 1} more` : ""
  const name = fieldName(part, first.path)
  return `${name === "" ? whole : name} ${first.message}${more}`
}
