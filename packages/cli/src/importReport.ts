/**
 * Reports an import: a progress bar on a terminal, each refused line, and the counts at the end.
 */
import { closeSync, openSync, writeSync } from "node:fs"
import type { ImportedRow } from "@mailkeep/core"
import { writeCsvRow } from "@mailkeep/core/node/csv"
import type { Effect } from "effect"
import type { FileFailed } from "./files.ts"
import { onFile } from "./files.ts"
import { printable } from "./output.ts"

/** The terminal shows the problems of this many refused lines; the file of refused lines has all. */
const shownMax = 20
const redrawMillis = 100

export interface ImportCounts {
  readonly created: number
  readonly updated: number
  readonly refused: number
  readonly seconds: number
}

/** Opens the file of refused lines at the first one, so that an import without any writes no file. */
const refusedFile = (path: string) => {
  let opened: number | undefined
  return {
    write: (cells: ReadonlyArray<string>): void => {
      if (opened === undefined) {
        opened = openSync(path, "w")
        writeSync(opened, writeCsvRow(["line", "field", "code", "message"]))
      }
      writeSync(opened, writeCsvRow(cells))
    },
    close: (): void => {
      if (opened !== undefined) closeSync(opened)
    }
  }
}

interface ImportReportOptions {
  /** Whether to show only the counts at the end. */
  readonly quiet: boolean
  /** The file to write the refused lines to. */
  readonly refusedPath: string | undefined
}

/** Starts the report of an import: give each row to `note`, and call `end` once. */
export const importReport = ({ quiet, refusedPath }: ImportReportOptions) => {
  const counts = { created: 0, updated: 0, refused: 0 }
  const begun = performance.now()
  const file = refusedPath === undefined ? undefined : refusedFile(refusedPath)
  const bar = process.stderr.isTTY && !quiet
  let drawn = begun

  const seconds = () => Math.round((performance.now() - begun) / 100) / 10
  const draw = () => {
    const done = counts.created + counts.updated + counts.refused
    const rate = Math.round(done / Math.max(0.1, seconds()))
    process.stderr.write(`\r${done} lines  ${rate}/s  ${counts.refused} refused\u001b[K`)
  }

  const note = ({ line, outcome, issues }: ImportedRow): void => {
    counts[outcome]++
    for (const { path, code, message } of issues) {
      const field = path.join(".")
      // A problem of the whole line has no field.
      const sentence = field === "" ? message : `${field} ${message}`
      if (!quiet && counts.refused <= shownMax)
        process.stderr.write(`${bar ? "\r\u001b[K" : ""}line ${line}: ${printable(sentence)}\n`)
      file?.write([String(line), field, code, message])
    }
    if (bar && performance.now() - drawn > redrawMillis) {
      drawn = performance.now()
      draw()
    }
  }

  return {
    /** Fails when the file of refused lines cannot be written. */
    note: (row: ImportedRow): Effect.Effect<void, FileFailed> => onFile("write", refusedPath ?? "", () => note(row)),
    end: (): ImportCounts => {
      if (bar) process.stderr.write("\r\u001b[K")
      file?.close()
      return { ...counts, seconds: seconds() }
    }
  }
}
