/**
 * Joins an open transaction of the product's own client to the database of the store. Source: decisions 0056 and 0079.
 */
import type { Answers, Change, JoinedTransaction, MailStoreShape, Query } from "@mailkeep/core/adapter"
import { StoreUnavailable, TransactionRefused } from "@mailkeep/core/adapter"
import { Effect, Exit, Semaphore, Stream } from "effect"
import type { Scope } from "effect"
import { makeClaims } from "./claim/claims.ts"
import { makeSweepMessages } from "./claim/messageSweep.ts"
import { makeSweep } from "./claim/sweep.ts"
import { clientOfCalls } from "./clientOfCalls.ts"
import type { Connection, Database } from "./database.ts"
import { connectionOf } from "./database.ts"
import type { ProductClient } from "./driverClient.ts"
import { BinaryValues } from "./driverClient.ts"
import { schemaVersion } from "./migrations.ts"
import type { CommitCount } from "./otherCommits.ts"
import { defectOf, unavailableOf } from "./postgresFailure.ts"
import { answerQueries } from "./read/answerQueries.ts"
import { attemptRead, attemptWrite } from "./runStatements.ts"
import { codeOf } from "./sqlStates.ts"
import { makeVersionCheck, NewerTables } from "./tableVersion.ts"
import { untilTransactionEnd, watchTransaction } from "./transactionEnd.ts"
import { makeCommitGroup } from "./write/commitGroup.ts"
import { makeCommitTransactions, noStep } from "./write/commitTransactions.ts"

/** Each is set inside the one before: for a call, and for a commit of it. */
const callSavepoint = "mailkeep_call"
const writeSavepoint = "mailkeep_write"

const refused = (reason: TransactionRefused["reason"], detail?: string): TransactionRefused =>
  new TransactionRefused({ reason, ...(detail === undefined ? {} : { detail }) })

const sentences = {
  notAClient: "Give the client of pg that has the open transaction, and not its pool.",
  noTransaction:
    "The client has no open transaction. Begin one with BEGIN on a client of the pool, and give the client and not the pool.",
  failed: "The transaction has failed. Roll it back and begin again.",
  otherDatabase: "The client belongs to another database than the store.",
  isolation:
    "The transaction must have the isolation level READ COMMITTED, so that the call sees what others have committed. Begin with BEGIN ISOLATION LEVEL READ COMMITTED.",
  asynchronous:
    "The transaction does not wait for the disk of the server (synchronous_commit). Set synchronous_commit to on for the transaction.",
  readOnly: "The transaction is read-only. Begin it with READ WRITE.",
  noRights: "The role of the client may not use the tables of the store. Grant it the rights of the guide.",
  notGranted:
    "The role may not call pg_control_system(), which says to which server the client belongs. Grant it the right to execute this function."
} as const

/** The conditions of a transaction, and what identifies its database. */
interface Facts {
  readonly identity: string
  readonly isolation: string
  readonly synchronous: string
  readonly readOnly: string
}

const factsSql = `SELECT (SELECT system_identifier::text FROM pg_control_system()) || '/' ||
(SELECT oid::text FROM pg_database WHERE datname = current_database()) AS identity,
current_setting('transaction_isolation') AS isolation, current_setting('synchronous_commit') AS synchronous,
current_setting('transaction_read_only') AS "readOnly"`

const factsOf = async (connection: Connection): Promise<Facts> => (await connection.query<Facts>(factsSql))[0]!

/** What no other database has: the server, and the number of the database on it. A role may lack the right to read it. */
export const databaseIdentity = (database: Database): Promise<string> =>
  database.use(async (connection) => (await factsOf(connection)).identity)

const refusalOf = ({ identity, isolation, synchronous, readOnly }: Facts, own: string, isSynced: boolean) => {
  if (identity !== own) return refused("other_file", sentences.otherDatabase)
  if (readOnly === "on") return refused("not_durable", sentences.readOnly)
  if (isolation !== "read committed") return refused("stale_snapshot", sentences.isolation)
  if (isSynced && (synchronous === "off" || synchronous === "local"))
    return refused("not_durable", sentences.asynchronous)
  return undefined
}

/** The failures of `SAVEPOINT`: outside of a transaction, and in a failed one. */
const beginRefusals: Readonly<Record<string, TransactionRefused>> = {
  "25P01": refused("no_transaction", sentences.noTransaction),
  "25P02": refused("no_transaction", sentences.failed)
}

/** The role has lost the right to call `pg_control_system()`, or never had it. */
const refuseWithoutIdentity = (cause: unknown): never => {
  throw codeOf(cause) === "42501" ? refused("not_supported", sentences.notGranted) : cause
}

/** The failure of the port. Throws the cause itself if it is a bug. */
const failureOf = (cause: unknown): TransactionRefused | StoreUnavailable => {
  if (cause instanceof TransactionRefused) return cause
  if (cause instanceof NewerTables) return refused("other_schema", `${cause.message}.`)
  if (codeOf(cause) === "42501") return refused("not_supported", sentences.noRights)
  const failure = unavailableOf(cause)
  if (failure === undefined) throw defectOf(cause)
  return failure
}

const isClient = (value: unknown): value is ProductClient =>
  typeof value === "object" &&
  value !== null &&
  "query" in value &&
  typeof value.query === "function" &&
  // A pool gives each statement another connection.
  !("totalCount" in value)

/** Whether the client is outside of a transaction. Older drivers do not know. */
const isIdle = (client: ProductClient): boolean => client.getTransactionStatus?.() === "I"

/** One connection whose users take turns: a commit in a savepoint must not contain a statement of another one. */
const joinedDatabase = (connection: Connection): Database => {
  let last: Promise<unknown> = Promise.resolve()
  return {
    savepoint: writeSavepoint,
    use: (run) => {
      const turn = last.then(() => run(connection))
      last = turn.catch(() => undefined)
      return turn
    }
  }
}

const joinedStore = (
  database: Database,
  { schema, capabilities }: Pick<JoinDeps, "schema" | "capabilities">,
  onCommitted: (changes: ReadonlyArray<Change>) => void
): MailStoreShape => {
  // The number of the commit is taken after the transaction has ended.
  const commitGroup = makeCommitGroup(makeCommitTransactions(database, schema, noStep), onCommitted)
  const claims = makeClaims(database, schema)
  const sweep = makeSweep(database, schema)
  const sweepMessages = makeSweepMessages(database, schema)
  return {
    capabilities,
    commit: (changes: ReadonlyArray<Change>) =>
      changes.length === 0 ? Effect.void : Effect.flatMap(commitGroup([changes]), ([exit]) => exit!),
    claim: (claim) => attemptWrite((signal) => claims.claim(claim, signal)),
    claimEventDeliveries: (claim) => attemptWrite((signal) => claims.claimEventDeliveries(claim, signal)),
    read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) =>
      attemptRead(() => answerQueries(database, schema, queries) as unknown as Promise<Answers<Qs>>),
    sweep: (request) => attemptWrite(() => sweep(request)),
    sweepMessages: (request) => attemptWrite(() => sweepMessages(request)),
    commitsOfOtherProcesses: Stream.empty
  }
}

/** What the store knows of its own database. */
export interface JoinDeps {
  readonly database: Database
  /**
   * That of `databaseIdentity`; `null` if it could not be read, so that the next call reads it or fails with the reason. It is read before a call,
   * because all connections of a shared pool can have transactions whose calls wait for it.
   */
  readonly identity: string | null
  /** The quoted name of the schema. */
  readonly schema: string
  readonly capabilities: MailStoreShape["capabilities"]
  readonly count: CommitCount
  /** Notifies other processes of changes that were committed. */
  readonly notify: (changes: ReadonlyArray<Change>) => void
  readonly isOpen: () => boolean
}

/** A client of the product. Kept with its statements, because making the texts of all statements takes longer than most calls. */
interface ClientState {
  readonly connection: Connection
  readonly beginCall: (isOver: () => boolean) => void
  /** The users of the connection within one call, one after the other. */
  readonly database: Database
  /** One call at a time. */
  readonly turns: Semaphore.Semaphore
  readonly store: MailStoreShape
  /** Returns the changes that the store has committed since the last time. */
  readonly takeChanges: () => Array<Change>
}

/** Makes `joinTransaction` of the store. After the transaction of a client has ended, notifies other processes, until the scope closes. */
export const makeJoinTransaction = (
  deps: JoinDeps
): Effect.Effect<NonNullable<MailStoreShape["joinTransaction"]>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { database, schema, capabilities, count, notify, isOpen } = deps
    let { identity } = deps
    const scope = yield* Effect.scope
    const versionCheck = makeVersionCheck(schema, schemaVersion)
    const clients = new WeakMap<ProductClient, ClientState>()
    /** What the open transaction of each client has written. */
    const written = new WeakMap<ProductClient, Array<Change>>()

    const clientState = (client: ProductClient): ClientState => {
      const existing = clients.get(client)
      if (existing !== undefined) return existing
      const calls = clientOfCalls(client)
      const connection = connectionOf(calls.client, { isShared: true })
      const own = joinedDatabase(connection)
      const changes: Array<Change> = []
      const made: ClientState = {
        connection,
        beginCall: calls.beginCall,
        database: own,
        turns: Semaphore.makeUnsafe(1),
        store: joinedStore(own, deps, (one) => changes.push(...one)),
        takeChanges: () => changes.splice(0)
      }
      clients.set(client, made)
      return made
    }

    const announceEnd = (client: ProductClient): Effect.Effect<void> =>
      Effect.gen(function* () {
        const changes = written.get(client) ?? []
        written.delete(client)
        yield* Effect.ignore(attemptWrite(() => database.use(count.take.run)))
        notify(changes)
      })

    const begin = async (client: ProductClient, connection: Connection): Promise<void> => {
      // Fails with the reason that the opening of the store could not read it.
      identity ??= await databaseIdentity(database).catch(refuseWithoutIdentity)
      if (isIdle(client)) throw beginRefusals["25P01"]!
      try {
        await connection.query(`SAVEPOINT ${callSavepoint}`)
      } catch (cause) {
        throw beginRefusals[codeOf(cause) ?? ""] ?? cause
      }
      try {
        const facts = await factsOf(connection).catch(refuseWithoutIdentity)
        const refusal = refusalOf(facts, identity, capabilities.durable)
        if (refusal !== undefined) throw refusal
        await versionCheck.run(connection)
      } catch (cause) {
        await endCall(connection, false)
        throw cause
      }
    }

    return (value: unknown): Effect.Effect<JoinedTransaction, TransactionRefused | StoreUnavailable> => {
      if (!isOpen()) return Effect.fail(new StoreUnavailable({ reason: "closed" }))
      if (!isClient(value)) return Effect.fail(refused("not_a_connection", sentences.notAClient))
      if (value.binary === true) return Effect.fail(refused("not_a_connection", `${new BinaryValues().message}.`))
      const client = value
      const { connection, beginCall, database: own, turns, store, takeChanges } = clientState(client)
      // Of the transaction that is open now: the turn of the call can come after its end.
      const isOver = watchTransaction(client)
      const begun = Effect.suspend(() => {
        beginCall(isOver)
        return Effect.tryPromise({ try: () => begin(client, connection), catch: failureOf })
      })
      const announce = (changes: Array<Change>): Effect.Effect<void> =>
        Effect.suspend(() => {
          const earlier = written.get(client)
          if (earlier !== undefined) {
            earlier.push(...changes)
            return Effect.void
          }
          written.set(client, changes)
          return Effect.asVoid(
            Effect.forkIn(Effect.andThen(untilTransactionEnd(client), announceEnd(client)), scope, {
              startImmediately: true
            })
          )
        })
      return Effect.andThen(
        turns.take(1),
        Effect.onExit(begun, (exit) => (Exit.isSuccess(exit) ? Effect.void : turns.release(1)))
      ).pipe(
        Effect.as<JoinedTransaction>({
          store,
          isAsynchronous: true,
          transactionEnded: untilTransactionEnd(client),
          end: (keep) =>
            Effect.suspend(() => {
              const changes = takeChanges()
              // An interrupted call leaves its commit under way. The end of the call waits for it.
              return attemptWrite(() => own.use((connection) => endCall(connection, keep))).pipe(
                Effect.andThen(keep ? announce(changes) : Effect.void),
                Effect.ensuring(turns.release(1))
              )
            })
        })
      )
    }
  })

const endCall = async (connection: Connection, keep: boolean): Promise<void> => {
  if (!keep) await connection.query(`ROLLBACK TO SAVEPOINT ${callSavepoint}`)
  await connection.query(`RELEASE SAVEPOINT ${callSavepoint}`)
}
