/**
 * An object of the caller whose fields are not checked yet.
 */

/** The fields of an object by name. */
export type Fields = { readonly [field: string]: unknown }

/** Whether a value is an object with fields, and not a list. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Whether a value is an object whose fields are all that it has, also one of another realm. A `Map`, a `Headers` or another class instance is not: its
 * contents are not its fields, so they would be lost without a word.
 */
export const isRecord = (value: unknown): value is Fields => {
  if (!isFields(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
