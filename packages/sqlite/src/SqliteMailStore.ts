/**
 * The embedded default: one SQLite file in WAL mode. Every acknowledged commit is synced to the disk, with many commits
 * in one sync.
 * Several processes may share the file. Guards, claims and pages have the same meaning as in `@mailkeep/memory`.
 */
import type { Answers, Change, Query } from "@mailkeep/core/adapter"
import type { MailStoreShape, StoreNotOpened } from "@mailkeep/core/adapter"
import { Conflict } from "@mailkeep/core/adapter"
import { MailStore, StoreUnavailable } from "@mailkeep/core/adapter"
import type { Scope } from "effect"
import { Context, Effect, Layer, Schedule, Stream } from "effect"
import { answerQuery, isScan } from "./internal/answerQuery.ts"
import { applyChange } from "./internal/applyChange.ts"
import { claimDeliveries, claimEventDeliveries, sweep } from "./internal/claimDeliveries.ts"
import { busySchedule, fileCheck, openDatabase } from "./internal/connection.ts"
import type { GroupCommit, Written } from "./internal/groupCommit.ts"
import { makeGroupCommit } from "./internal/groupCommit.ts"
import { prepared } from "./internal/recordTable.ts"
import { makeScanThread } from "./internal/scanThread.ts"
import { unavailable } from "./internal/sqliteFailure.ts"

/** The location of the store. */
export interface SqliteOptions {
  /** The path of the file. It is created if it does not exist; its folder must exist. */
  readonly filename: string
}

const bodyOf = (change: Change): { readonly html: string | null; readonly text: string | null } | undefined =>
  change._tag === "InsertMessage"
    ? change.message
    : change._tag === "PutResource" && change.resource.kind === "templateBody"
      ? change.resource.content
      : undefined

/** The approximate size of a commit: its bodies and contents, and a fixed number of octets for each change. */
const octetsOf = (changes: ReadonlyArray<Change>): number =>
  changes.reduce((sum, change) => {
    const body = bodyOf(change)
    if (change._tag === "PutContent") return change.parts.reduce((size, part) => size + part.length, sum)
    return sum + 1024 + 3 * ((body?.html?.length ?? 0) + (body?.text?.length ?? 0))
  }, 0)

/** A store with the numbers that only SQLite has. */
export interface SqliteMailStoreShape extends MailStoreShape {
  /** The disk syncs of this process, and the time that it waited while other processes kept the write lock. */
  readonly groupCounts: GroupCommit["counts"]
}

/**
 * Opens the file until the scope closes. Creates it, with its tables, if it does not exist. Fails with
 * `StoreNotOpened` when the file is not a store of this version, cannot be locked, or cannot be synced to the disk.
 */
export const make = ({ filename }: SqliteOptions): Effect.Effect<SqliteMailStoreShape, StoreNotOpened, Scope.Scope> =>
  Effect.gen(function* () {
    const database = yield* openDatabase(filename)
    const connection = prepared(database)
    const scans = yield* makeScanThread(filename)
    const group = yield* makeGroupCommit(database, fileCheck(filename))
    const begin = database.prepare("BEGIN")
    const end = database.prepare("COMMIT")
    const rollback = database.prepare("ROLLBACK")

    const commit = (changes: ReadonlyArray<Change>): Written<void, Conflict> => {
      for (const [at, change] of changes.entries()) {
        const reason = applyChange(connection, change)
        if (reason !== undefined) return { undone: new Conflict({ at, change: change._tag, reason }) }
      }
      return { done: undefined }
    }

    /** Several statements see one state only within a transaction. */
    const inOneState = <A>(read: () => A): A => {
      begin.run()
      try {
        const answer = read()
        end.run()
        return answer
      } catch (cause) {
        // Some errors have already ended the transaction.
        if (database.inTransaction) rollback.run()
        throw cause
      }
    }

    const dataVersion = database.prepare("PRAGMA data_version").pluck()

    return {
      capabilities: { durable: true, multiProcess: true },
      commit: (changes) => group.submit(() => commit(changes), octetsOf(changes)),
      claim: (claim) => group.submit(() => ({ done: claimDeliveries(connection, claim) }), 1024),
      claimEventDeliveries: (claim) => group.submit(() => ({ done: claimEventDeliveries(connection, claim) }), 1024),
      read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) =>
        Effect.suspend((): Effect.Effect<Answers<Qs>, StoreUnavailable> => {
          if (!database.open) return Effect.fail(new StoreUnavailable({ reason: "closed" }))
          if (queries.some(isScan)) return scans.read(queries) as Effect.Effect<Answers<Qs>, StoreUnavailable>
          return Effect.try({
            try: () => inOneState(() => queries.map((query) => answerQuery(connection, query)) as Answers<Qs>),
            catch: unavailable
          })
        }).pipe(Effect.retry({ schedule: busySchedule, while: ({ reason }) => reason === "locked" })),
      sweep: (request) => group.submit(() => ({ done: sweep(connection, request) }), 1024),
      foreignCommits: Stream.fromEffectSchedule(
        // If the version cannot be read, reports no commit.
        Effect.orElseSucceed(
          Effect.try(() => dataVersion.get()),
          () => undefined
        ),
        Schedule.spaced("1 second")
      ).pipe(
        Stream.changes,
        Stream.drop(1),
        Stream.map(() => undefined)
      ),
      groupCounts: group.counts
    }
  })

/**
 * The service of this store, for values that only SQLite has.
 *
 * @example
 * ```ts
 * import { SqliteMailStore } from "@mailkeep/sqlite"
 * import { Effect } from "effect"
 *
 * const program = Effect.map(SqliteMailStore.SqliteMailStore, (store) => store.groupCounts().writes)
 * console.log(await Effect.runPromise(Effect.provide(program, SqliteMailStore.layer({ filename: "mail.db" })))) // 0
 * ```
 */
export class SqliteMailStore extends Context.Service<SqliteMailStore, SqliteMailStoreShape>()(
  "@mailkeep/sqlite/SqliteMailStore"
) {}

/** Provides the store as `MailStore` and as `SqliteMailStore`. */
export const layer = (options: SqliteOptions): Layer.Layer<MailStore | SqliteMailStore, StoreNotOpened> =>
  Layer.effectContext(
    Effect.map(make(options), (store) => Context.make(MailStore, store).pipe(Context.add(SqliteMailStore, store)))
  )
