/**
 * Parses a bare mailbox and computes its canonical form.
 * This module does not check whether the transport supports SMTPUTF8.
 */
import { toASCII } from "tr46"
import { isAscii, utf8Bytes } from "../value/TextLength.ts"

/**
 * A mailbox of RFC 5321 (`Local-part "@" Domain`). Comments, source routes and address literals are not allowed.
 *
 * - `address`: The trimmed input with the domain in A-labels. The envelope and the log show this form.
 * - `canonical`: The address in lower case. Uniqueness, suppressions and lookups compare only this form.
 * - `domain`: The domain in lower-case A-labels.
 * - `utf8`: Whether the local part needs SMTPUTF8 (RFC 6531).
 */
export interface Address {
  readonly address: string
  readonly canonical: string
  readonly domain: string
  readonly utf8: boolean
}

/** RFC 5321 §4.5.3.1, in bytes. */
const addressBytesMax = 254
const localPartBytesMax = 64
const domainBytesMax = 253
/**
 * In UTF-16 units. A longer text is refused unparsed, because UTS #46 and normalization take quadratic time on some texts.
 * A Unicode domain name can be longer than its A-labels, but never this long.
 */
const domainUnitsMax = 1024

/** Trims spaces in linear time. A regular expression for the trailing spaces would test each inner run of spaces too. */
const withoutOuterSpaces = (text: string): string => {
  let from = 0
  let to = text.length
  while (from < to && text[from] === " ") from++
  while (to > from && text[to - 1] === " ") to--
  // A text of this length cannot be an address, so it is not copied.
  return to - from > 4 * addressBytesMax ? "" : text.slice(from, to)
}

const plainLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Returns a domain name in lower-case A-labels, or `undefined` if the text is not a domain name. Requires two labels; refuses an IP address. */
export const parseDomain = (text: string): string | undefined => {
  if (text.length > domainUnitsMax) return undefined
  const lower = text.toLowerCase()
  const plain = isAscii(text) && !lower.includes("xn--")
  // UTS #46 also maps full-width letters and other forms of the full stop, so that two spellings give one name.
  const name = plain
    ? lower
    : toASCII(text, { checkHyphens: true, checkBidi: true, checkJoiners: true, useSTD3ASCIIRules: true })
  if (name === null || name.length > domainBytesMax) return undefined
  const labels = name.split(".")
  if (labels.length < 2 || !labels.every((label) => plainLabel.test(label))) return undefined
  return /^[0-9]+$/.test(labels[labels.length - 1]!) ? undefined : name
}

const dotString = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~\-\u0080-\uffff]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\-\u0080-\uffff]+)*$/
/** Without angle brackets: mail programs take them as the end of the address. */
const quotedString = /^"((?:[\x20\x21\x23-\x3b\x3d\x3f-\x5b\x5d-\x7e]|\\[\x20-\x3b\x3d\x3f-\x7e])*)"$/
/** Mail programs decode an encoded word (RFC 2047 §2) also in an address, and then show another one. */
const encodedWord = /=\?[^?]+\?[bq]\?[^?]*\?=/i
const unprintable =
  /[\u0080-\u009f\u00a0\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\uffff]|\p{Cs}/u

/** Returns the local part without unnecessary quotes, or `undefined` if it is not valid. */
const parseLocalPart = (text: string): string | undefined => {
  if (text.length === 0 || utf8Bytes(text) > localPartBytesMax || unprintable.test(text) || encodedWord.test(text))
    return undefined
  if (dotString.test(text)) return text
  const content = quotedString.exec(text)?.[1]?.replace(/\\(.)/g, "$1")
  // Behind the backslashes of a quoted string, there can be another encoded word.
  if (content === undefined || encodedWord.test(content)) return undefined
  return dotString.test(content) ? content : `"${content.replace(/["\\]/g, "\\$&")}"`
}

const hasAllowedLength = (address: string): boolean =>
  utf8Bytes(address) <= addressBytesMax && utf8Bytes(address.slice(0, address.lastIndexOf("@"))) <= localPartBytesMax

/** Parses one mailbox in linear time. Returns `undefined` if the text is not a mailbox. Source: RFC 5321 §4.1.2; decision 0010. */
export const parseAddress = (text: string): Address | undefined => {
  const trimmed = withoutOuterSpaces(text).normalize("NFC")
  if (trimmed.length === 0 || trimmed.length > addressBytesMax) return undefined
  const at = trimmed.lastIndexOf("@")
  if (at < 1) return undefined
  const local = parseLocalPart(trimmed.slice(0, at))
  const domain = parseDomain(trimmed.slice(at + 1))
  if (local === undefined || domain === undefined) return undefined
  const address = `${local}@${domain}`
  const canonical = address.toLowerCase().normalize("NFC")
  // Some letters have more bytes in lower case.
  return hasAllowedLength(address) && hasAllowedLength(canonical)
    ? { address, canonical, domain, utf8: !isAscii(local) }
    : undefined
}

/**
 * Returns a part of an address with its domain in A-labels, as an address has it. The domain begins after the last `@`, or at the beginning. Returns
 * `undefined` if this changes nothing, or if the text cannot be a part of an address.
 */
export const inALabels = (part: string): string | undefined => {
  const at = part.lastIndexOf("@") + 1
  const domain = part.slice(at)
  if (isAscii(domain) || part.length > addressBytesMax) return undefined
  const name = toASCII(domain)
  return name === null ? undefined : `${part.slice(0, at)}${name}`
}

/** Returns the other part of an address that a search finds: the search with its domain in A-labels. Returns `null` if there is none. */
export const addressPartOf = (search: string | null): string | null =>
  search === null ? null : (inALabels(search) ?? null)

/** Returns the canonical form of a text that is known to be a mailbox. */
export const canonicalAddress = (mailbox: string): string => parseAddress(mailbox)!.canonical
