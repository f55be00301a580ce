/**
 * The store for many processes and machines: the tables of one schema of a PostgreSQL database. Many commits share one transaction. Everything
 * works through a pooler that gives each transaction another connection of the server.
 */
import type { Answers, MailStoreShape, Query, StoreNotOpened } from "@mailkeep/core/adapter"
import { MailStore, StoreUnavailable } from "@mailkeep/core/adapter"
import { Context, Effect, Latch, Layer } from "effect"
import type { Scope } from "effect"
import type { Pool } from "pg"
import { makeClaims } from "./internal/claim/claims.ts"
import { makeSweepMessages } from "./internal/claim/messageSweep.ts"
import { makeSweep } from "./internal/claim/sweep.ts"
import { databaseIdentity } from "./internal/joinConditions.ts"
import { makeJoinTransaction } from "./internal/joinedTransaction.ts"
import { makeNotifications, noNotifications } from "./internal/notifications.ts"
import { clientConfigOf, openPool } from "./internal/openPool.ts"
import { migrateTables, openTables, quotedSchema } from "./internal/openTables.ts"
import { makeCommitCount, makeOtherCommits } from "./internal/otherCommits.ts"
import { checkPartitions } from "./internal/partitions.ts"
import { answerQueries } from "./internal/read/answerQueries.ts"
import { makeGroupRead } from "./internal/read/groupRead.ts"
import { attemptRead, attemptWrite } from "./internal/runStatements.ts"
import { makeCommitGroup } from "./internal/write/commitGroup.ts"
import { makeCommitTransactions } from "./internal/write/commitTransactions.ts"
import type { GroupCounts } from "./internal/write/groupCommit.ts"
import { makeGroupCommit } from "./internal/write/groupCommit.ts"

/** Where the tables are, and what the store does when it opens. */
interface CommonOptions {
  /** The schema of the tables. Its name has 1 to 63 bytes. Default: `mailkeep`. */
  readonly schema?: string | undefined
  /**
   * Whether the store creates and migrates its tables when it opens. Default: `true`. Use `false` for a role that may only read and write, and run
   * `migrate` with the role that owns the schema.
   */
  readonly migrate?: boolean | undefined
  /**
   * Divides each large table into so many partitions by the hash of the project, from 2 to 64. Applies only when the tables are created, and cannot be
   * changed later. Existing tables stay as they are. Default: no partitions. Source: decision 0090.
   */
  readonly partitions?: number | undefined
  /**
   * Opens the store although the server acknowledges a commit before it is on the disk (`synchronous_commit` is `off` or `local`). Acknowledged
   * mail is then lost when the server crashes. Default: `false`.
   */
  readonly allowAsynchronousCommit?: boolean | undefined
  /**
   * Opens the store although `fsync` or `full_page_writes` is off, because the storage of the server keeps each commit in another way, as that of some
   * managed services does. On any other server, a power failure then loses mail and can damage the tables. Default: `false`.
   */
  readonly storageKeepsCommits?: boolean | undefined
  /**
   * Wakes the workers of other processes at once, by notifications on one more connection. Default: `false`, which finds their commits within 1 s.
   * This connection must reach the server directly: with a pooler, give the connection string of the server.
   */
  readonly listen?: boolean | string | undefined
}

/** The connections of the store. */
export type PostgresOptions = CommonOptions &
  (
    | {
        /**
         * The pool of the product. The store does not close it. Make it with `pipeline: true`, so that a commit does not wait for the network after
         * each statement. Commits use up to 3 connections at once.
         */
        readonly pool: Pool
      }
    | {
        /** The store opens its own pool, and closes it with its scope. */
        readonly connectionString: string
        /** The most connections of this pool, at least 1. Default: 10. */
        readonly connectionsMax?: number | undefined
      }
  )

/** A store with the numbers that only PostgreSQL has. */
export interface PostgresMailStoreShape extends MailStoreShape {
  /** The groups of this process, and the commits in them. */
  readonly groupCounts: () => GroupCounts
}

/** The schema of the tables when the options name none. */
export const defaultSchema = "mailkeep"

/**
 * Opens the store until the scope closes. Creates the tables if they do not exist. Fails with `StoreNotOpened` when the server cannot be reached,
 * can lose commits or is a standby. The same when the role lacks rights, and when the version of the tables does not fit.
 */
export const make = (options: PostgresOptions): Effect.Effect<PostgresMailStoreShape, StoreNotOpened, Scope.Scope> =>
  Effect.gen(function* () {
    const { schema: name = defaultSchema, migrate = true, listen = false } = options
    const { allowAsynchronousCommit = false, storageKeepsCommits = false } = options
    const { partitions } = options
    checkPartitions(partitions)
    const schema = quotedSchema(name)
    let isOpen = true
    const pool = yield* openPool(options)
    const database = yield* openTables(pool, {
      schema,
      migrate,
      allowAsynchronousCommit,
      storageKeepsCommits,
      partitions
    })
    const identity = yield* Effect.orElseSucceed(
      Effect.tryPromise(() => databaseIdentity(database)),
      () => null
    )
    yield* Effect.addFinalizer(() => Effect.sync(() => void (isOpen = false)))
    const hint = yield* Latch.make()
    const count = makeCommitCount(database, schema, !allowAsynchronousCommit)
    const notifications =
      listen === false
        ? noNotifications
        : yield* makeNotifications(listen === true ? clientConfigOf(pool) : { connectionString: listen }, schema, hint)
    const commitGroup = makeCommitGroup(makeCommitTransactions(database, schema, count.take), notifications.send)
    const claims = makeClaims(database, schema)
    const sweep = makeSweep(database, schema)
    const sweepMessages = makeSweepMessages(database, schema)
    const groupRead = makeGroupRead((queries, bodyBytesMax) => answerQueries(database, schema, queries, bodyBytesMax))
    const commitsOfOtherProcesses = yield* makeOtherCommits(count, hint)
    // Opened last, so that a close finishes the commits that wait before it closes the connections.
    const group = yield* makeGroupCommit(commitGroup)
    const capabilities = { durable: !allowAsynchronousCommit, multiProcess: true }
    const joinTransaction = yield* makeJoinTransaction({
      database,
      identity,
      schema,
      capabilities,
      count,
      notify: notifications.send,
      isOpen: () => isOpen
    })

    const whileOpen = <A>(effect: Effect.Effect<A, StoreUnavailable>): Effect.Effect<A, StoreUnavailable> =>
      Effect.suspend(() => (isOpen ? effect : Effect.fail(new StoreUnavailable({ reason: "closed" }))))

    return {
      capabilities,
      commit: group.commit,
      claim: (claim) => whileOpen(attemptWrite((signal) => claims.claim(claim, signal))),
      claimEventDeliveries: (claim) => whileOpen(attemptWrite((signal) => claims.claimEventDeliveries(claim, signal))),
      read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) =>
        whileOpen(attemptRead(() => groupRead(queries) as unknown as Promise<Answers<Qs>>)),
      sweep: (request) => whileOpen(attemptWrite(() => sweep(request))),
      sweepMessages: (request) => whileOpen(attemptWrite(() => sweepMessages(request))),
      commitsOfOtherProcesses,
      joinTransaction,
      groupCounts: group.counts
    }
  })

/**
 * Creates or migrates the tables and opens nothing. The connection belongs to the role that owns the schema. Several processes may migrate at once.
 * Programs of the older version continue, unless a step is breaking: then their writes fail. Of the options, only the connection, `schema` and
 * `partitions` have a meaning here. Fails as `make` does.
 */
export const migrate = (options: PostgresOptions): Effect.Effect<void, StoreNotOpened> => {
  const { partitions } = options
  return Effect.gen(function* () {
    checkPartitions(partitions)
    const schema = quotedSchema(options.schema ?? defaultSchema)
    const pool = yield* openPool(options)
    yield* migrateTables(pool, schema, { partitions })
  }).pipe(Effect.scoped)
}

/**
 * The service of this store, for values that only PostgreSQL has.
 *
 * @example
 * ```ts no-run It needs a server.
 * import { PostgresMailStore } from "@mailkeep/postgres"
 * import { Effect } from "effect"
 *
 * const program = Effect.map(PostgresMailStore.PostgresMailStore, (store) => store.groupCounts().writes)
 * const layer = PostgresMailStore.layer({ connectionString: "postgres://mail@localhost/product" })
 * console.log(await Effect.runPromise(Effect.provide(program, layer))) // 0
 * ```
 */
export class PostgresMailStore extends Context.Service<PostgresMailStore, PostgresMailStoreShape>()(
  "@mailkeep/postgres/PostgresMailStore"
) {}

/** Provides the store as `MailStore` and as `PostgresMailStore`. */
export const layer = (options: PostgresOptions): Layer.Layer<MailStore | PostgresMailStore, StoreNotOpened> =>
  Layer.effectContext(
    Effect.map(make(options), (store) => Context.make(MailStore, store).pipe(Context.add(PostgresMailStore, store)))
  )
