/**
 * Decodes the transfer encoding quoted-printable. Source: RFC 2045 §6.7.
 */
const lineFeed = 10
const equalsSign = 61

const hexValue = (byte: number | undefined): number => {
  if (byte === undefined) return -1
  if (byte >= 48 && byte <= 57) return byte - 48
  const letter = byte | 0x20
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}

/** Decodes quoted-printable. A broken sequence stays as it is. A soft line break may have a bare LF, as in mail that a relay has stored. */
export const decodeQuotedPrintable = (encoded: Uint8Array): Uint8Array => {
  const decoded = new Uint8Array(encoded.length)
  let length = 0
  for (let at = 0; at < encoded.length; at++) {
    const byte = encoded[at] ?? 0
    if (byte === equalsSign) {
      const [first, second] = [encoded[at + 1], encoded[at + 2]]
      if (first === lineFeed) {
        at += 1
        continue
      }
      if (first === 13 && second === lineFeed) {
        at += 2
        continue
      }
      const [high, low] = [hexValue(first), hexValue(second)]
      if (high >= 0 && low >= 0) {
        decoded[length++] = high * 16 + low
        at += 2
        continue
      }
    }
    decoded[length++] = byte
  }
  return decoded.subarray(0, length)
}
