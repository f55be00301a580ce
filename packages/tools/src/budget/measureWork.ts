/**
 * Counts the work of one operation on a new store.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqliteMailStore } from "@mailkeep/sqlite"
import Database from "better-sqlite3"
import { Effect } from "effect"
import type { Work } from "./compareBudget.ts"
import type { Operation, OverCore } from "./Operation.ts"
import { coreOver, prepareCore } from "./Operation.ts"
import { workCounters } from "./workCounters.ts"

/** Empties the write-ahead log, so that its size afterwards is what the operation wrote. */
const emptyLog = (filename: string): void => {
  const database = new Database(filename)
  try {
    const [result] = database.pragma("wal_checkpoint(TRUNCATE)") as ReadonlyArray<{ readonly busy: number }>
    if (result?.busy !== 0) throw new Error("The write-ahead log could not be emptied.")
  } finally {
    database.close()
  }
}

/** Makes a core in a new folder, prepares the operation, and returns what `measure` finds about its effect. */
const onNewCore = async <A>(
  { prepare }: Operation,
  commitThread: "caller" | "worker",
  measure: (counted: OverCore<unknown>, filename: string) => OverCore<A>
): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-budget-"))
  const filename = join(folder, "mail.db")
  const program = Effect.gen(function* () {
    yield* (yield* SqliteMailStore.SqliteMailStore).commitThreadStarted
    yield* prepareCore
    return yield* measure(yield* prepare, filename)
  })
  try {
    return await Effect.runPromise(Effect.scoped(Effect.provide(program, coreOver(filename, commitThread))))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/**
 * Counts on the caller's thread, where the same sends always form the same groups. Only the messages between threads are counted with the commit
 * thread, as products run it.
 */
export const measureWork = async (operation: Operation): Promise<Work> => {
  const work = await onNewCore(operation, "caller", (counted, filename) =>
    Effect.gen(function* () {
      const { groupCounts } = yield* SqliteMailStore.SqliteMailStore
      emptyLog(filename)
      const [before, groupsBefore] = [workCounters(), groupCounts().groups]
      yield* counted
      const after = workCounters()
      return {
        reads: after.readStatements - before.readStatements,
        writes: after.writeStatements - before.writeStatements,
        syncs: groupCounts().groups - groupsBefore,
        bytes: statSync(`${filename}-wal`).size
      }
    })
  )
  if (operation.isConcurrent === true) return { ...work, messages: null }
  const messages = await onNewCore(operation, "worker", (counted) =>
    Effect.gen(function* () {
      const before = workCounters().threadMessages
      yield* counted
      return workCounters().threadMessages - before
    })
  )
  return { ...work, messages }
}
