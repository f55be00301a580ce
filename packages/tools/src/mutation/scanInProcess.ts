/**
 * Replaces the scan thread of the SQLite store while the laws run against mutants: it answers long reads on a second connection of the
 * same thread. To start a thread for each law would take most of the time of a run.
 */
import { createRequire } from "node:module"
import { StoreUnavailable } from "@mailkeep/core/adapter"
import type { Query } from "@mailkeep/core/adapter"
import type { Scope } from "effect"
import { Effect } from "effect"
import { answerQuery } from "../../../sqlite/src/internal/answerQuery.ts"
import { prepared } from "../../../sqlite/src/internal/recordTable.ts"
import type { ScanThread, ScanThreadData } from "../../../sqlite/src/internal/thread/scanThread.ts"

type Database = Parameters<typeof prepared>[0]

/** The driver is a dependency of the SQLite store only. */
const Driver = createRequire(new URL("../../../sqlite/package.json", import.meta.url))("better-sqlite3") as new (
  filename: string,
  options: { readonly readonly: boolean; readonly timeout: number }
) => Database

/** @public The loader puts this module in the place of `scanThread.ts`. */
export const makeScanThread = ({
  filename
}: Pick<ScanThreadData, "filename">): Effect.Effect<ScanThread, never, Scope.Scope> => {
  let reader: Database | undefined
  let closed = false
  const answersOf = (queries: ReadonlyArray<Query>): ReadonlyArray<unknown> => {
    reader ??= new Driver(filename, { readonly: true, timeout: 0 })
    const connection = prepared(reader)
    return reader.transaction(() => queries.map((query) => answerQuery(connection, query)))()
  }
  return Effect.acquireRelease(
    Effect.sync((): ScanThread => ({
      read: (queries) =>
        Effect.suspend(() =>
          closed
            ? Effect.fail(new StoreUnavailable({ reason: "closed" }))
            : Effect.sync(() => structuredClone(answersOf(queries)))
        )
    })),
    () =>
      Effect.sync(() => {
        closed = true
        reader?.close()
      })
  )
}
