/**
 * Reads and writes CSV (RFC 4180) row by row, with constant memory use.
 *
 * @example
 * ```ts
 * import { readCsv } from "@mailkeep/core/node/csv"
 * import { Effect, Stream } from "effect"
 * import { Readable } from "node:stream"
 *
 * const rows = readCsv(Readable.from(["email,first_name\n", "ada@example.org,Ada\n"]))
 * console.log((await Effect.runPromise(Stream.runCollect(rows))).length) // 2
 * ```
 */
import { Buffer, isUtf8 } from "node:buffer"
import { stringify } from "csv-stringify/sync"
import { Data, Stream } from "effect"
import type { CsvRow } from "./csvRows.ts"
import { makeCsvRows } from "./csvRows.ts"

/** The file cannot be read further from this line: its bytes are not UTF-8, or a quote is not closed. */
export class MalformedCsv extends Data.TaggedError("MalformedCsv")<{
  readonly line: number
  readonly problem: "encoding" | "quote"
}> {
  override get message() {
    return this.problem === "encoding"
      ? `The file is not UTF-8 at line ${this.line}. Save it in UTF-8 and import it again.`
      : `The file is not valid CSV: the row that begins at line ${this.line} has a quote that is not closed within 1 MiB.`
  }
  /** Not retryable: correct the file. */
  get isRetryable() {
    return false
  }
}

/** The source of the file failed, such as a file that does not exist. `cause` is its error. */
export class CsvNotRead extends Data.TaggedError("CsvNotRead")<{ readonly cause: unknown }> {
  override get message() {
    const { cause } = this
    return `The file cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`
  }
  /** Not retryable: correct the path of the file or its permissions. */
  get isRetryable() {
    return false
  }
}

/** The bytes without the beginning of a character that further bytes complete. */
const wholeCharacters = (bytes: Uint8Array): Uint8Array => {
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - 3); at--) {
    const byte = bytes[at]!
    if (byte >= 0x80 && byte < 0xc0) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return at + length > bytes.length ? bytes.subarray(0, at) : bytes
  }
  return bytes
}

/** The longest beginning of bytes that is UTF-8. */
const validBeginning = (bytes: Uint8Array): Uint8Array => {
  let [valid, invalid] = [0, bytes.length]
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2)
    if (isUtf8(wholeCharacters(bytes.subarray(0, middle)))) valid = middle
    else invalid = middle
  }
  return wholeCharacters(bytes.subarray(0, valid))
}

/** Decodes pieces of a file. The text that `decode` returns ends before the first bytes that are not UTF-8. */
const makeDecoder = () => {
  // The splitter removes the byte order mark.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  let begun: Uint8Array = new Uint8Array()
  return (piece: Uint8Array, isLast: boolean): { readonly text: string; readonly isValid: boolean } => {
    const bytes = begun.length === 0 ? piece : Buffer.concat([begun, piece])
    const whole = isLast ? bytes : wholeCharacters(bytes)
    // A copy, because the source may use its memory again for the next piece.
    begun = new Uint8Array(bytes.subarray(whole.length))
    const isValid = isUtf8(whole)
    return { text: decoder.decode(isValid ? whole : validBeginning(whole)), isValid }
  }
}

/** The rows of each piece of the file. Rows before an error are returned before the error is thrown. */
async function* rowsOf(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<ReadonlyArray<CsvRow>> {
  const decode = makeDecoder()
  const rows = makeCsvRows()
  async function* pieces() {
    for await (const piece of source)
      yield typeof piece === "string" ? { text: piece, isValid: true } : decode(piece, false)
    yield decode(new Uint8Array(), true)
  }
  for await (const { text, isValid } of pieces()) {
    yield rows.add(text)
    if (!isValid) throw new MalformedCsv({ line: rows.line(), problem: "encoding" })
    if (rows.isUnreadable()) throw new MalformedCsv({ line: rows.rowLine(), problem: "quote" })
  }
  yield rows.end()
  if (rows.isUnreadable()) throw new MalformedCsv({ line: rows.rowLine(), problem: "quote" })
}

/**
 * Each row of a file in UTF-8 with the number of its last line. Skips empty lines and removes a byte order mark. A row with a quote in a wrong place,
 * or with more than 1 MiB, has no cells and says in `malformed` why. Fails with `MalformedCsv` when no further row can be found, and with
 * `CsvNotRead` when the source fails. All rows before a failure are emitted.
 */
export const readCsv = (source: AsyncIterable<Uint8Array | string>): Stream.Stream<CsvRow, MalformedCsv | CsvNotRead> =>
  Stream.flattenIterable(
    Stream.fromAsyncIterable(rowsOf(source), (cause) =>
      cause instanceof MalformedCsv ? cause : new CsvNotRead({ cause })
    )
  )

/** One row with its line break. A cell with a line break is quoted. */
export const writeCsvRow = (cells: ReadonlyArray<string>): string =>
  stringify([[...cells]], { record_delimiter: "\r\n", quoted_match: /[\r\n]/ })
