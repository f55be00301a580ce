/**
 * The length of a text, in the units of the limits.
 */

/** Whether each character is ASCII. */
export const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text)

export const utf8Bytes = (text: string): number => (isAscii(text) ? text.length : new TextEncoder().encode(text).length)

/** Counts the Unicode code points of a text. Limits in characters use this count. */
export const codePoints = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}
