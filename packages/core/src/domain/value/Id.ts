/**
 * Sortable identifiers: a prefix and a lower-case ULID, made in blocks of consecutive values.
 * The caller passes the time and the random bytes; see the port `IdSource`.
 */
import type { Instant } from "./Instant.ts"

/** The prefixes of identifiers, one for each kind of record. */
export type IdPrefix =
  | "msg"
  | "del"
  | "con"
  | "dom"
  | "key"
  | "evt"
  | "prop"
  | "lst"
  | "seg"
  | "tpl"
  | "tpv"
  | "tpb"
  | "var"
  | "whk"
  | "sub"
  | "evd"
  | "rec"
  | "pdl"

/** An identifier: a prefix, `_` and 26 characters of a ULID. Later identifiers sort after earlier ones. */
export type Id<P extends IdPrefix> = `${P}_${string}`
/** The id of a message, such as `msg_01jx…`. */
export type MessageId = Id<"msg">
/** The id of a delivery, such as `del_01jx…`. */
export type DeliveryId = Id<"del">
/** The id of a contact, such as `con_01jx…`. */
export type ContactId = Id<"con">
/** The id of a sender domain, such as `dom_01jx…`. */
export type DomainId = Id<"dom">
/** The id of an API key, such as `key_01jx…`. It is not secret. */
export type ApiKeyId = Id<"key">
/** The id of an event, such as `evt_01jx…`. */
export type EventId = Id<"evt">
/** The id of an event delivery, such as `evd_01jx…`. */
export type EventDeliveryId = Id<"evd">

/** The first of several consecutive ULIDs: 48 bits of milliseconds, and 80 random bits in two halves. */
export interface IdBlock {
  readonly time: Instant
  readonly high: number
  readonly low: number
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
const halfRange = 2 ** 40

const base32 = (value: number, length: number): string => {
  let text = ""
  for (let rest = value, i = 0; i < length; i++, rest = Math.floor(rest / 32)) text = alphabet[rest % 32]! + text
  return text
}

/** Advances a block by `count` values. If the 80 bits overflow, the time increases by one millisecond. */
export const advanceBlock = (block: IdBlock, count: number): IdBlock => {
  const low = block.low + count
  if (low < halfRange) return { ...block, low }
  const high = block.high + 1
  return high < halfRange
    ? { time: block.time, high, low: low - halfRange }
    : { time: block.time + 1, high: 0, low: low - halfRange }
}

/** Returns the `n`-th identifier of a block. The same block and `n` give the same text, so a retried decision uses the same ids. */
export const idAt = <P extends IdPrefix>(block: IdBlock, prefix: P, n: number): Id<P> => {
  const { time, high, low } = advanceBlock(block, n)
  return `${prefix}_${base32(time, 10)}${base32(high, 8)}${base32(low, 8)}`
}

/** The id with another prefix and the same ULID. A message and its first delivery have one ULID. */
export const withPrefix = <P extends IdPrefix>(prefix: P, id: Id<IdPrefix>): Id<P> =>
  `${prefix}_${id.slice(id.indexOf("_") + 1)}`

/** Makes a new block from 10 random bytes. */
export const blockFrom = (time: Instant, random: Uint8Array): IdBlock => {
  const half = (from: number) => random.subarray(from, from + 5).reduce((value, byte) => value * 256 + byte, 0)
  return { time, high: half(0), low: half(5) }
}

/** Whether the text has the form of an identifier with this prefix. */
export const isId = <P extends IdPrefix>(prefix: P, text: string): text is Id<P> =>
  text.length === prefix.length + 27 &&
  text.startsWith(`${prefix}_`) &&
  /^[0-9a-hjkmnp-tv-z]{26}$/.test(text.slice(prefix.length + 1))

/** Returns when an identifier was made: the first 10 characters of its ULID, in UTC milliseconds. */
export const idTime = (id: Id<IdPrefix>): Instant => {
  let time = 0
  for (const character of id.slice(id.indexOf("_") + 1).slice(0, 10)) time = time * 32 + alphabet.indexOf(character)
  return time
}

/** Compares by id, which is the order of creation. */
export const compareIds = (a: { readonly id: string }, b: { readonly id: string }): number =>
  a.id < b.id ? -1 : a.id > b.id ? 1 : 0
