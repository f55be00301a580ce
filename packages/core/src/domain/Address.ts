/**
 * Reads a bare mailbox and gives its one canonical form.
 * Whether a transport can carry an SMTPUTF8 mailbox is decided elsewhere.
 */
import { toASCII } from "tr46"
import { isAscii, utf8Octets } from "./TextLength.ts"

/**
 * A mailbox as RFC 5321 writes it (`Local-part "@" Domain`), without comments, source routes or address literals.
 *
 * - `address`: as given, trimmed, its domain as A-labels; what the envelope and the log show.
 * - `canonical`: the identity: in lower case. Uniqueness, suppression and lookups use only this.
 * - `domain`: lower-case A-labels.
 * - `utf8`: the local part needs SMTPUTF8 (RFC 6531).
 */
export interface Address {
  readonly address: string
  readonly canonical: string
  readonly domain: string
  readonly utf8: boolean
}

/** RFC 5321 §4.5.3.1, in octets. */
export const addressOctetsMax = 254
export const localPartOctetsMax = 64
const domainOctetsMax = 253
/**
 * In UTF-16 units: no longer text is looked at. A domain name in Unicode may be longer than in A-labels, but by far not so long; UTS #46 and
 * normalisation take time that grows with the square of the length on some texts.
 */
const domainUnitsMax = 1024

/** A regular expression that looks for the end would try every run of spaces in between. */
const withoutOuterSpaces = (text: string): string => {
  let from = 0
  let to = text.length
  while (from < to && text[from] === " ") from++
  while (to > from && text[to - 1] === " ") to--
  // Whatever is this long is no address; its text need not be copied.
  return to - from > 4 * addressOctetsMax ? "" : text.slice(from, to)
}

const plainLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** A domain name as lower-case A-labels, or `undefined` when it is none. At least two labels; never an IP address. */
export const parseDomain = (text: string): string | undefined => {
  if (text.length > domainUnitsMax) return undefined
  const lower = text.toLowerCase()
  const plain = isAscii(text) && !lower.includes("xn--")
  // UTS #46 also maps look-alike full stops and full-width letters, so two spellings become one name.
  const name = plain
    ? lower
    : toASCII(text, { checkHyphens: true, checkBidi: true, checkJoiners: true, useSTD3ASCIIRules: true })
  if (name === null || name.length > domainOctetsMax) return undefined
  const labels = name.split(".")
  if (labels.length < 2 || !labels.every((label) => plainLabel.test(label))) return undefined
  return /^[0-9]+$/.test(labels[labels.length - 1]!) ? undefined : name
}

const dotString = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~\-\u0080-\uffff]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\-\u0080-\uffff]+)*$/
const quotedString = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*)"$/
const unprintable =
  /[\u0080-\u009f\u00a0\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\uffff]|\p{Cs}/u

/** The local part without needless quotes, or `undefined`. */
const parseLocalPart = (text: string): string | undefined => {
  if (text.length === 0 || utf8Octets(text) > localPartOctetsMax || unprintable.test(text)) return undefined
  if (dotString.test(text)) return text
  const content = quotedString.exec(text)?.[1]?.replace(/\\(.)/g, "$1")
  if (content === undefined) return undefined
  return dotString.test(content) ? content : `"${content.replace(/["\\]/g, "\\$&")}"`
}

/** Reads one mailbox; `undefined` when it is not one. Total, linear in the length. Source: RFC 5321 §4.1.2; decision 0010. */
export const parseAddress = (text: string): Address | undefined => {
  const trimmed = withoutOuterSpaces(text).normalize("NFC")
  if (trimmed.length === 0 || trimmed.length > addressOctetsMax) return undefined
  const at = trimmed.lastIndexOf("@")
  if (at < 1) return undefined
  const local = parseLocalPart(trimmed.slice(0, at))
  const domain = parseDomain(trimmed.slice(at + 1))
  if (local === undefined || domain === undefined) return undefined
  const address = `${local}@${domain}`
  if (utf8Octets(address) > addressOctetsMax) return undefined
  return { address, canonical: address.toLowerCase().normalize("NFC"), domain, utf8: !isAscii(local) }
}
