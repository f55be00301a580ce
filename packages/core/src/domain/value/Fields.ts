/**
 * An object of the caller whose fields are not checked yet.
 */

/** The fields of an object by name. */
export type Fields = { readonly [field: string]: unknown }

/** Whether a value is an object with fields, and not a list. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)
