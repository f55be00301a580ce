/**
 * Prints how far a move is.
 */
import type { MoveProgress } from "@mailkeep/core/move"
import { Console, Effect } from "effect"

const phases: Readonly<Record<MoveProgress["phase"], string>> = {
  copy: "copied",
  checkTarget: "checked in the target",
  checkSource: "checked in the source"
}

const linesEvery = 10_000

/** Makes a function that prints progress to standard error, at most one line for each 10,000 records of a kind. Pages have any number of records. */
export const makeReportProgress = () => {
  let current = ""
  let printed = 0
  return ({ phase, kind, records }: MoveProgress): Effect.Effect<void> =>
    Effect.suspend(() => {
      const name = `${kind} ${phases[phase]}`
      if (name !== current) printed = 0
      current = name
      const lines = Math.floor(records / linesEvery)
      if (lines === printed) return Effect.void
      printed = lines
      return Console.error(`${records} records of ${name}`)
    })
}
