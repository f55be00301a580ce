/** Finds mail addresses in fields and in free text. These are addresses that remote systems wrote: they are compared, never mailed to. */
import { addressSource } from "@mailkeep/core/binding"

const addressCharactersMax = 320

const anywhere = new RegExp(addressSource, "gu")
const whole = new RegExp(`^(?:${addressSource})$`, "u")

/** Returns the addresses in a text, in its order, each once, at most `max`. */
export const addressesIn = (text: string, max: number): ReadonlyArray<string> => {
  const found = new Map<string, string>()
  for (const [each] of text.matchAll(anywhere)) {
    if (found.size >= max) break
    const folded = each.toLowerCase()
    if (each.length <= addressCharactersMax && !found.has(folded)) found.set(folded, each)
  }
  return [...found.values()]
}

/** Replaces the escapes of an internationalized address. Source: RFC 6533 §3 */
const withoutUnicodeEscapes = (text: string): string =>
  text.replace(/\\x\{([0-9A-Fa-f]{1,6})\}/g, (escaped: string, hex: string) => {
    const point = Number.parseInt(hex, 16)
    return point > 0x1f && point <= 0x10ffff ? String.fromCodePoint(point) : escaped
  })

/**
 * Reads a value such as `rfc822; ada@example.org` or `<ada@example.org>`. Returns `null` if the value is no address: a report may also name
 * a file or a program here.
 */
export const addressOfField = (value: string | null): string | null => {
  if (value === null) return null
  const untyped = value
    .slice(0, 1000)
    .replace(/^[a-z0-9-]{1,20}[ \t]*;/i, "")
    .trim()
  const bare = withoutUnicodeEscapes(untyped.startsWith("<") && untyped.endsWith(">") ? untyped.slice(1, -1) : untyped)
  return bare.length <= addressCharactersMax && whole.test(bare) ? bare : null
}

/** Compares two addresses without regard to case. */
export const isSameAddress = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()
