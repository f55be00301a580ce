/**
 * How deeply the arrays and objects of a JSON text are nested, before anything parses it: `JSON.parse` takes a second for 10 MiB of `[`.
 */

/** Metadata may have 16 levels and a segment's filter 24; nothing else comes near. Source: decision 0033. */
export const jsonDepthMax = 64

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * Whether the text opens more than `depthMax` arrays and objects within each other. Looks at each octet once, and at none behind the place
 * where it is too deep. Text that is not JSON gets some answer.
 */
export const isNestedDeeper = (octets: Uint8Array, depthMax: number): boolean => {
  let depth = 0
  let inString = false
  for (let at = 0; at < octets.length; at++) {
    const octet = octets[at]
    if (inString) {
      if (octet === backslash) at++
      else if (octet === quote) inString = false
    } else if (octet === quote) inString = true
    else if (octet === openBracket || octet === openBrace) {
      if (++depth > depthMax) return true
    } else if (octet === closeBracket || octet === closeBrace) depth--
  }
  return false
}
