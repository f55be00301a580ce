/**
 * CSV as rows and rows as CSV (RFC 4180), in flat memory.
 */
import { Readable } from "node:stream"
import { parse } from "csv-parse"
import { stringify } from "csv-stringify/sync"
import { Data, Stream } from "effect"

/** The file is not CSV from this line on. */
export class MalformedCsv extends Data.TaggedError("MalformedCsv")<{ readonly line: number }> {
  override get message() {
    return `The file is not CSV: line ${this.line}.`
  }
}

const rowOctetsMax = 1024 * 1024

/** The rows of a file and the line each ends on; empty lines are none. A byte order mark is no part of the first cell. */
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

/** One row with its line end. */
export const writeCsvRow = (cells: ReadonlyArray<string>): string =>
  stringify([[...cells]], { record_delimiter: "\r\n" })
