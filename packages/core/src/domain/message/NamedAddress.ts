/**
 * Parses an address with a display name, such as `Shop <shop@acme.example>`.
 */
import { isOneLine } from "../value/oneLine.ts"
import { parseAddress } from "./Address.ts"
import { namedAddressUnitsMax, splitNamedAddress } from "./splitNamedAddress.ts"

/** An address whose mailbox is valid, and its name as `splitNamedAddress` returns it. */
export interface NamedAddress {
  readonly name: string | null
  readonly address: string
}

/** Parses `name <address>` in linear time. Returns `undefined` if the text has another form, such as a bare address, or the address is not valid. */
export const parseNamedAddress = (text: string): NamedAddress | undefined => {
  const split = splitNamedAddress(text)
  const address = split === undefined ? undefined : parseAddress(split.address)?.address
  return address === undefined ? undefined : { name: split!.name, address }
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
