/**
 * Decodes the charset of a text. Source: RFC 2045 §5.2; RFC 2046 §4.1.2.
 */

const decodeUnknown = (octets: Uint8Array): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(octets)
  } catch {
    return new TextDecoder("windows-1252").decode(octets)
  }
}

/**
 * Returns the text. Octets that the charset does not explain become the replacement character. A text in an unknown charset is read as UTF-8,
 * and as windows-1252 if it is not well-formed UTF-8.
 */
export const decodeCharset = (octets: Uint8Array, charset: string): string => {
  let decoder: InstanceType<typeof TextDecoder>
  try {
    decoder = new TextDecoder(charset)
  } catch {
    return decodeUnknown(octets)
  }
  return decoder.decode(octets)
}
