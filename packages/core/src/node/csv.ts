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
import { Readable } from "node:stream"
import { parse } from "csv-parse"
import { stringify } from "csv-stringify/sync"
import { Data, Stream } from "effect"

/** The file is not valid CSV at this line. */
export class MalformedCsv extends Data.TaggedError("MalformedCsv")<{ readonly line: number }> {
  override get message() {
    return `The file is not valid CSV at line ${this.line}.`
  }
  /** Not retryable: correct the file. */
  get isRetryable() {
    return false
  }
}

const rowOctetsMax = 1024 * 1024

/** Each row of a file with the number of its last line. Skips empty lines and removes a byte order mark. */
export const readCsv = (source: AsyncIterable<Uint8Array | string>) => {
  const parser = Readable.from(source).pipe(
    parse({ bom: true, info: true, relax_column_count: true, skip_empty_lines: true, max_record_size: rowOctetsMax })
  )
  return Stream.map(
    Stream.fromAsyncIterable(
      parser as AsyncIterable<{ readonly record: ReadonlyArray<string>; readonly info: { readonly lines: number } }>,
      (cause) => new MalformedCsv({ line: Number((cause as { readonly lines?: number }).lines ?? 0) })
    ),
    ({ record, info }) => ({ line: info.lines, cells: record })
  )
}

/** One row with its line break. */
export const writeCsvRow = (cells: ReadonlyArray<string>): string =>
  stringify([[...cells]], { record_delimiter: "\r\n" })
