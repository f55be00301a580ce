/**
 * Runs statements on connections of a pool. Nothing of the session is kept behind a pooler, so that it may give each transaction another connection
 * of the server. Without a pooler, the server keeps the statements that are sent often. Source: decision 0093.
 */
import type { Pool, PoolClient } from "pg"
import pg from "pg"
import type { ProductClient } from "./driverClient.ts"
import { inOneWrite, isDirect } from "./driverClient.ts"
import { makeSilenceLimit, silentMillisDefault } from "./silentServer.ts"
import { isAfterFailure, isConnectionLost, isStandby, isUnknownName, markOfDriver } from "./sqlStates.ts"
import type { StatementNames } from "./statementNames.ts"
import { makeStatementNames } from "./statementNames.ts"

/** One connection of the pool, until `use` ends. */
export interface Connection {
  /**
   * Sends one statement and returns its rows. Statements run in the order of the calls, so a caller need not wait for one before it sends the
   * next. Each promise must be awaited, also after another one has failed.
   */
  readonly query: Query
  /** The same for a statement that is sent often, and finds its rows by an index whatever the values are. The server can keep its plan. */
  readonly prepared: Query
}

type Query = <Row extends object>(sql: string, values?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<Row>>

export interface Database {
  /** Takes a connection of the pool for the time of `run`. A connection that was lost, leads to a standby or is left in a transaction is closed afterwards. */
  readonly use: <A>(run: (connection: Connection) => Promise<A>) => Promise<A>
  /** The connection is in a transaction of the product, so each transaction of the store is a savepoint with this name. */
  readonly savepoint?: string
}

const { builtins, getTypeParser } = pg.types

/** How values are read, whatever parsers the product has registered for its own connections. All integers of the store are safe in a number. */
const parsers: Readonly<Record<number, (value: string) => unknown>> = {
  [builtins.INT8]: Number,
  [builtins.INT4]: Number,
  [builtins.BOOL]: (value) => value === "t",
  [builtins.JSON]: (value) => JSON.parse(value) as unknown,
  // The `bytea` of this module is a copy, because the driver reads into one buffer for many rows.
  [builtins.BYTEA]: (value) => new Uint8Array(Buffer.from(value.slice(2), "hex"))
}

const types = {
  getTypeParser: ((oid: number) => parsers[oid] ?? String) as typeof getTypeParser
}

/** A statement as the driver takes it. */
interface Sent {
  readonly text: string
  readonly values: Array<unknown>
  readonly types: typeof types
  readonly name?: string
}

/** Sends a statement when the one before has ended, for a connection that is not pipelined. */
const oneAfterTheOther = (client: ProductClient) => {
  let last: Promise<unknown> = Promise.resolve()
  return (sent: Sent) => {
    const result = last.then(() => client.query<object>(sent))
    last = result.catch(() => undefined)
    return result
  }
}

const fail = (cause: unknown): never => {
  throw markOfDriver(cause)
}

/** How the store uses a connection. */
interface ConnectionUse {
  /** Absent unless the server behind the connection always is the same. */
  readonly names?: StatementNames | undefined
  /** Every answer passes it. Absent for a connection of the product, which the store does not close. */
  readonly limited?: ReturnType<typeof makeSilenceLimit>
}

/** Makes statements return the values of the store, whatever the product has chosen for its own. */
export const connectionOf = (
  client: ProductClient,
  { names, limited = (answer) => answer }: ConnectionUse = {}
): Connection => {
  const send = client.pipeline ? (sent: Sent) => client.query<object>(sent) : oneAfterTheOther(client)
  const beginWrite = inOneWrite(client)
  const failNamed = (cause: unknown): never => {
    if (isUnknownName(cause)) names?.stop()
    return fail(cause)
  }
  const run = async <Row extends object>(sql: string, values: ReadonlyArray<unknown>, name?: string) => {
    const sent = { text: sql, values: [...values], types, ...(name === undefined ? {} : { name }) }
    beginWrite()
    const result = await limited(send(sent)).catch(failNamed)
    return result.rows as ReadonlyArray<unknown> as ReadonlyArray<Row>
  }
  return {
    query: (sql, values = []) => run(sql, values),
    prepared: (sql, values = []) => run(sql, values, names?.nameOf(sql))
  }
}

/** Without a listener, the loss of a connection would end the process. The statement under way fails with the same error. */
const ignoreLoss = () => {}

/** Listens before the driver reads the next message, which can be the end of the connection. */
const connect = (pool: Pool): Promise<PoolClient> =>
  new Promise((resolve, reject) => {
    pool.connect((cause, client) => {
      if (client === undefined) return reject(markOfDriver(cause) as Error)
      client.on("error", ignoreLoss)
      resolve(client)
    })
  })

/** `silentMillisMax` is how long the server may be silent while a statement waits for it. */
export const makeDatabase = (pool: Pool, silentMillisMax = silentMillisDefault): Database => {
  const names = makeStatementNames()
  const direct = new WeakMap<PoolClient, boolean>()
  return {
    use: async (run) => {
      const client = await connect(pool)
      let isLost = false
      const limited = makeSilenceLimit(client, silentMillisMax)
      try {
        if (!direct.has(client)) direct.set(client, await limited(isDirect(client)).catch(fail))
        return await run(connectionOf(client, { names: direct.get(client) ? names : undefined, limited }))
      } catch (cause) {
        isLost = isConnectionLost(cause) || isStandby(cause)
        throw cause
      } finally {
        const isClosed = isLost || client.getTransactionStatus() !== "I"
        // A connection that is closed can still receive the reason from the server.
        if (!isClosed) client.removeListener("error", ignoreLoss)
        client.release(isClosed)
      }
    }
  }
}

/** Waits for all results, because a statement that is sent later must not follow the end of the transaction. Fails with the first failure. */
export const settleAll = async <A>(results: ReadonlyArray<Promise<A> | A>): Promise<ReadonlyArray<A>> => {
  const settled = await Promise.allSettled(results)
  const failures = settled.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []))
  if (failures.length > 0) throw failures.find((cause) => !isAfterFailure(cause)) ?? failures[0]
  return settled.map((one) => (one as PromiseFulfilledResult<A>).value)
}

/** The result of a transaction, and whether it is kept. */
interface Ending<A> {
  /** May wait for statements that are already sent. The end of the transaction is sent at once behind them. */
  readonly value: A | Promise<A>
  readonly isKept: boolean
}

/** What runs in a transaction. When it returns no promise, the whole transaction is sent without waiting for anything. */
type Run<A> = (connection: Connection) => Ending<A> | Promise<Ending<A>>

/** The statements around a transaction, or around a savepoint in the transaction of the product. */
const boundaryOf = ({ savepoint }: Database, begin: string) =>
  savepoint === undefined
    ? { begin, keep: "COMMIT", undo: "ROLLBACK" }
    : {
        begin: `SAVEPOINT ${savepoint}`,
        keep: `RELEASE SAVEPOINT ${savepoint}`,
        undo: `ROLLBACK TO SAVEPOINT ${savepoint}; RELEASE SAVEPOINT ${savepoint}`
      }

/** Runs `run` in one transaction. Sends its first statement together with the one that begins. */
const inTransaction = <A>(database: Database, begin: string, run: Run<A>): Promise<A> =>
  database.use(async (connection) => {
    const boundary = boundaryOf(database, begin)
    const began = connection.query(boundary.begin)
    let isEnded = false
    try {
      const running = run(connection)
      const { value, isKept } =
        running instanceof Promise ? ((await settleAll<unknown>([running, began]))[0] as Ending<A>) : running
      const ended = connection.query(isKept ? boundary.keep : boundary.undo)
      // The end of a transaction that has failed undoes it. A savepoint must be undone first.
      isEnded = database.savepoint === undefined
      return (await settleAll<unknown>([value, began, ended]))[0] as A
    } catch (cause) {
      if (!isEnded) await connection.query(boundary.undo).catch(() => undefined)
      throw cause
    }
  })

/** Each statement sees what was committed before it began, also where the database or the role has another default. Source: decision 0072. */
const begin = "BEGIN ISOLATION LEVEL READ COMMITTED"

/** A lock that is not free in time fails the transaction. The server ends a transaction whose process does not run. */
const beginWith = (lockTimeout: string): string =>
  `${begin}; SET LOCAL lock_timeout = '${lockTimeout}'; SET LOCAL idle_in_transaction_session_timeout = '15s'`

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

/** Runs `run` in one transaction that writes. Each statement sees what was committed before the statement began. */
export const inWriteTransaction = <A>(database: Database, run: Run<A>): Promise<A> =>
  inTransaction(database, `${beginWith("5s")}; ${byKey}`, run)

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
  return inTransaction(database, beginning, (connection) => ({ value: send(connection), isKept: true }))
}

/** Runs one statement of a claim: it reads rows in an order, marks rows, or does both. Sends all of its transaction at once. */
export const markInOrder = <Row extends object>(
  database: Database,
  sql: string,
  values: ReadonlyArray<unknown>
): Promise<ReadonlyArray<Row>> =>
  inTransaction(database, `${beginWith("5s")}; ${byKey}; ${byOrder}`, (connection) => ({
    value: connection.prepared<Row>(sql, values),
    isKept: true
  }))

/** Runs `run` in one transaction that changes tables. Statements of others wait behind its locks, so it waits less than they do. */
export const inMigrationTransaction = <A>(database: Database, run: Run<A>): Promise<A> =>
  inTransaction(database, beginWith("500ms"), run)
