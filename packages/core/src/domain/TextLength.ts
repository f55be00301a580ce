/**
 * How long a text is, in the units that limits are given in.
 */

export const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text)

export const utf8Octets = (text: string): number =>
  isAscii(text) ? text.length : new TextEncoder().encode(text).length

/** Unicode code points: what people call characters. */
export const codePoints = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}
