/**
 * The parts of one entry of a log of Effect: its sentence and its facts.
 */
import type { Fields } from "./Fields.ts"

const isPlainObject = (part: unknown): part is Fields =>
  typeof part === "object" && part !== null && Object.getPrototypeOf(part) === Object.prototype

/**
 * Separates the message of a log entry into its sentence and its facts. The facts are the fields of the plain objects in it. If two objects have a field of
 * the same name, the later one counts.
 */
export const logParts = (message: unknown): { readonly sentence: string; readonly facts: Fields } => {
  const parts: ReadonlyArray<unknown> = Array.isArray(message) ? message : [message]
  return {
    sentence: parts
      .filter((part) => !isPlainObject(part))
      .map(String)
      .join(" "),
    facts: Object.assign({}, ...parts.filter(isPlainObject)) as Fields
  }
}
