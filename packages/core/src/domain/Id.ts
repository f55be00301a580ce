/**
 * Sortable identifiers: a prefix and a lower-case ULID, made in blocks of consecutive values.
 * Time and randomness are given from outside; see the port `IdSource`.
 */
import type { Instant } from "./Instant.ts"

/** The kinds of records that have an identifier of ours. */
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
  | "psh"
  | "rec"

export type Id<P extends IdPrefix> = `${P}_${string}`
export type MessageId = Id<"msg">
export type DeliveryId = Id<"del">
export type ContactId = Id<"con">
export type DomainId = Id<"dom">
export type ApiKeyId = Id<"key">
export type EventId = Id<"evt">
export type PushId = Id<"psh">

/** The first of a run of consecutive ULIDs: 48 bits of milliseconds and 80 bits in two halves. */
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

/** The block moved on by `count` values; the time part moves on when 80 bits are used up. */
export const advanceBlock = (block: IdBlock, count: number): IdBlock => {
  const low = block.low + count
  if (low < halfRange) return { ...block, low }
  const high = block.high + 1
  return high < halfRange
    ? { time: block.time, high, low: low - halfRange }
    : { time: block.time + 1, high: 0, low: low - halfRange }
}

/** The `n`-th identifier of a block. The same block and `n` give the same text, so a retried decision keeps its ids. */
export const idAt = <P extends IdPrefix>(block: IdBlock, prefix: P, n: number): Id<P> => {
  const { time, high, low } = advanceBlock(block, n)
  return `${prefix}_${base32(time, 10)}${base32(high, 8)}${base32(low, 8)}`
}

/** A fresh block from 10 random bytes. */
export const blockFrom = (time: Instant, random: Uint8Array): IdBlock => {
  const half = (from: number) => random.subarray(from, from + 5).reduce((value, byte) => value * 256 + byte, 0)
  return { time, high: half(0), low: half(5) }
}

/** Whether the text has the form of an identifier with that prefix. */
export const isId = <P extends IdPrefix>(prefix: P, text: string): text is Id<P> =>
  text.length === prefix.length + 27 &&
  text.startsWith(`${prefix}_`) &&
  /^[0-9a-hjkmnp-tv-z]{26}$/.test(text.slice(prefix.length + 1))

/** By id: the order in which they were made. */
export const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
  a.id < b.id ? -1 : a.id > b.id ? 1 : 0
