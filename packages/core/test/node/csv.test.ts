import { parse } from "csv-parse/sync"
import { Effect, Stream } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readCsv, writeCsvRow } from "../../src/node/csv.ts"

async function* pieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0))

/** The rows of a file, and how the reading ends. */
const readAll = async (bytes: Uint8Array, size = 7) => {
  const rows: Array<readonly [line: number, ...cells: ReadonlyArray<string>]> = []
  const malformed: Array<number> = []
  const end = await Effect.runPromise(
    Stream.runForEach(readCsv(pieces(bytes, size)), (row) =>
      Effect.sync(() => (row.malformed === undefined ? rows.push([row.line, ...row.cells]) : malformed.push(row.line)))
    ).pipe(
      Effect.as("end" as const),
      Effect.catch((failure) => Effect.succeed(failure))
    )
  )
  return { rows, malformed, end }
}

describe("readCsv", () => {
  it("reads written CSV back, however the bytes are split", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.string({ unit: "grapheme" }), { minLength: 2, maxLength: 4 }), {
          minLength: 1,
          maxLength: 5
        }),
        fc.integer({ min: 1, max: 9 }),
        async (rows, size) => {
          // The reader drops a leading byte order mark.
          fc.pre(!rows[0]![0]!.startsWith("\ufeff"))
          const read = await readAll(utf8(rows.map(writeCsvRow).join("")), size)
          expect(read.rows.map(([, ...cells]) => cells)).toEqual(rows)
        }
      )
    ))

  it("reads valid CSV as another reader does, however the bytes are split", () =>
    fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom("a", ",", '"', '""', "\n", "\r\n", "é"), maxLength: 25 }),
        fc.integer({ min: 1, max: 9 }),
        async (text, size) => {
          let others: ReadonlyArray<ReadonlyArray<string>>
          try {
            others = parse(text, { relax_column_count: true, skip_empty_lines: true })
          } catch {
            return
          }
          const { rows, end } = await readAll(utf8(text), size)
          expect(rows.map(([, ...cells]) => cells)).toEqual(others)
          expect(end).toBe("end")
        }
      )
    ))

  it.each([
    ["a quote within a cell", 'a,b\nc,Pat "Pi" O\nd,e\n', [1, 3], [2]],
    ["text after a closing quote", 'a,b\n"c"x,d\ne,f', [1, 3], [2]],
    ["a space before a quote", 'a,b\nc, "d"\ne,f', [1, 3], [2]],
    ["two wrong quotes and cells after them", 'a,b\n"c"x,"d"y,e\nf,g\n', [1, 3], [2]],
    ["line ends of Windows", 'a,b\r\nc"c,b\r\nd,e\r\n', [1, 3], [2]],
    ["more than 1 MiB", `a,b\nc,${"d".repeat(1_100_000)}\ne,f\n`, [1, 3], [2]],
    ["more than 1 MiB of empty cells", `a,b\n${",".repeat(1_100_000)}\ne,f\n`, [1, 3], [2]],
    ["more than 1 MiB of quoted empty cells", `a,b\n${'"",'.repeat(1_100_000)}\ne,f\n`, [1, 3], [2]]
  ])("reports a row with %s, and reads the next row", async (_, text, lines, malformed) => {
    const read = await readAll(utf8(text), 65_536)
    expect([read.rows.map(([line]) => line), read.malformed, read.end]).toEqual([lines, malformed, "end"])
  })

  it.each([
    ["begins on the line before", 'a,b\n"c\nd,e\n', 65_536, 2],
    ["has more than 1 MiB", `a,b\n"${"c\n".repeat(600_000)}",d\ne,f\n`, 65_536, 2]
  ])(
    "fails with MalformedCsv at the row of a quote that is not closed, when the row %s",
    async (_, text, size, line) => {
      const { rows, end } = await readAll(utf8(text), size)
      expect(rows).toEqual([[1, "a", "b"]])
      expect(end).toMatchObject({ _tag: "MalformedCsv", problem: "quote", line })
    }
  )

  it.each([
    ["Latin-1", latin1("email,first_name\na@example.org,Ann\nb@example.org,José\nc@example.org,Cat\n"), 3, 2],
    ["UTF-8 whose last character is cut", utf8("email\nJosé").subarray(0, -1), 2, 1],
    ["Latin-1 after a line with U+FFFD", Uint8Array.from([...utf8("email\na\ufffd\n"), ...latin1("José\n")]), 3, 2],
    ["UTF-16", Uint8Array.from([0xff, 0xfe, 0x61, 0]), 1, 0]
  ])(
    "fails with MalformedCsv at the line that is not UTF-8 in %s, after the rows before it",
    async (_, bytes, line, before) => {
      for (const size of [1, 7, 4096]) {
        const { rows, end } = await readAll(bytes, size)
        expect(rows).toHaveLength(before)
        expect(end).toMatchObject({
          _tag: "MalformedCsv",
          problem: "encoding",
          line,
          message: expect.stringContaining("UTF-8")
        })
      }
    }
  )

  it("fails with CsvNotRead when the source fails, after the rows before", async () => {
    async function* failing() {
      yield "a,b\nc,d\n"
      throw new Error("no such file")
    }
    const rows = Stream.result(readCsv(failing()))
    expect(await Effect.runPromise(Stream.runCollect(rows))).toMatchObject([
      { success: { line: 1 } },
      { success: { line: 2 } },
      { failure: { _tag: "CsvNotRead", message: "The file cannot be read: no such file." } }
    ])
  })
})

describe("writeCsvRow", () => {
  it("quotes a cell with any line break", () => expect(writeCsvRow(["a\nb", "c\rd", "e"])).toBe('"a\nb","c\rd",e\r\n'))
})
