/**
 * One text for one JSON value: keys sorted, nothing between the tokens.
 * Fingerprints and filter digests are taken over it.
 */

export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }

export const canonicalJson = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const fields = value as { readonly [key: string]: Json }
  return `{${Object.keys(fields)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(fields[key]!)}`)
    .join(",")}}`
}

/**
 * The octets of a value as JSON, or `undefined` when it is no JSON value, is nested deeper than `depthMax` or longer than
 * `octetsMax`. Looks at no more of the value than that takes.
 */
export const jsonOctets = (
  value: unknown,
  bounds: { readonly octetsMax: number; readonly depthMax: number }
): number | undefined => {
  let octets = 0
  const spend = (count: number): boolean => (octets += count) <= bounds.octetsMax
  const text = (value: string): boolean =>
    spend(value.length) &&
    value.isWellFormed() &&
    !value.includes("\0") &&
    spend(utf8Octets(JSON.stringify(value)) - value.length)
  const walk = (value: unknown, depth: number): boolean => {
    if (typeof value === "string") return text(value)
    if (typeof value === "number") return Number.isFinite(value) && spend(String(value).length)
    if (typeof value === "boolean" || value === null) return spend(String(value).length)
    if (typeof value !== "object" || depth >= bounds.depthMax) return false
    if (Array.isArray(value)) return spend(2 + value.length) && value.every((item) => walk(item, depth + 1))
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype !== Object.prototype && prototype !== null) return false
    return spend(2) && Object.entries(value).every(([key, item]) => spend(2) && text(key) && walk(item, depth + 1))
  }
  return walk(value, 0) ? octets : undefined
}

const utf8Octets = (text: string): number => new TextEncoder().encode(text).length
