/**
 * Copies of records, so that the state shares none with a caller.
 */

/** A copy of a value with all objects within it. The bytes of contents are shared, because no reader changes them. */
export const copied = <A>(value: A): A => {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value
  if (Array.isArray(value)) return value.map(copied) as A
  const copy = { ...value } as Record<string, unknown>
  for (const [name, part] of Object.entries(copy)) copy[name] = copied(part)
  return copy as A
}
