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

/** Finds line ends. The first one of the file is that of all rows. */
const makeLineEnds = () => {
  let lineEnd: "\n" | "\r\n" | "\r" | undefined
  /** The length of the line end at this position, or 0. */
  const lengthAt = (text: string, at: number): number => {
    const found = text.startsWith("\r\n", at) ? "\r\n" : text[at] === "\r" ? "\r" : text[at] === "\n" ? "\n" : undefined
    if (found === undefined) return 0
    lineEnd ??= found
    return text.startsWith(lineEnd, at) ? lineEnd.length : 0
  }
  return { lengthAt }
}

/** The row that is being read. */
const makeRow = () => {
  let cells: Array<string> = []
  let cell = ""
  let characters = 0
  let malformed: string | undefined
  return {
    append: (text: string): void => {
      if (malformed === undefined) cell += text
    },
    /** Counts characters of the row. Returns whether it is short enough. */
    count: (added: number): boolean => {
      characters += added
      return characters <= rowCharactersMax
    },
    endCell: (): void => {
      cells.push(cell)
      cell = ""
    },
    /** Refuses the row. The first reason counts. */
    refuse: (reason: string): void => {
      malformed ??= reason
      cell = ""
    },
    /** Whether the row has no cell before this one, and this one has no text yet. */
    isEmpty: (): boolean => cells.length === 0 && cell === "",
    /** Returns the row, and begins the next one. */
    end: (line: number): CsvRow => {
      cells.push(cell)
      const ended = malformed === undefined ? { line, cells } : { line, cells: [], malformed }
      cells = []
      cell = ""
      characters = 0
      malformed = undefined
      return ended
    }
  }
}

/** Makes a reader of the rows of a text. It calls `onRow` with each row that is complete. */
const makeRowReader = (onRow: (row: CsvRow) => void) => {
  const row = makeRow()
  const lineEnds = makeLineEnds()
  /** Where the next character is. `closed` is directly after a quote that closes a cell, or that is the first of two. */
  let state: "begin" | "plain" | "quoted" | "closed" | "skipped" = "begin"
  let line = 1
  let rowLine = 1
  let isUnreadable = false

  const skip = (reason: string): void => {
    row.refuse(reason)
    state = "skipped"
  }

  const count = (added: number): void => {
    if (row.count(added)) return
    // Within quotes, the end of the row is not known.
    if (state === "quoted") isUnreadable = true
    else skip(tooLong)
  }

  const append = (text: string): void => {
    row.append(text)
    count(text.length)
  }

  const endRow = (): void => {
    const isBlankLine = state === "begin" && row.isEmpty()
    const ended = row.end(line)
    if (!isBlankLine) onRow(ended)
    state = "begin"
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
    const ending = lineEnds.lengthAt(text, at)
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
      row.endCell()
      state = "begin"
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

  return {
    read: (text: string, from: number): void => {
      let at = from
      while (at < text.length) {
        if (isUnreadable) return
        at = state === "quoted" ? readQuoted(text, at) : readPlain(text, at)
      }
    },
    /** Reads the end of the file. */
    end: (): void => {
      if (state === "quoted") isUnreadable = true
      else endRow()
    },
    line: () => line,
    rowLine: () => rowLine,
    isUnreadable: () => isUnreadable
  }
}

/** Makes a splitter. `add` takes the next piece and returns the rows that are complete. `end` returns the last row. */
export const makeCsvRows = () => {
  let rows: Array<CsvRow> = []
  const reader = makeRowReader((row) => rows.push(row))
  let isFirst = true
  /** A carriage return at the end of the last piece: the next piece may begin with its line feed. */
  let kept = ""

  const read = (text: string): void => {
    const hasByteOrderMark = isFirst && text.startsWith("\ufeff")
    if (text !== "") isFirst = false
    reader.read(text, hasByteOrderMark ? 1 : 0)
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
      reader.end()
      return taken()
    },
    /** The line of the next character. */
    line: reader.line,
    /** The line at which the row of the next character begins. */
    rowLine: reader.rowLine,
    /** Whether no further row can be found, because a quote is not closed. */
    isUnreadable: reader.isUnreadable
  }
}
