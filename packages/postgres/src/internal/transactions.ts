/**
 * The transactions of the store, or its savepoints in a transaction of the product.
 */
import type { Connection, Database } from "./database.ts"
import { settleAll } from "./database.ts"

/** The statements around a transaction. */
interface Boundary {
  /** For a savepoint one statement each, so that they can be sent together with those behind. */
  readonly begin: ReadonlyArray<string>
  readonly keep: string
  readonly undo: string
}

/** The setting of a transaction of `inWriteTransaction` or `writeAtOnce`. It ends with the transaction. */
const writes = "SET LOCAL mailkeep.writes = 'on'"

/**
 * An SQL condition: the statement runs in a transaction that writes. A statement that is sent together with the one that begins must write only under this
 * condition. When the server refuses to begin, for example because a late request to cancel arrives, the statements behind run by themselves.
 * Source: decision 0099.
 */
export const isInWriteTransaction = "current_setting('mailkeep.writes', true) = 'on'"

/** Each statement sees what was committed before it began, also where the database or the role has another default. Source: decision 0072. */
const begin = "BEGIN ISOLATION LEVEL READ COMMITTED"

/**
 * A lock that is not free in time fails the transaction. The server ends a transaction whose process does not run. It also sends its warnings, by which the
 * store learns that the server has not waited for its standby.
 */
const beginWith = (lockTimeout: string): string =>
  `${begin}; SET LOCAL lock_timeout = '${lockTimeout}'; SET LOCAL idle_in_transaction_session_timeout = '15s'; SET LOCAL client_min_messages = warning`

const boundaryOf = ({ savepoint }: Database, begin: string): Boundary =>
  savepoint === undefined
    ? { begin: [begin], keep: "COMMIT", undo: "ROLLBACK" }
    : {
        begin: [`SAVEPOINT ${savepoint}`, writes],
        keep: `RELEASE SAVEPOINT ${savepoint}`,
        undo: `ROLLBACK TO SAVEPOINT ${savepoint}; RELEASE SAVEPOINT ${savepoint}`
      }

/** The result of a transaction, and whether it is kept. */
interface Ending<A> {
  readonly value: A
  readonly isKept: boolean
}

/** What runs in a transaction. */
type Run<A> = (connection: Connection) => Promise<Ending<A>>

const sendBegin = (connection: Connection, { begin }: Boundary) => settleAll(begin.map((sql) => connection.query(sql)))

/** Begins a transaction, and then runs `run` in it. */
const inTransaction = <A>(database: Database, begin: string, run: Run<A>): Promise<A> =>
  database.use(async (connection) => {
    const boundary = boundaryOf(database, begin)
    await sendBegin(connection, boundary)
    try {
      const { value, isKept } = await run(connection)
      await connection.query(isKept ? boundary.keep : boundary.undo)
      return value
    } catch (cause) {
      await connection.query(boundary.undo).catch(() => undefined)
      throw cause
    }
  })

/**
 * Sends a whole transaction at once, its beginning and its end too. So it keeps no lock while it waits for this process. `send` does not throw, and
 * sends all statements before it returns. Statements that write have the condition `isInWriteTransaction`, or are one statement that may also run by
 * itself.
 */
const atOnce = <A>(database: Database, begin: string, send: (connection: Connection) => Promise<A>): Promise<A> =>
  database.use(async (connection) => {
    const boundary = boundaryOf(database, begin)
    const began = sendBegin(connection, boundary)
    const value = send(connection)
    const ended = connection.query(boundary.keep)
    try {
      const [, result] = await settleAll([began, value, ended])
      return result
    } catch (cause) {
      // The end of a transaction that has failed undoes it. A savepoint must be undone by itself.
      if (database.savepoint !== undefined) await connection.query(boundary.undo).catch(() => undefined)
      throw cause
    }
  })

/**
 * The server makes the plan of a statement for all values, and keeps it. A plan for the values of one call can be worse, because the statistics may not
 * know yet that a project has many rows.
 */
const forAllValues = "SET LOCAL plan_cache_mode = force_generic_plan"

/** The price of a plan that the settings below avoid is so high that the server would compile the plan where it cannot avoid it. */
const uncompiled = "SET LOCAL jit = off"

/**
 * The server reads rows in the order of an index, and stops at the end of the page. Without this, it can read and sort all rows of a project of which its
 * statistics do not know yet.
 */
const byOrder = "SET LOCAL enable_sort = off"

/**
 * Every statement of a commit finds its rows by a key, whatever the values are. Without this, the server can choose a plan that reads the whole
 * table while the table is small, and keep it. A table of one row has no index.
 */
const byKey = `${forAllValues}; SET LOCAL enable_seqscan = off; ${uncompiled}`

/** How long a transaction that writes waits for each lock. */
export type LockWait = "1s" | "5s"

const beginWrite = (lockWait: LockWait): string => `${beginWith(lockWait)}; ${writes}; ${byKey}`

/** Runs `run` in one transaction that writes. Each statement sees what was committed before the statement began. */
export const inWriteTransaction = <A>(database: Database, run: Run<A>, lockWait: LockWait = "5s"): Promise<A> =>
  inTransaction(database, beginWrite(lockWait), run)

/** Sends one transaction that writes. Its statements have the condition `isInWriteTransaction`. */
export const writeAtOnce = <A>(
  database: Database,
  send: (connection: Connection) => Promise<A>,
  lockWait: LockWait
): Promise<A> => atOnce(database, beginWrite(lockWait), send)

/**
 * Runs one statement that finds rows by a key or reads them in an order. Sends all of its transaction at once. The transaction of a product keeps its own
 * settings.
 */
export const readAtOnce = <Row extends object>(
  database: Database,
  sql: string,
  values: ReadonlyArray<unknown>,
  plan: "for all values" | "for these values"
): Promise<ReadonlyArray<Row>> => {
  const isForAll = plan === "for all values"
  const send = (connection: Connection) =>
    isForAll ? connection.prepared<Row>(sql, values) : connection.query<Row>(sql, values)
  if (database.savepoint !== undefined) return database.use(send)
  const beginning = [`${begin} READ ONLY`, ...(isForAll ? [forAllValues] : []), byOrder, uncompiled].join("; ")
  return atOnce(database, beginning, send)
}

/** Runs one statement of a claim: it reads rows in an order, marks rows, or does both. */
export const markInOrder = <Row extends object>(
  database: Database,
  sql: string,
  values: ReadonlyArray<unknown>
): Promise<ReadonlyArray<Row>> =>
  atOnce(database, `${beginWith("5s")}; ${byKey}; ${byOrder}`, ({ prepared }) => prepared<Row>(sql, values))

/** PostgreSQL 17 and newer have the second limit. */
const withoutLimits =
  "SELECT set_config(name, '0', true) FROM pg_catalog.pg_settings WHERE name IN ('statement_timeout', 'transaction_timeout')"

/**
 * Runs `run` in one transaction that changes tables. Statements of others wait behind its locks, so it waits less than they do. A limit that an operator
 * has set for statements or for transactions would cancel a new index of a large table each time.
 */
export const inMigrationTransaction = <A>(database: Database, run: Run<A>): Promise<A> =>
  inTransaction(database, `${beginWith("500ms")}; ${withoutLimits}`, run)
