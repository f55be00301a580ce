/**
 * The embedded default: one SQLite file in WAL mode. Every acknowledged commit is synced to the disk, with many commits
 * in one sync.
 * Several processes may share the file. Guards, claims and pages have the same meaning as in `@mailkeep/memory`.
 */
import { realpathSync } from "node:fs"
import type { Answers, MailStoreShape, Query } from "@mailkeep/core/adapter"
import { MailStore, StoreNotOpened, StoreUnavailable } from "@mailkeep/core/adapter"
import type { Scope } from "effect"
import { Context, Effect, Layer, Schedule, Stream } from "effect"
import { answerQuery, isScan } from "./internal/answerQuery.ts"
import {
  foreignConnectionSentence,
  isForeignConnection,
  isProductConnection,
  makeProductConnections
} from "./internal/productConnections.ts"
import { makeCallerWriter } from "./internal/callerWriter.ts"
import { busySchedule, openDatabase } from "./internal/connection.ts"
import { checkFiles, fileIdentityOf } from "./internal/fileCheck.ts"
import type { GroupCommit, GroupWriter } from "./internal/groupCommit.ts"
import { makeGroupCommit } from "./internal/groupCommit.ts"
import { makeJoinTransaction } from "./internal/joinedTransaction.ts"
import { hasContent } from "./internal/messageContents.ts"
import type { Prepared } from "./internal/recordTable.ts"
import { prepared } from "./internal/recordTable.ts"
import { unavailable } from "./internal/sqliteFailure.ts"
import { makeStagedCommit } from "./internal/stagedCommit.ts"
import { makeCommitThread } from "./internal/thread/commitThread.ts"
import type { ScanThread } from "./internal/thread/scanThread.ts"
import { makeScanThread } from "./internal/thread/scanThread.ts"
import { makeStartingWriter } from "./internal/thread/startingWriter.ts"

/** The location of the store, and the thread that writes. */
export interface SqliteOptions {
  /** The path of the file. It is created if it does not exist; its folder must exist. */
  readonly filename: string
  /**
   * The thread that commits. Default: `worker`, so that no disk sync blocks the event loop of the product. Commits before this thread has started
   * run on the caller's thread. `caller` starts no thread, and suits a short-lived program.
   */
  readonly commitThread?: "worker" | "caller"
  /**
   * The product's own connection of better-sqlite3 to the same file. While it has an open transaction, a call that waits for the store, and an opening,
   * fail after about 50 ms instead of 5 s. `joinTransaction` names its connection too. Opening fails for a connection of another copy of SQLite.
   */
  readonly connection?: unknown
}

/** A store with the numbers that only SQLite has. */
export interface SqliteMailStoreShape extends MailStoreShape {
  /** Joins the open transaction of a connection of better-sqlite3 to the same file. The connection must be of the copy of the driver that the store uses. */
  readonly joinTransaction: NonNullable<MailStoreShape["joinTransaction"]>
  /** The disk syncs of this process, and the time that it waited while other processes kept the write lock. */
  readonly groupCounts: GroupCommit["counts"]
  /**
   * Waits until the commit thread has opened the file. Commits before that run on the caller's thread. Ends at once with `commitThread: "caller"`.
   */
  readonly commitThreadStarted: Effect.Effect<void>
}

const isLocked = ({ reason }: StoreUnavailable): boolean => reason === "locked"

const retryLocked = <A>(read: Effect.Effect<A, StoreUnavailable>): Effect.Effect<A, StoreUnavailable> =>
  Effect.retry(read, { schedule: busySchedule, while: isLocked })

const capabilities = { durable: true, multiProcess: true } as const

/** The beginning of a URL, which is no path. The rest may contain a password. */
const urlScheme = /^[a-z][a-z\d+.-]*:\/\//i

const noUrlSentence = "The store needs the path of a file, and no URL"

/** Every scan of a file of so many bytes takes about a millisecond, so that it needs no thread. */
const smallFileBytesMax = 2 ** 20

/** Fails for options that cannot open a store. A program without types can give any value. */
const checkOptions = (filename: string, connection: unknown): Effect.Effect<void, StoreNotOpened> => {
  const [scheme] = urlScheme.exec(String(filename)) ?? []
  if (scheme !== undefined)
    return Effect.fail(new StoreNotOpened({ reason: "not_a_database", where: `${scheme}…`, detail: noUrlSentence }))
  if (isForeignConnection(connection))
    return Effect.fail(
      new StoreNotOpened({ reason: "not_durable", where: filename, detail: foreignConnectionSentence })
    )
  return Effect.void
}

/** Reads on the caller's thread, except scans of a file that is not small. */
const makeRead = (connection: Prepared, scans: ScanThread): MailStoreShape["read"] => {
  const { database } = connection
  /** Several statements see one state only within a transaction. */
  const inOneState = database.transaction((queries: ReadonlyArray<Query>) =>
    queries.map((query) => answerQuery(connection, query))
  )
  const fileBytes = database.prepare("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").pluck()
  const isSmallFile = () => (fileBytes.get() as number) <= smallFileBytesMax

  const readHere = <const Qs extends ReadonlyArray<Query>>(queries: Qs) =>
    Effect.try({
      try: () => inOneState(queries) as Answers<Qs>,
      catch: unavailable
    })

  return <const Qs extends ReadonlyArray<Query>>(queries: Qs) => {
    const once = Effect.suspend((): Effect.Effect<Answers<Qs>, StoreUnavailable> => {
      if (!database.open) return Effect.fail(new StoreUnavailable({ reason: "closed" }))
      if (!queries.some(isScan)) return readHere(queries)
      return Effect.flatMap(Effect.try({ try: isSmallFile, catch: unavailable }), (isSmall) =>
        isSmall ? readHere(queries) : (scans.read(queries) as Effect.Effect<Answers<Qs>, StoreUnavailable>)
      )
    })
    // Most reads meet no lock, so that the schedule is made only when it is needed.
    return Effect.catch(once, (failure) => (isLocked(failure) ? retryLocked(once) : Effect.fail(failure)))
  }
}

/** Emits after each commit of another process. `firstVersion` is that of the file when it was opened. */
const otherCommits = (
  firstVersion: Effect.Effect<number | undefined>,
  { dataVersion }: Pick<GroupWriter, "dataVersion">
): Stream.Stream<void> =>
  Stream.fromEffect(firstVersion).pipe(
    Stream.concat(
      Stream.fromEffectSchedule(
        // A version that cannot be read counts as a commit: the next one can be of another connection, with which it cannot be compared.
        Effect.orElseSucceed(dataVersion, () => undefined),
        Schedule.spaced("1 second")
      )
    ),
    Stream.changes,
    Stream.drop(1),
    Stream.map(() => undefined)
  )

/**
 * Opens the file until the scope closes. Creates it, with its tables, if it does not exist. Fails with
 * `StoreNotOpened` when the file is not a store of this version, cannot be locked, or cannot be synced to the disk.
 */
export const make = ({
  filename: givenName,
  commitThread = "worker",
  connection: ownConnection
}: SqliteOptions): Effect.Effect<SqliteMailStoreShape, StoreNotOpened, Scope.Scope> =>
  Effect.gen(function* () {
    yield* checkOptions(givenName, ownConnection)
    const connections = makeProductConnections()
    if (isProductConnection(ownConnection)) connections.add(ownConnection)
    const database = yield* openDatabase(givenName, connections)
    // SQLite keeps the log beside the real file. A relative path would mean another file after the program changes its folder.
    const filename = yield* Effect.try({
      try: () => realpathSync(givenName),
      catch: (cause) => new StoreNotOpened({ reason: "unreachable", where: givenName, cause })
    })
    const identity = fileIdentityOf(filename)
    const connection = prepared(database)
    const readerVersion = () => database.pragma("data_version", { simple: true }) as number
    const openedVersion = readerVersion()
    const check = () => checkFiles(filename, identity)
    const thread =
      commitThread === "worker"
        ? yield* makeCommitThread(filename, identity, connections, () => readerVersion() === openedVersion)
        : undefined
    const writer =
      thread === undefined
        ? makeCallerWriter(database, check, connections)
        : makeStartingWriter(database, check, thread)
    const group = yield* makeGroupCommit(writer)
    // Opened last, so that a close refuses scans before it waits for commits.
    const scans = yield* makeScanThread({ filename, identity })
    const store: SqliteMailStoreShape = {
      capabilities,
      commit: makeStagedCommit({
        submit: group.submit,
        hasContent: (projectId, hash) =>
          retryLocked(
            Effect.try({ try: () => database.open && hasContent(connection, projectId, hash), catch: unavailable })
          )
      }),
      claim: (claim) => group.submit({ _tag: "Claim", claim }),
      claimEventDeliveries: (claim) => group.submit({ _tag: "ClaimEventDeliveries", claim }),
      read: makeRead(connection, scans),
      sweep: (sweep) => group.submit({ _tag: "Sweep", sweep }),
      sweepMessages: (sweep) => group.submit({ _tag: "SweepMessages", sweep }),
      commitsOfOtherProcesses: otherCommits(thread?.firstVersion ?? Effect.succeed(openedVersion), writer),
      joinTransaction: makeJoinTransaction({ identity, capabilities, connections, isOpen: () => database.open }),
      groupCounts: group.counts,
      commitThreadStarted: thread?.started ?? Effect.void
    }
    return store
  }).pipe(
    Effect.catchTag("ThreadNotAvailable", ({ detail, cause }) =>
      Effect.fail(new StoreNotOpened({ reason: "unsupported_runtime", where: givenName, detail, cause }))
    )
  )

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
