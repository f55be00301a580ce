/**
 * Checks the bounds of a JSON text before it is parsed. `JSON.parse` takes a second for 10 MiB of `[`, and as long for a million keys.
 */

/** Metadata may have 16 levels and the filter of a segment 18; every other body has far fewer. Source: decision 0033. */
export const jsonDepthMax = 64

/** Keys and values of all arrays and objects together. The largest request of an honest client has about ten thousand. */
export const jsonValuesMax = 100_000

export type JsonFault = "too_deep" | "too_many_items"

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * Returns the bound that the text exceeds. Reads each octet once, and stops at the first excess. The result for text that is not JSON is
 * undefined.
 */
export const jsonFault = (
  octets: Uint8Array,
  depthMax = jsonDepthMax,
  valuesMax = jsonValuesMax
): JsonFault | undefined => {
  let depth = 0
  let values = 0
  let inString = false
  for (let index = 0; index < octets.length; index++) {
    const octet = octets[index]
    if (inString) {
      if (octet === backslash) index++
      else if (octet === quote) inString = false
    } else if (octet === quote) inString = true
    else if (octet === comma || octet === colon) {
      if (++values > valuesMax) return "too_many_items"
    } else if (octet === openBracket || octet === openBrace) {
      if (++depth > depthMax) return "too_deep"
    } else if (octet === closeBracket || octet === closeBrace) depth--
  }
  return undefined
}
