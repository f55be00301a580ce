/**
 * Decodes the charset of a text. Node has the charsets of the Encoding Standard (https://encoding.spec.whatwg.org). Source: RFC 2045 §5.2; RFC 2046 §4.1.2.
 */

/** Charsets of the Encoding Standard by the number of their code page. Python and others name them so, as in `cp932`, and the standard does not. */
const codePages: ReadonlyMap<string, string> = new Map([
  ["874", "windows-874"],
  ["932", "shift_jis"],
  ["936", "gbk"],
  ["949", "euc-kr"],
  ["950", "big5"]
])

const codePageName = /^(?:x-)?(?:cp|ms|windows-)(\d{3})$/

/** ISO-2022-JP with more character sets, which occur rarely. */
const extendedJapanese = /^iso-2022-jp-[123]$/

/** Programs name these also for a text with bytes above 127. */
const asciiName = /^(?:us-ascii|ascii|ansi_x3\.4-19\d\d)$/

/** The name that the Encoding Standard has for the charset. */
const standardName = (charset: string): string => {
  const [, codePage = ""] = codePageName.exec(charset) ?? []
  return codePages.get(codePage) ?? (extendedJapanese.test(charset) ? "iso-2022-jp" : charset)
}

/** Decodes bytes whose charset is not known: as UTF-8, and as windows-1252 if they are not well-formed UTF-8. */
export const decodeUnknown = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder("windows-1252").decode(bytes)
  }
}

/**
 * Returns the text. Bytes that the charset does not explain become the replacement character. A text without a charset (`""`), in US-ASCII or in an
 * unknown charset is read as UTF-8, and as windows-1252 if it is not well-formed UTF-8.
 */
export const decodeCharset = (bytes: Uint8Array, charset: string): string => {
  const name = charset.trim().toLowerCase()
  if (asciiName.test(name)) return decodeUnknown(bytes)
  let decoder: InstanceType<typeof TextDecoder>
  try {
    decoder = new TextDecoder(standardName(name))
  } catch {
    return decodeUnknown(bytes)
  }
  return decoder.decode(bytes)
}
