/**
 * Runs statements on connections of a pool. Nothing of the session is kept behind a pooler, so that it may give each transaction another connection
 * of the server. Without a pooler, the server keeps the statements that are sent often. Source: decision 0093.
 */
import { clearInterval, setInterval } from "node:timers"
import type { Pool, PoolClient } from "pg"
import pg from "pg"
import type { ProductClient } from "./driverClient.ts"
import { BinaryValues, inOneWrite, isDirect } from "./driverClient.ts"
import type { OldPlans } from "./oldPlans.ts"
import type { Sent } from "./sendTogether.ts"
import { canSendTogether, inGroups } from "./sendTogether.ts"
import { makeSilenceLimit, silentMillisDefault } from "./silentServer.ts"
import {
  isAfterFailure,
  isAnswer,
  isConnectionLost,
  isStandby,
  isStandbyGivenUp,
  isUnknownName,
  markOfConnecting,
  markOfDriver,
  poolEnded,
  StandbyGivenUp
} from "./sqlStates.ts"
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
  [builtins.JSON]: (value) => JSON.parse(value) as unknown
}

const types = {
  getTypeParser: ((oid: number) => parsers[oid] ?? String) as typeof getTypeParser
}

/**
 * Sends a statement when the one before has ended, for a connection that is not pipelined. Unless the connection is shared, sends none behind a statement
 * that has failed without an answer of the server. After the `query_timeout` of a pool, the driver may not have sent it, and the server would commit the
 * others.
 */
const oneAfterTheOther = (client: ProductClient, isShared: boolean) => {
  let last: Promise<unknown> = Promise.resolve()
  let unanswered: { readonly cause: unknown } | undefined
  return (sent: Sent) => {
    const result = last.then(() => {
      if (unanswered !== undefined) throw unanswered.cause
      return client.query<object>(sent)
    })
    last = result.catch((cause: unknown) => {
      if (!isShared && !isAnswer(cause)) unanswered = { cause }
    })
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
  /** Statements of the product can come between those of the store. */
  readonly isShared?: boolean
}

/** Makes statements return the values of the store, whatever the product has chosen for its own. */
export const connectionOf = (
  client: ProductClient,
  { names, limited = (answer) => answer, isShared = false }: ConnectionUse = {}
): Connection => {
  const alone = client.pipeline ? (sent: Sent) => client.query<object>(sent) : oneAfterTheOther(client, isShared)
  const send = isShared && canSendTogether(client) ? inGroups(client) : alone
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

/** Throws when the server has ended a commit before its standby had it. The commit is kept, and a failover can lose it: its result is unknown. */
const watchStandby = (client: PoolClient) => {
  let isGivenUp = false
  const onNotice = (notice: object) => {
    if (isStandbyGivenUp(notice)) isGivenUp = true
  }
  client.on("notice", onNotice)
  return {
    check: () => {
      if (isGivenUp) throw markOfDriver(new StandbyGivenUp())
    },
    stop: () => client.removeListener("notice", onNotice)
  }
}

/** Without a listener, the loss of a connection would end the process. The statement under way fails with the same error. */
const ignoreLoss = () => {}

/** How often it is looked whether the pool was ended. */
const endedPollMillis = 1000

/**
 * Takes a connection of the pool. A pool that was ended gives none to those that wait already, and does not say so. Listens before the driver reads the
 * next message, which can be the end of the connection.
 */
const connect = (pool: Pool): Promise<PoolClient> =>
  new Promise((resolve, reject) => {
    let isWaiting = true
    const giveUp = (cause: unknown) => {
      isWaiting = false
      clearInterval(poll)
      reject(markOfConnecting(cause) as Error)
    }
    const poll = setInterval(() => {
      if (pool.ending) giveUp(new Error(poolEnded))
    }, endedPollMillis).unref()
    try {
      pool.connect((cause, client) => {
        if (client === undefined) return giveUp(cause)
        if (!isWaiting) return client.release(true)
        clearInterval(poll)
        client.on("error", ignoreLoss)
        resolve(client)
      })
    } catch (cause) {
      // For each new connection, the driver reads the files of certificates that the URL names.
      giveUp(cause)
    }
  })

/**
 * Whether the product has released the client in a transaction, as far as the driver knows: a `COMMIT` of the product can be under way. Older drivers
 * do not know.
 */
const isInTransaction = (client: ProductClient): boolean => ["T", "E"].includes(client.getTransactionStatus?.() ?? "I")

/**
 * `silentMillisMax` is how long the server may be silent while a statement waits for it. Without `oldPlans`, the server keeps its plans until it has new
 * statistics.
 */
export const makeDatabase = (pool: Pool, silentMillisMax = silentMillisDefault, oldPlans?: OldPlans): Database => {
  const names = makeStatementNames()
  const direct = new WeakMap<PoolClient, boolean>()
  return {
    use: async (run) => {
      const client = await connect(pool)
      let hasFailed = false
      let isLost = false
      const limited = makeSilenceLimit(client, silentMillisMax)
      const standby = watchStandby(client)
      try {
        if ((client as ProductClient).binary === true) throw new BinaryValues()
        // Otherwise a commit would keep what the product has not committed, or would fail. Follows what the product has sent.
        if (isInTransaction(client)) await limited(client.query("ROLLBACK")).catch(fail)
        if (!direct.has(client)) direct.set(client, await limited(isDirect(client)).catch(fail))
        const isDirectClient = direct.get(client)
        if (isDirectClient) await oldPlans?.discard(client, limited).catch(fail)
        const result = await run(connectionOf(client, { names: isDirectClient ? names : undefined, limited }))
        standby.check()
        return result
      } catch (cause) {
        hasFailed = true
        isLost = isConnectionLost(cause) || isStandby(cause)
        throw cause
      } finally {
        standby.stop()
        const status = (client as ProductClient).getTransactionStatus?.()
        // An older driver does not know whether a failure has left the connection in a transaction.
        const isClosed = isLost || (status === undefined ? hasFailed : status !== "I")
        // A connection that is closed can still receive the reason from the server.
        if (!isClosed) client.removeListener("error", ignoreLoss)
        client.release(isClosed)
      }
    }
  }
}

/** Waits for all results, because a statement that is sent later must not follow the end of the transaction. Fails with the first failure. */
export const settleAll = async <const P extends ReadonlyArray<unknown>>(
  results: P
): Promise<{ readonly [I in keyof P]: Awaited<P[I]> }> => {
  const settled = await Promise.allSettled(results)
  const failures = settled.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []))
  if (failures.length > 0) throw failures.find((cause) => !isAfterFailure(cause)) ?? failures[0]
  return settled.map((one) => (one as PromiseFulfilledResult<unknown>).value) as {
    readonly [I in keyof P]: Awaited<P[I]>
  }
}
