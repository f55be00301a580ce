/**
 * Splits an address with a display name, such as `Shop <shop@acme.example>`. Only programs write this form; the wire has bare addresses.
 */
import { isOneLine } from "../value/oneLine.ts"

/** A name is text of one line without its quotes, or `null` if it is absent or empty. The text in the angle brackets is not checked. */
export interface SplitAddress {
  readonly name: string | null
  readonly address: string
}

/** In UTF-16 units. A longer text is not split. */
export const namedAddressUnitsMax = 2048

/** One word of a name: an atom, which may contain dots and non-ASCII characters, or a quoted string. */
const word = /([^ "(),:;<>@[\\\]]+)|"((?:[^"\\]|\\.)*)"/uy

/**
 * Splits `name <address>` in linear time. Returns `undefined` if the text has another form; a bare address has another form.
 * A name with a special character, such as a comma, must be in quotes. Source: RFC 5322 §3.4 (name-addr), §4.1 (dots in a name); RFC 6532 §3.2.
 *
 * @example
 * ```ts
 * import { splitNamedAddress } from "@mailkeep/core/handle/calls"
 *
 * console.log(splitNamedAddress("Shop <shop@acme.example>")?.name) // Shop
 * ```
 */
export const splitNamedAddress = (text: string): SplitAddress | undefined => {
  if (text.length > namedAddressUnitsMax || !text.includes("<") || !isOneLine(text)) return undefined
  const trimmed = text.trim()
  if (!trimmed.endsWith(">")) return undefined
  const words: Array<string> = []
  let position = 0
  while (trimmed[position] !== "<") {
    if (trimmed[position] === " ") {
      position++
      continue
    }
    word.lastIndex = position
    const match = word.exec(trimmed)
    if (match === null) return undefined
    words.push(match[1] ?? match[2]!.replace(/\\(.)/gu, "$1"))
    position = word.lastIndex
  }
  const name = words.join(" ").trim()
  return { name: name === "" ? null : name, address: trimmed.slice(position + 1, -1) }
}
