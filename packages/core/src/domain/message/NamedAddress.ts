/**
 * Parses an address with a display name, such as `Shop <shop@acme.example>`. Only programs write this form; the wire has bare addresses.
 */
import { isOneLine } from "../value/TextRule.ts"
import { parseAddress } from "./Address.ts"

/** A name is text of one line without its quotes, or `null` if it is absent or empty. */
export interface NamedAddress {
  readonly name: string | null
  readonly address: string
}

/** In UTF-16 units. A longer text is refused unparsed. */
const namedAddressUnitsMax = 2048

/** One word of a name: an atom, which may contain dots and non-ASCII characters, or a quoted string. */
const word = /([^ "(),:;<>@[\\\]]+)|"((?:[^"\\]|\\.)*)"/uy

/**
 * Parses `name <address>` in linear time. Returns `undefined` if the text has another form; a bare address has another form.
 * A name with a special character, such as a comma, must be in quotes. Source: RFC 5322 §3.4 (name-addr), §4.1 (dots in a name); RFC 6532 §3.2.
 */
export const parseNamedAddress = (text: string): NamedAddress | undefined => {
  if (text.length > namedAddressUnitsMax || !text.includes("<") || !isOneLine(text)) return undefined
  const trimmed = text.trim()
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
  if (!trimmed.endsWith(">")) return undefined
  const address = parseAddress(trimmed.slice(position + 1, -1))?.address
  const name = words.join(" ").trim()
  return address === undefined ? undefined : { name: name === "" ? null : name, address }
}

/** Whether the text ends with an address in angle brackets, and only the name before it has no valid form: a special character is not in quotes. */
export const hasUnquotedName = (text: string): boolean => {
  if (text.length > namedAddressUnitsMax || !isOneLine(text) || parseNamedAddress(text) !== undefined) return false
  const trimmed = text.trim()
  const start = trimmed.lastIndexOf("<")
  return start > 0 && trimmed.endsWith(">") && parseAddress(trimmed.slice(start + 1, -1)) !== undefined
}

const isAnyAddress = (text: string): boolean =>
  parseAddress(text.trim()) !== undefined || parseNamedAddress(text) !== undefined

/** Whether the text is several addresses with commas between them, as other programs write a list. */
export const isAddressList = (text: string): boolean =>
  text.length <= namedAddressUnitsMax && text.includes(",") && text.split(",").every(isAnyAddress)
