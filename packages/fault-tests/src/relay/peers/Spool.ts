/**
 * A file of raw messages and an index of them. Both are written synchronously, so a message in the index is complete.
 */
import { openSync, readSync, writeSync } from "node:fs"
import { join } from "node:path"

/** One message of the spool: its SMTP envelope, and the place of its bytes in the file. */
export interface SpooledMail {
  readonly from: string
  readonly to: ReadonlyArray<string>
  readonly offset: number
  readonly length: number
  /** When the last byte was received. */
  readonly at: number
}

/** Writes and reads the messages. */
export interface Spool {
  /** The file of the raw messages. */
  readonly file: string
  readonly add: (mail: Pick<SpooledMail, "from" | "to" | "at">, raw: Uint8Array) => void
  /** All messages, in the order in which they were received. */
  readonly mails: () => ReadonlyArray<SpooledMail>
  /** The bytes of a message. */
  readonly raw: (mail: SpooledMail) => Buffer
}

/** Creates an empty spool in the folder. */
export const makeSpool = (folder: string): Spool => {
  const file = join(folder, "received.spool")
  const descriptor = openSync(file, "w+")
  const mails: Array<SpooledMail> = []
  let end = 0
  return {
    file,
    add: ({ from, to, at }, raw) => {
      writeSync(descriptor, raw, 0, raw.length, end)
      mails.push({ from, to, at, offset: end, length: raw.length })
      end += raw.length
    },
    mails: () => mails,
    raw: ({ offset, length }) => {
      const raw = Buffer.alloc(length)
      readSync(descriptor, raw, 0, length, offset)
      return raw
    }
  }
}
