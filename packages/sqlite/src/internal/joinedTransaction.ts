/**
 * Joins an open transaction of the product's own connection to the file of the store. Source: docs/decisions/0056-own-transaction.md.
 */
import type { Answers, Conflict, JoinedTransaction, MailStoreShape, Query } from "@mailkeep/core/adapter"
import { StoreUnavailable, TransactionRefused } from "@mailkeep/core/adapter"
import type { Database, Statement } from "better-sqlite3"
import { Effect, Stream } from "effect"
import { answerQuery } from "./answerQuery.ts"
import type { ProductConnections } from "./productConnections.ts"
import { foreignConnectionSentence, isForeignConnection, isProductConnection } from "./productConnections.ts"
import type { FileIdentity } from "./fileCheck.ts"
import { fileIdentityOf, isSameIdentity } from "./fileCheck.ts"
import { schemaVersion } from "./migrations.ts"
import { isOldVersion, synchronousFull } from "./openConnection.ts"
import type { Prepared, Value } from "./recordTable.ts"
import { prepared } from "./recordTable.ts"
import { codeOf } from "./resultCodes.ts"
import { unavailable } from "./sqliteFailure.ts"
import type { Write, WriteResults } from "./writes.ts"
import { exitOf } from "./writeExit.ts"
import { runWrite } from "./writes.ts"
import { untilTransactionEnd } from "./transactionEnd.ts"

/** Each is set inside the one before: for a call, and for a commit of it. */
const callSavepoint = "mailkeep_call"
const writeSavepoint = "mailkeep_write"

/** Prepares statements that return numbers, whatever the product has chosen for its own statements. */
const preparedOf = (database: Database): Prepared => {
  const withNumbers = { prepare: (sql: string) => database.prepare(sql).safeIntegers(false) }
  const { statement } = prepared(withNumbers as unknown as Database)
  return { database, statement: statement as (sql: string) => Statement<Array<Value>> }
}

const refused = (reason: TransactionRefused["reason"], detail?: string): TransactionRefused =>
  new TransactionRefused({ reason, ...(detail === undefined ? {} : { detail }) })

const sentences = {
  notAConnection: "Give the connection of better-sqlite3 that has the open transaction.",
  closed: "The connection is closed. Open it, and begin a transaction.",
  noTransaction:
    "The connection has no open transaction. Begin one with BEGIN IMMEDIATE, or with db.transaction(…).immediate().",
  inMemory: "The connection belongs to a database in memory, which a crash would lose.",
  journal: 'The connection does not use a write-ahead log. Run db.pragma("journal_mode = WAL") once after you open it.',
  synchronous:
    'The connection does not sync every commit to the disk. Run db.pragma("synchronous = FULL") once after you open it.',
  rolledBack: "SQLite has rolled back the whole transaction.",
  oldSqlite: "The connection uses an SQLite that can damage the file. Update better-sqlite3.",
  staleSnapshot:
    "The transaction has read an old state of the file and can no longer write. Roll it back and begin with BEGIN IMMEDIATE, or with db.transaction(…).immediate()."
} as const

/** The failure of the port. Throws the cause itself if it is a bug. */
const failureOf = (cause: unknown): TransactionRefused | StoreUnavailable => {
  if (cause instanceof TransactionRefused) return cause
  if (codeOf(cause) === "SQLITE_BUSY_SNAPSHOT") return refused("stale_snapshot", sentences.staleSnapshot)
  // The driver refuses a second statement while it iterates over the rows of the first.
  if (cause instanceof Error && cause.name === "TypeError" && cause.message.includes("busy executing a query"))
    return refused("connection_busy")
  return unavailable(cause)
}

const attempt = <A>(run: () => A): Effect.Effect<A, TransactionRefused | StoreUnavailable> =>
  Effect.try({ try: run, catch: failureOf })

/** Throws unless the main file of the connection is the file of the store. */
const checkFile = ({ statement }: Prepared, identity: FileIdentity): void => {
  const databases = statement("PRAGMA database_list").all() as ReadonlyArray<{
    readonly name: string
    readonly file: string
  }>
  const file = databases.find(({ name }) => name === "main")?.file ?? ""
  if (file === "") throw refused("not_durable", sentences.inMemory)
  if (!isSameIdentity(fileIdentityOf(file), identity)) throw refused("other_file")
}

/** Throws unless the `COMMIT` of the product will be synced. Read after a write, because SQLite reports another value before the first one. */
const checkDurable = ({ statement }: Prepared): void => {
  const setting = (name: string): unknown => statement(`PRAGMA ${name}`).pluck().get()
  if (setting("journal_mode") !== "wal") throw refused("not_durable", sentences.journal)
  if (Number(setting("synchronous")) < synchronousFull) throw refused("not_durable", sentences.synchronous)
}

const checkSqlite = ({ statement }: Prepared): void => {
  if (isOldVersion(statement("SELECT sqlite_version()").pluck().get() as unknown as string))
    throw refused("not_durable", sentences.oldSqlite)
}

/** Runs in a savepoint, which is undone when it throws or when `isKept` refuses the result. */
const inSavepoint = <A>({ database, statement }: Prepared, run: () => A, isKept: (result: A) => boolean): A => {
  statement(`SAVEPOINT ${writeSavepoint}`).run()
  let keep = false
  try {
    const result = run()
    keep = isKept(result)
    return result
  } finally {
    endSavepoint(database, statement, writeSavepoint, keep)
  }
}

/** Some errors have already ended the transaction, and its savepoints with it. */
const endSavepoint = (database: Database, statement: Prepared["statement"], name: string, keep: boolean): void => {
  if (!database.inTransaction) return
  if (!keep) statement(`ROLLBACK TO ${name}`).run()
  statement(`RELEASE ${name}`).run()
}

const joinedStore = (connection: Prepared, capabilities: MailStoreShape["capabilities"]): MailStoreShape => {
  const run = <W extends Write>(write: W) =>
    Effect.suspend((): Effect.Effect<WriteResults[W["_tag"]], Conflict | StoreUnavailable> => {
      const written = inSavepoint(
        connection,
        () => runWrite(connection, write),
        (result) => !("refused" in result)
      )
      return exitOf(write, written)
    })
  /** The failures of SQLite itself. A transaction that was refused is refused before the first write. */
  const caught = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | StoreUnavailable> =>
    Effect.catchDefect(effect, (cause) => {
      const failure = failureOf(cause)
      if (failure._tag !== "StoreUnavailable") return Effect.die(cause)
      const { reason } = failure
      // A full disk, for example, undoes the whole transaction of the product and not only the statement.
      return Effect.fail(
        connection.database.inTransaction
          ? failure
          : new StoreUnavailable({ reason, cause, detail: `${failure.message} ${sentences.rolledBack}` })
      )
    })
  const write = <W extends Write>(one: W) =>
    caught(run(one)) as Effect.Effect<WriteResults[W["_tag"]], StoreUnavailable>
  return {
    capabilities,
    commit: (changes) => caught(run({ _tag: "Commit", changes })),
    claim: (claim) => write({ _tag: "Claim", claim }),
    claimEventDeliveries: (claim) => write({ _tag: "ClaimEventDeliveries", claim }),
    read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) =>
      caught(Effect.sync(() => queries.map((query) => answerQuery(connection, query)) as Answers<Qs>)),
    sweep: (sweep) => write({ _tag: "Sweep", sweep }),
    sweepMessages: (sweep) => write({ _tag: "SweepMessages", sweep }),
    commitsOfOtherProcesses: Stream.empty
  }
}

/** What the store knows of its file and of the connections of the product. */
export interface JoinDeps {
  readonly identity: FileIdentity
  readonly capabilities: MailStoreShape["capabilities"]
  readonly connections: ProductConnections
  /** Whether the store is open. */
  readonly isOpen: () => boolean
}

/** Makes `joinTransaction` of the store. */
export const makeJoinTransaction = ({ identity, capabilities, connections, isOpen }: JoinDeps) => {
  const preparedConnections = new WeakMap<Database, Prepared>()
  const preparedFor = (connection: Database): Prepared => {
    const existing = preparedConnections.get(connection)
    if (existing !== undefined) return existing
    const made = preparedOf(connection)
    preparedConnections.set(connection, made)
    return made
  }

  /** Sets the savepoint of the call. Its first write gets the write lock, and shows how the connection commits. */
  const begin = (connection: Database): Prepared => {
    const joined = preparedFor(connection)
    checkFile(joined, identity)
    connections.add(connection)
    const { database, statement } = joined
    checkSqlite(joined)
    if (statement("SELECT version FROM mailkeep_schema").pluck().get() !== (schemaVersion as unknown))
      throw refused("other_schema")
    statement(`SAVEPOINT ${callSavepoint}`).run()
    try {
      statement("UPDATE mailkeep_schema SET version = version").run()
      checkDurable(joined)
      return joined
    } catch (cause) {
      endSavepoint(database, statement, callSavepoint, false)
      throw cause
    }
  }

  return (connection: unknown): Effect.Effect<JoinedTransaction, TransactionRefused | StoreUnavailable> => {
    if (!isOpen()) return Effect.fail(new StoreUnavailable({ reason: "closed" }))
    if (isForeignConnection(connection)) return Effect.fail(refused("not_durable", `${foreignConnectionSentence}.`))
    if (!isProductConnection(connection)) return Effect.fail(refused("not_a_connection", sentences.notAConnection))
    if (!connection.inTransaction)
      return Effect.fail(refused("no_transaction", connection.open ? sentences.noTransaction : sentences.closed))
    return Effect.map(
      attempt(() => begin(connection)),
      (joined) => ({
        store: joinedStore(joined, capabilities),
        transactionEnded: untilTransactionEnd(connection),
        end: (keep) =>
          Effect.catchTag(
            attempt(() => endSavepoint(joined.database, joined.statement, callSavepoint, keep)),
            "TransactionRefused",
            Effect.die
          )
      })
    )
  }
}
