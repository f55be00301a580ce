/**
 * A store over `node:sqlite`, written with plain async functions. Each commit is one transaction with one disk sync.
 * Several processes may share the file.
 */
import { closeSync, openSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { setInterval as ticks, setTimeout as pause } from "node:timers/promises"
import type { Change, PromiseStore } from "@mailkeep/core/adapter"
import { storeFromPromises, StoreNotOpened, StoreUnavailable } from "@mailkeep/core/adapter"
import { answerQuery } from "./answerQuery.ts"
import { applyChange } from "./applyChange.ts"
import { claim, claimEventDeliveries, sweep } from "./claims.ts"
import { sweepMessages } from "./contents.ts"
import type { RecordTables } from "./records.ts"
import { recordTables, schema } from "./records.ts"

type Reason = Extract<StoreUnavailable["reason"], StoreNotOpened["reason"]>

/** The result codes of SQLite that do not mean a bug. */
const reasons: Readonly<Record<number, Reason>> = { 5: "locked", 6: "locked", 8: "read_only", 13: "full" }
const unreachable: ReadonlySet<number> = new Set([10, 11, 14])
const notADatabase = 26

const codeOf = (cause: unknown): number =>
  cause instanceof Error && "errcode" in cause ? Number(cause.errcode) & 0xff : 0

const reasonOf = (cause: unknown): Reason | undefined =>
  unreachable.has(codeOf(cause)) ? "unreachable" : reasons[codeOf(cause)]

const lockMillisMax = 5000

/** Tries again while another process has the lock, without blocking the event loop. */
const whenUnlocked = async <A>(attempt: () => A): Promise<A> => {
  for (let waited = 0, next = 2; ; waited += next, next = Math.min(50, next * 2)) {
    try {
      return attempt()
    } catch (cause) {
      if (reasonOf(cause) !== "locked" || waited >= lockMillisMax) throw cause
      await pause(next)
    }
  }
}

const schemaVersion = 1
const synchronousFull = 2

const pragma = (database: DatabaseSync, name: string): unknown =>
  Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]

/** Runs `work` in one transaction. Rolls back if `work` throws, or if `keeps` refuses its answer. */
const transaction = <A>(database: DatabaseSync, begin: string, work: () => A, keeps: (answer: A) => boolean): A => {
  database.exec(begin)
  try {
    const answer = work()
    database.exec(keeps(answer) ? "COMMIT" : "ROLLBACK")
    return answer
  } catch (cause) {
    if (database.isTransaction) database.exec("ROLLBACK")
    throw cause
  }
}

const openOnce = (filename: string): DatabaseSync => {
  // Only the owner may read a new file.
  closeSync(openSync(filename, "a", 0o600))
  const database = new DatabaseSync(filename, { timeout: 0 })
  try {
    if (Number(pragma(database, "user_version")) > schemaVersion)
      throw new StoreNotOpened({ reason: "newer_schema", where: filename })
    database.exec("PRAGMA journal_mode = WAL")
    database.exec("PRAGMA synchronous = FULL")
    const create = () => database.exec(`${schema}; PRAGMA user_version = ${schemaVersion}`)
    transaction(database, "BEGIN IMMEDIATE", create, () => true)
    // SQLite reports the true setting only after a write.
    if (pragma(database, "journal_mode") !== "wal" || pragma(database, "synchronous") !== synchronousFull)
      throw new StoreNotOpened({ reason: "not_durable", where: filename })
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

/** Applies all changes in order. Returns the first guard that does not hold. */
const commit = (tables: RecordTables, changes: ReadonlyArray<Change>) => {
  for (const [at, change] of changes.entries()) {
    const reason = applyChange(tables, change)
    if (reason !== undefined) return { at, reason }
  }
  return undefined
}

/** Calls `listener` when another process has committed, at most a second later. */
const watch = async (
  database: DatabaseSync,
  openedVersion: unknown,
  listener: () => void,
  signal: AbortSignal
): Promise<void> => {
  let seen = openedVersion
  for await (const _ of ticks(1000, undefined, { signal, ref: false })) {
    const version = pragma(database, "data_version")
    if (version !== seen) listener()
    seen = version
  }
}

const open = async (filename: string): Promise<PromiseStore> => {
  const database = await whenUnlocked(() => openOnce(filename)).catch((cause: unknown) => {
    if (cause instanceof StoreNotOpened) throw cause
    const reason = codeOf(cause) === notADatabase ? "not_a_database" : (reasonOf(cause) ?? "unreachable")
    throw new StoreNotOpened({ reason, where: filename, cause })
  })
  const tables = recordTables(database)
  // A commit of another process before the first listener counts too.
  const openedVersion = pragma(database, "data_version")

  const inOneState = async <A>(begin: string, work: () => A, keeps: (answer: A) => boolean = () => true) => {
    try {
      return await whenUnlocked(() => {
        if (!database.isOpen) throw new StoreUnavailable({ reason: "closed" })
        return transaction(database, begin, work, keeps)
      })
    } catch (cause) {
      const reason = reasonOf(cause)
      throw reason === undefined ? cause : new StoreUnavailable({ reason, cause })
    }
  }
  const write = <A>(work: () => A, keeps?: (answer: A) => boolean) => inOneState("BEGIN IMMEDIATE", work, keeps)

  return {
    capabilities: { durable: true, multiProcess: true },
    commit: (changes) =>
      write(
        () => commit(tables, changes),
        (refused) => refused === undefined
      ),
    claim: (request) => write(() => claim(tables, request)),
    claimEventDeliveries: (request) => write(() => claimEventDeliveries(tables, request)),
    sweep: (request) => write(() => sweep(tables, request)),
    sweepMessages: (request) => write(() => sweepMessages(tables, request)),
    read: (queries) => inOneState("BEGIN", () => queries.map((query) => answerQuery(tables, query))),
    onCommitOfOtherProcess: (listener) => {
      const stop = new AbortController()
      // Ends when the listener leaves or the store is closed.
      watch(database, openedVersion, listener, stop.signal).catch(() => {})
      return () => stop.abort()
    },
    close: async () => database.close()
  }
}

/** Opens the store in this file, which is created if it does not exist. */
export const layer = (filename: string) => storeFromPromises(() => open(filename))
