/**
 * The lines that `mailkeep migrate` prints while it runs.
 */
import type { MoveProgress } from "@mailkeep/core/move"
import { Console, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { makeReportProgress } from "../src/moveProgress.ts"

const linesOf = async (all: ReadonlyArray<MoveProgress>) => {
  const lines: Array<string> = []
  const console: Console.Console = { ...globalThis.console, error: (line: string) => void lines.push(line) }
  await Effect.runPromise(
    Effect.forEach(all, makeReportProgress(), { discard: true }).pipe(Effect.provideService(Console.Console, console))
  )
  return lines
}

describe("makeReportProgress", () => {
  it("prints one line when the records of a kind pass the next 10,000, for each kind and phase", async () => {
    const copied = (kind: MoveProgress["kind"], ...counts: ReadonlyArray<number>) =>
      counts.map((records): MoveProgress => ({ phase: "copy", kind, records }))
    const lines = await linesOf([
      ...copied("Message", 0, 4, 9_924, 10_024, 10_124, 20_000),
      ...copied("Delivery", 2_000, 10_000),
      { phase: "checkTarget", kind: "Delivery", records: 12_000 }
    ])
    expect(lines).toEqual([
      "10024 records of Message copied",
      "20000 records of Message copied",
      "10000 records of Delivery copied",
      "12000 records of Delivery checked in the target"
    ])
  })
})
