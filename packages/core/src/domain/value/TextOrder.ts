/**
 * The order of texts in listings and walks.
 */
const firstSurrogate = 0xd800
const lastSurrogate = 0xdfff

/** A code unit, so that surrogates come after all other units. This is the order of the UTF-8 bytes. */
const rankOf = (unit: number): number => (unit >= firstSurrogate && unit <= lastSurrogate ? unit + 0x10000 : unit)

/** Compares texts by their UTF-8 bytes, as SQL databases do. */
export const compareTexts = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const difference = rankOf(a.charCodeAt(at)) - rankOf(b.charCodeAt(at))
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
