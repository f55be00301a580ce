/**
 * Turns the outcome of a write into the result of the call that wrote.
 */
import { Conflict } from "@mailkeep/core/adapter"
import { Exit } from "effect"
import type { Outcome } from "./groupTransaction.ts"
import type { Write, WriteResults } from "./writes.ts"

/** A bug in the write is a defect. A guard that failed is a `Conflict`, which only a commit can have. */
export const exitOf = <W extends Write>(write: W, outcome: Outcome): Exit.Exit<WriteResults[W["_tag"]], Conflict> => {
  if ("defect" in outcome) return Exit.die(outcome.defect)
  if ("done" in outcome) return Exit.succeed(outcome.done as WriteResults[W["_tag"]])
  const { at, reason } = outcome.refused
  const change = write._tag === "Commit" ? write.changes[at] : undefined
  return change === undefined
    ? Exit.die(new Error("A write without changes was refused."))
    : Exit.fail(new Conflict({ at, change: change._tag === "PutStagedContent" ? "PutContent" : change._tag, reason }))
}
