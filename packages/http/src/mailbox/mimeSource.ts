/**
 * Reads the MIME source of a mail within a bound, and its header fields.
 */
import type { MailSource } from "@mailkeep/core/binding"
import { Effect } from "effect"

/** At most this number of bytes of the source are shown on a page. */
const shownBytesMax = 256 * 1024

/** The beginning of a source. */
export interface ShownSource {
  readonly text: string
  /** The size of the whole source, in bytes. */
  readonly size: number
  readonly isComplete: boolean
}

/** Reads the beginning of the source as UTF-8. Bytes that are not UTF-8 become U+FFFD. */
export const readShownSource = ({ size, read }: MailSource): Effect.Effect<ShownSource, unknown> =>
  Effect.tryPromise(async () => {
    const decoder = new TextDecoder()
    let text = ""
    let bytes = 0
    for await (const piece of read()) {
      const shown = piece.subarray(0, shownBytesMax - bytes)
      bytes += shown.length
      text += decoder.decode(shown, { stream: true })
      if (bytes >= shownBytesMax) break
    }
    return { text: text + decoder.decode(), size, isComplete: bytes >= size }
  })

/** The header fields of a source: unfolded, in their order (RFC 5322 §2.2.3). */
export const headerFieldsOf = (source: string): ReadonlyArray<readonly [name: string, value: string]> => {
  const end = source.indexOf("\r\n\r\n")
  const head = end === -1 ? source : source.slice(0, end)
  return head
    .replace(/\r\n(?=[ \t])/g, "")
    .split("\r\n")
    .filter((line) => line.includes(":"))
    .map((line) => {
      const colon = line.indexOf(":")
      return [line.slice(0, colon), line.slice(colon + 1).trim()]
    })
}
