/**
 * Finds the lines of a client in its octets. Only CR LF ends a line. Source: RFC 5321 §2.3.8.
 */

/** In octets, without the line end. A longer line cannot be a command. Source: RFC 4954 §4 (12,288 octets for `AUTH`). */
export const lineOctetsMax = 12_288

const cr = 0x0d
const lf = 0x0a

/** The first line of some octets. */
export type ScannedLine =
  | { readonly _tag: "Line"; readonly line: Uint8Array; readonly rest: Uint8Array }
  /** More octets are needed. */
  | { readonly _tag: "Incomplete" }
  | { readonly _tag: "TooLong" }
  /** A CR without LF, or an LF without CR. */
  | { readonly _tag: "BareLineEnd" }

/**
 * Returns the first line of `octets`. A CR or LF of its own is found before the line is complete, so that a client that uses such line ends
 * gets an answer instead of a timeout.
 */
export const scanLine = (octets: Uint8Array): ScannedLine => {
  const limit = Math.min(octets.length, lineOctetsMax + 1)
  for (let at = 0; at < limit; at++) {
    const octet = octets[at]
    if (octet === lf) return { _tag: "BareLineEnd" }
    if (octet !== cr) continue
    if (at + 1 === octets.length) return { _tag: "Incomplete" }
    if (octets[at + 1] !== lf) return { _tag: "BareLineEnd" }
    return { _tag: "Line", line: octets.subarray(0, at), rest: octets.subarray(at + 2) }
  }
  return octets.length > lineOctetsMax ? { _tag: "TooLong" } : { _tag: "Incomplete" }
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
