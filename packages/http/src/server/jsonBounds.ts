/**
 * Checks the bounds of a JSON text before it is parsed. `JSON.parse` takes a second for 10 MiB of `[`, and as long for a million keys.
 */
import type { Steps } from "@mailkeep/core/binding"
import type { LongSpan } from "./jsonStrings.ts"
import { escapedStringEnd, isLong, plainStringEnds, stepBytes } from "./jsonStrings.ts"

/** Metadata may have 16 levels and the filter of a segment 18; every other body has far fewer. Source: decision 0033. */
export const jsonDepthMax = 64

/** Keys and values of all arrays and objects together. The largest request of an honest client has about ten thousand. */
export const jsonValuesMax = 100_000

export type JsonFault = "too_deep" | "too_many_items"

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** What one pass over a text finds. */
export interface JsonScan {
  /** The bound that the text exceeds. */
  readonly fault: JsonFault | undefined
  /** The long strings, in order. */
  readonly longStrings: ReadonlyArray<LongSpan>
}

/** Reads each byte at most twice, and stops at the first excess. The result for text that is not JSON is undefined. */
export function* jsonScan(bytes: Uint8Array, depthMax = jsonDepthMax, valuesMax = jsonValuesMax): Steps<JsonScan> {
  const plainEndOf = plainStringEnds(bytes)
  const longStrings: Array<LongSpan> = []
  let depth = 0
  let values = 0
  let pause = stepBytes
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]
    if (byte === quote) {
      const start = index + 1
      const plainEnd = plainEndOf(start)
      index = plainEnd ?? (yield* escapedStringEnd(bytes, start))
      if (isLong(bytes, start, index)) longStrings.push({ start, end: index, hasEscapes: plainEnd === undefined })
    } else if (byte === comma || byte === colon) {
      if (++values > valuesMax) return { fault: "too_many_items", longStrings }
    } else if (byte === openBracket || byte === openBrace) {
      if (++depth > depthMax) return { fault: "too_deep", longStrings }
    } else if (byte === closeBracket || byte === closeBrace) depth--
    if (index >= pause) {
      yield
      pause = index + stepBytes
    }
  }
  return { fault: undefined, longStrings }
}
