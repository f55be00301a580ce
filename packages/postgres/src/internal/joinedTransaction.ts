/**
 * Joins an open transaction of the product's own client to the database of the store. Source: decisions 0056 and 0079.
 */
import type { Change, JoinedTransaction, MailStoreShape, TransactionRefused } from "@mailkeep/core/adapter"
import { StoreUnavailable } from "@mailkeep/core/adapter"
import { Effect, Exit } from "effect"
import type { Scope } from "effect"
import type { Connection, Database } from "./database.ts"
import type { ProductClient } from "./driverClient.ts"
import { BinaryValues } from "./driverClient.ts"
import {
  databaseIdentity,
  factsOf,
  failureOf,
  noTransaction,
  refusalOf,
  refusalSentences,
  refused,
  refuseWithoutIdentity,
  savepointFailure
} from "./joinConditions.ts"
import type { JoinedStoreOptions } from "./joinedClients.ts"
import { isClient, makeJoinedClients } from "./joinedClients.ts"
import { schemaVersion } from "./migrations.ts"
import type { CommitCount } from "./otherCommits.ts"
import { attemptWrite } from "./runStatements.ts"
import { makeVersionCheck } from "./tableVersion.ts"
import { untilTransactionEnd, watchTransaction } from "./transactionEnd.ts"

/** Each call has its own. */
const callSavepoint = "mailkeep_call"

/** What the store knows of its own database. */
export interface JoinDeps extends JoinedStoreOptions {
  readonly database: Database
  /**
   * That of `databaseIdentity`; `null` if it could not be read, so that the next call reads it or fails with the reason. It is read before a call,
   * because all connections of a shared pool can have transactions whose calls wait for it.
   */
  readonly identity: string | null
  readonly count: CommitCount
  /** Notifies other processes of changes that were committed. */
  readonly notify: (changes: ReadonlyArray<Change>) => void
  readonly isOpen: () => boolean
}

/** Whether the client is outside of a transaction. Older drivers do not know. */
const isIdle = (client: ProductClient): boolean => client.getTransactionStatus?.() === "I"

/** Keeps what the call has written. */
const keepCall = (connection: Connection) => connection.query(`RELEASE SAVEPOINT ${callSavepoint}`)

/** Undoes what the call has written. The transaction stays open. */
const undoCall = async (connection: Connection): Promise<void> => {
  await connection.query(`ROLLBACK TO SAVEPOINT ${callSavepoint}`)
  await keepCall(connection)
}

/** Makes the function that begins a call in the transaction of a client. The function rejects if the store does not join the transaction. */
const makeBeginCall = ({ database, schema, capabilities, identity: known }: JoinDeps) => {
  const versionCheck = makeVersionCheck(schema, schemaVersion)
  let identity = known
  return async (client: ProductClient, connection: Connection): Promise<void> => {
    // Fails with the reason that the opening of the store could not read it.
    identity ??= await databaseIdentity(database).catch(refuseWithoutIdentity)
    if (isIdle(client)) throw noTransaction
    try {
      await connection.query(`SAVEPOINT ${callSavepoint}`)
    } catch (cause) {
      throw savepointFailure(cause)
    }
    try {
      const facts = await factsOf(connection).catch(refuseWithoutIdentity)
      const refusal = refusalOf(facts, { identity, durable: capabilities.durable })
      if (refusal !== undefined) throw refusal
      await versionCheck.run(connection)
    } catch (cause) {
      await undoCall(connection)
      throw cause
    }
  }
}

/**
 * Makes the function that gets the changes of each call that was kept. After the transaction of the client has ended, notifies other processes, until
 * the scope closes.
 */
const makeAnnouncements = ({ database, count, notify }: JoinDeps, scope: Scope.Scope) => {
  /** What the open transaction of each client has written. */
  const written = new WeakMap<ProductClient, Array<Change>>()

  const announceEnd = (client: ProductClient): Effect.Effect<void> =>
    Effect.gen(function* () {
      const changes = written.get(client) ?? []
      written.delete(client)
      yield* Effect.ignore(attemptWrite(() => database.use(count.take.run)))
      notify(changes)
    })

  return (client: ProductClient, changes: Array<Change>): Effect.Effect<void> =>
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
}

/** Makes `joinTransaction` of the store. After the transaction of a client has ended, notifies other processes, until the scope closes. */
export const makeJoinTransaction = (
  deps: JoinDeps
): Effect.Effect<NonNullable<MailStoreShape["joinTransaction"]>, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    const begin = makeBeginCall(deps)
    const announce = makeAnnouncements(deps, scope)
    const clientOf = makeJoinedClients(deps)

    return (value: unknown): Effect.Effect<JoinedTransaction, TransactionRefused | StoreUnavailable> => {
      if (!deps.isOpen()) return Effect.fail(new StoreUnavailable({ reason: "closed" }))
      if (!isClient(value)) return Effect.fail(refused("not_a_connection", refusalSentences.notAClient))
      if (value.binary === true) return Effect.fail(refused("not_a_connection", `${new BinaryValues().message}.`))
      const client = value
      const { connection, beginCall, database, turns, store, takeChanges } = clientOf(client)
      // Of the transaction that is open now: the turn of the call can come after its end.
      const isOver = watchTransaction(client)
      const begun = Effect.suspend(() => {
        beginCall(isOver)
        return Effect.tryPromise({ try: () => begin(client, connection), catch: failureOf })
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
              return attemptWrite(() => database.use<unknown>(keep ? keepCall : undoCall)).pipe(
                Effect.andThen(keep ? announce(client, changes) : Effect.void),
                Effect.ensuring(turns.release(1))
              )
            })
        })
      )
    }
  })
