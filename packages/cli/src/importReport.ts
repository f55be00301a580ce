/**
 * Reports an import: a progress bar on a terminal, each refused line, and the counts at the end.
 */
import { createWriteStream } from "node:fs"
import type { ImportedRow } from "@mailkeep/core"
import { writeCsvRow } from "@mailkeep/core/node/csv"
import { Effect } from "effect"
import { printable } from "./output.ts"

const shownMax = 20
const everyMillis = 100

export const importReport = (quiet: boolean, file: string | undefined) => {
  const counts = { created: 0, updated: 0, refused: 0 }
  const begun = performance.now()
  const out = file === undefined ? undefined : createWriteStream(file)
  out?.write(writeCsvRow(["line", "field", "code", "message"]))
  const bar = process.stderr.isTTY && !quiet
  let drawn = begun

  const seconds = () => Math.round((performance.now() - begun) / 100) / 10
  const draw = () => {
    const done = counts.created + counts.updated + counts.refused
    const rate = Math.round(done / Math.max(0.1, seconds()))
    process.stderr.write(`\r${done} lines  ${rate}/s  ${counts.refused} refused\u001b[K`)
  }

  return {
    note: ({ line, outcome, issues }: ImportedRow): void => {
      counts[outcome]++
      for (const { path, code, message } of issues) {
        out?.write(writeCsvRow([String(line), path.join("."), code, message]))
        if (!quiet && counts.refused <= shownMax)
          process.stderr.write(`${bar ? "\r\u001b[K" : ""}line ${line}: ${printable(`${path.join(".")} ${message}`)}\n`)
      }
      if (bar && performance.now() - drawn > everyMillis) {
        drawn = performance.now()
        draw()
      }
    },
    end: Effect.callback<typeof counts & { readonly seconds: number }>((resume) => {
      if (bar) process.stderr.write("\r\u001b[K")
      const done = () => resume(Effect.succeed({ ...counts, seconds: seconds() }))
      if (out === undefined) done()
      else out.end(done)
    })
  }
}
