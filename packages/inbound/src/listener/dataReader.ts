/**
 * Reads the bytes after `DATA`. Only CR LF . CR LF ends the message, and a message with a CR, LF or NUL of its own is never accepted. So the
 * content of a message cannot be read as a command. Source: RFC 5321 §2.3.8, §4.1.1.4 and §4.5.2.
 */

const cr = 0x0d
const lf = 0x0a
const dot = 0x2e

/** What the last bytes were. Numbers, because the reader compares them for each byte. */
const position = {
  /** The beginning of the message, or CR LF. */
  lineStart: 0,
  text: 1,
  cr: 2,
  /** A period at the beginning of a line. It is not part of the message. */
  dot: 3,
  /** A period at the beginning of a line, and CR. */
  dotCr: 4
} as const
type Position = (typeof position)[keyof typeof position]

/** The state of the reader between two chunks. */
export interface DataState {
  readonly position: Position
  /** Whether the message has a bare CR, a bare LF or a NUL. */
  readonly broken: boolean
}

/** The state before the first byte. */
export const dataStart: DataState = { position: position.lineStart, broken: false }

/** What the reader found in a chunk. */
export interface DataStep {
  readonly state: DataState
  /** The index of the first byte after the end of the message; `null` if the message continues. */
  readonly end: number | null
}

/**
 * Reads one chunk. `emit` gets the content in order, without the periods that the client added and without the end. A broken message emits
 * nothing from its first wrong byte on, but its end is still found.
 */
export const readData = (start: DataState, chunk: Uint8Array, emit: (content: Uint8Array) => void): DataStep => {
  let last: Position = start.position
  let { broken } = start
  // The first byte that is not yet emitted.
  let from = 0
  const flush = (to: number) => {
    if (!broken && to > from) emit(chunk.subarray(from, to))
  }
  for (let at = 0; at < chunk.length; at++) {
    const byte = chunk[at]!
    if (byte > cr && last === position.text) continue
    const isAfterCr = last === position.cr || last === position.dotCr
    if (!broken && (byte === 0 || (byte === lf) !== isAfterCr)) {
      flush(at)
      broken = true
    }
    if (byte === lf) {
      if (last === position.dotCr) return { state: { position: position.lineStart, broken }, end: at + 1 }
      last = isAfterCr ? position.lineStart : position.text
    } else if (byte === cr) {
      if (last === position.dot) {
        last = position.dotCr
        from = at + 1
      } else last = position.cr
    } else if (byte === dot && last === position.lineStart) {
      flush(at)
      from = at + 1
      last = position.dot
    } else last = position.text
  }
  flush(chunk.length)
  return { state: { position: last, broken }, end: null }
}
