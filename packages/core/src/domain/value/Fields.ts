/**
 * An object of the caller whose fields are not checked yet.
 */

/** The fields of an object by name. */
export type Fields = { readonly [field: string]: unknown }

/** Whether a value is an object with fields, and not a list. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Whether the contents of a value are its fields, as those of a plain object and of most class instances. Those of a `Map`, a `Headers` or a promise
 * are not, so they would be lost without a word.
 */
export const isRecord = (value: unknown): value is Fields => {
  if (!isFields(value) || ArrayBuffer.isView(value)) return false
  if (Object.keys(value).length > 0) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  // The prototype of a plain object of another realm is another object, which has no prototype either.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
