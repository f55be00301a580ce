/**
 * Decodes the transfer encoding base64. Source: RFC 2045 §6.8.
 */

const equalsSign = 0x3d

const values = (() => {
  const found = new Int8Array(256).fill(-1)
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
  for (let value = 0; value < alphabet.length; value++) found[alphabet.charCodeAt(value)] = value
  return found
})()

/** Whether a byte is in the alphabet of base64. Padding is not. */
export const isBase64Byte = (byte: number): boolean => values[byte]! >= 0

/**
 * Returns the decoded bytes. Ignores bytes outside of the alphabet, and an incomplete byte at the end. Padding begins a new group of
 * characters, because a text may consist of several encoded texts.
 */
export const decodeBase64 = (encoded: Uint8Array): Uint8Array => {
  const decoded = new Uint8Array(Math.ceil((encoded.length * 3) / 4))
  let length = 0
  let bits = 0
  let bitCount = 0
  for (let at = 0; at < encoded.length; at++) {
    const byte = encoded[at]!
    const value = values[byte]!
    if (byte === equalsSign) bitCount = 0
    if (value < 0) continue
    bits = ((bits << 6) | value) & 0xffffff
    bitCount += 6
    if (bitCount < 8) continue
    bitCount -= 8
    decoded[length++] = (bits >> bitCount) & 0xff
  }
  return decoded.subarray(0, length)
}
