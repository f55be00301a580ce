/**
 * A reply of an SMTP server, and how it is written.
 */

/** A reply to a command. Source: RFC 5321 §4.2; RFC 2034 §4 (the enhanced code is repeated on each line). */
export interface Reply {
  readonly code: number
  /** The enhanced status code; `null` for the greeting, for the reply to `EHLO` and for a reply that asks for more. */
  readonly enhancedCode: string | null
  readonly lines: readonly [string, ...ReadonlyArray<string>]
  /** Whether the server closes the connection after this reply. */
  readonly closes: boolean
}

/** A row of a table of replies. The reference page shows it. */
export interface ReplyRow {
  readonly code: number
  readonly enhancedCode: string | null
  readonly text: string
  /** When the server sends the reply. */
  readonly occurs: string
  /** The RFC and section. */
  readonly source: string
  readonly closes?: true
}

/** Makes a reply from a row of a table. */
export const toReply = ({ code, enhancedCode, text, closes }: Omit<ReplyRow, "occurs" | "source">): Reply => ({
  code,
  enhancedCode,
  lines: [text],
  closes: closes === true
})

/** In bytes, with code, enhanced code and line end. Source: RFC 5321 §4.5.3.1.5. */
const replyLineBytesMax = 512

/** Keeps printable ASCII, so that no text can end the line or begin another reply. */
const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, "?")

/** Writes a reply as lines of at most 512 bytes. Source: RFC 5321 §4.2.1 and §4.5.3.1.5. */
export const formatReply = ({ code, enhancedCode, lines }: Reply): string => {
  const start = enhancedCode === null ? "" : `${enhancedCode} `
  return lines
    .map((line, index) => {
      const text = `${code}${index < lines.length - 1 ? "-" : " "}${start}${printable(line)}`
      return `${text.slice(0, replyLineBytesMax - 2)}\r\n`
    })
    .join("")
}
