/**
 * Splits the text of a CSV file (RFC 4180) into rows, piece by piece. After a row with an error, it continues at the next line.
 */

/** A row of a CSV file. */
export interface CsvRow {
  /** The number of its last line, from 1. */
  readonly line: number
  readonly cells: ReadonlyArray<string>
  /** Why the row is not valid. Absent for a valid row. */
  readonly malformed?: string
}

const rowCharactersMax = 1024 * 1024

const misplacedQuote =
  'has a quote in a wrong place. Put quotes around the whole cell, and write each " in the cell twice'
const tooLong = "has more than 1 MiB"

/** The position of the first of these characters from `from`, or the end of the text. */
const indexOfAny = (text: string, characters: RegExp, from: number): number => {
  characters.lastIndex = from
  return characters.exec(text)?.index ?? text.length
}

/** Makes a splitter. `add` takes the next piece and returns the rows that are complete. `end` returns the last row. */
export const makeCsvRows = () => {
  /** Where the next character is. `closed` is directly after a quote that closes a cell, or that is the first of two. */
  let state: "begin" | "plain" | "quoted" | "closed" | "skipped" = "begin"
  let cells: Array<string> = []
  let cell = ""
  let characters = 0
  let line = 1
  let rowLine = 1
  let malformed: string | undefined
  let isUnreadable = false
  /** The first line end of the file, which is that of all rows. */
  let lineEnd: "\n" | "\r\n" | "\r" | undefined
  let isFirst = true
  /** A carriage return at the end of the last piece: the next piece may begin with its line feed. */
  let kept = ""
  let rows: Array<CsvRow> = []

  const count = (added: number): void => {
    characters += added
    if (characters <= rowCharactersMax) return
    // Within quotes, the end of the row is not known.
    if (state === "quoted") isUnreadable = true
    else skip(tooLong)
  }

  const append = (text: string): void => {
    if (malformed === undefined) cell += text
    count(text.length)
  }

  const skip = (reason: string): void => {
    malformed ??= reason
    state = "skipped"
    cell = ""
  }

  const endCell = (): void => {
    cells.push(cell)
    cell = ""
    state = "begin"
  }

  const endRow = (): void => {
    const isEmpty = cells.length === 0 && cell === "" && state === "begin"
    if (malformed !== undefined) rows.push({ line, cells: [], malformed })
    else if (!isEmpty) {
      endCell()
      rows.push({ line, cells })
    }
    cells = []
    cell = ""
    characters = 0
    malformed = undefined
    state = "begin"
  }

  /** The length of the line end at this position, or 0. */
  const lineEndAt = (text: string, at: number): number => {
    const found = text.startsWith("\r\n", at) ? "\r\n" : text[at] === "\r" ? "\r" : text[at] === "\n" ? "\n" : undefined
    if (found === undefined) return 0
    lineEnd ??= found
    return text.startsWith(lineEnd, at) ? lineEnd.length : 0
  }

  /** Reads within quotes from this position, and returns the next position. */
  const readQuoted = (text: string, at: number): number => {
    const quote = text.indexOf('"', at)
    const part = quote === -1 ? text.slice(at) : text.slice(at, quote)
    line += part.match(/\r\n|\r|\n/g)?.length ?? 0
    append(part)
    if (quote === -1) return text.length
    state = "closed"
    return quote + 1
  }

  /** Reads outside quotes from this position, and returns the next position. */
  const readPlain = (text: string, at: number): number => {
    const ending = lineEndAt(text, at)
    if (ending > 0) {
      endRow()
      line++
      rowLine = line
      return at + ending
    }
    const character = text[at]!
    if (character === "\n" || (character === "\r" && text[at + 1] !== "\n")) line++
    if (state === "skipped") return Math.max(at + 1, indexOfAny(text, /[\r\n]/g, at))
    if (character === ",") {
      endCell()
      count(1)
      return at + 1
    }
    if (character === '"' && (state === "begin" || state === "closed")) {
      const isSecond = state === "closed"
      state = "quoted"
      if (isSecond) append(character)
      return at + 1
    }
    if (character === '"' || state === "closed") {
      skip(misplacedQuote)
      return at + 1
    }
    state = "plain"
    const until = Math.max(at + 1, indexOfAny(text, /[",\r\n]/g, at))
    append(text.slice(at, until))
    return until
  }

  const read = (text: string): void => {
    let at = isFirst && text.startsWith("\ufeff") ? 1 : 0
    if (text !== "") isFirst = false
    while (at < text.length) {
      if (isUnreadable) return
      at = state === "quoted" ? readQuoted(text, at) : readPlain(text, at)
    }
  }

  const taken = (): ReadonlyArray<CsvRow> => {
    const found = rows
    rows = []
    return found
  }

  return {
    add: (piece: string): ReadonlyArray<CsvRow> => {
      const text = kept + piece
      kept = text.endsWith("\r") ? "\r" : ""
      read(text.slice(0, text.length - kept.length))
      return taken()
    },
    end: (): ReadonlyArray<CsvRow> => {
      read(kept)
      if (state === "quoted") isUnreadable = true
      else endRow()
      return taken()
    },
    /** The line of the next character. */
    line: () => line,
    /** The line at which the row of the next character begins. */
    rowLine: () => rowLine,
    /** Whether no further row can be found, because a quote is not closed. */
    isUnreadable: () => isUnreadable
  }
}
