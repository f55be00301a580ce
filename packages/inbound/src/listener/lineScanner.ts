/**
 * Finds the lines of a client in its bytes. Only CR LF ends a line. Source: RFC 5321 §2.3.8.
 */

/** In bytes, without the line end. A longer line cannot be a command. Source: RFC 4954 §4 (12,288 bytes for `AUTH`). */
export const lineBytesMax = 12_288

const cr = 0x0d
const lf = 0x0a

/** The first line of some bytes. */
export type ScannedLine =
  | { readonly _tag: "Line"; readonly line: Uint8Array; readonly rest: Uint8Array }
  /** More bytes are needed. */
  | { readonly _tag: "Incomplete" }
  | { readonly _tag: "TooLong" }
  /** A CR without LF, or an LF without CR. */
  | { readonly _tag: "BareLineEnd" }

/**
 * Returns the first line of `bytes`. A CR or LF of its own is found before the line is complete, so that a client that uses such line ends
 * gets an answer instead of a timeout.
 */
export const scanLine = (bytes: Uint8Array): ScannedLine => {
  const limit = Math.min(bytes.length, lineBytesMax + 1)
  for (let at = 0; at < limit; at++) {
    const byte = bytes[at]
    if (byte === lf) return { _tag: "BareLineEnd" }
    if (byte !== cr) continue
    if (at + 1 === bytes.length) return { _tag: "Incomplete" }
    if (bytes[at + 1] !== lf) return { _tag: "BareLineEnd" }
    return { _tag: "Line", line: bytes.subarray(0, at), rest: bytes.subarray(at + 2) }
  }
  return bytes.length > lineBytesMax ? { _tag: "TooLong" } : { _tag: "Incomplete" }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Returns the text of a line, or `null` if it is not UTF-8 or has a control character. */
export const textOfLine = (line: Uint8Array): string | null => {
  let text: string
  try {
    text = utf8.decode(line)
  } catch {
    return null
  }
  // oxlint-disable-next-line no-control-regex
  return /[\x00-\x1f\x7f-\x9f]/.test(text) ? null : text
}
