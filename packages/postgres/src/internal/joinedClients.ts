/**
 * The clients of the product whose transactions the store has joined, each with a store on its connection. Source: decision 0079.
 */
import type { Answers, Change, MailStoreShape, Query } from "@mailkeep/core/adapter"
import { Effect, Semaphore, Stream } from "effect"
import { makeClaims } from "./claim/claims.ts"
import { makeSweepMessages } from "./claim/messageSweep.ts"
import { makeSweep } from "./claim/sweep.ts"
import { clientOfCalls } from "./clientOfCalls.ts"
import type { Connection, Database } from "./database.ts"
import { connectionOf } from "./database.ts"
import type { ProductClient } from "./driverClient.ts"
import { answerQueries } from "./read/answerQueries.ts"
import { attemptRead, attemptWrite } from "./runStatements.ts"
import { makeCommitGroup } from "./write/commitGroup.ts"
import { makeCommitTransactions, noStep } from "./write/commitTransactions.ts"

/** A commit of a joined transaction sets it inside the savepoint of its call. */
const writeSavepoint = "mailkeep_write"

/** The tables and the capabilities of the store that joins. */
export interface JoinedStoreOptions {
  /** The quoted name of the schema. */
  readonly schema: string
  readonly capabilities: MailStoreShape["capabilities"]
}

/** Whether the value is a client of pg, and not a pool. */
export const isClient = (value: unknown): value is ProductClient =>
  typeof value === "object" &&
  value !== null &&
  "query" in value &&
  typeof value.query === "function" &&
  // A pool gives each statement another connection.
  !("totalCount" in value)

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
  { schema, capabilities }: JoinedStoreOptions,
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

/** A client of the product. Kept with its statements, because making the texts of all statements takes longer than most calls. */
export interface JoinedClient {
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

/** Makes the function that returns the state of a client: the same for each call. */
export const makeJoinedClients = (options: JoinedStoreOptions): ((client: ProductClient) => JoinedClient) => {
  const clients = new WeakMap<ProductClient, JoinedClient>()
  return (client) => {
    const existing = clients.get(client)
    if (existing !== undefined) return existing
    const calls = clientOfCalls(client)
    const connection = connectionOf(calls.client, { isShared: true })
    const database = joinedDatabase(connection)
    const changes: Array<Change> = []
    const made: JoinedClient = {
      connection,
      beginCall: calls.beginCall,
      database,
      turns: Semaphore.makeUnsafe(1),
      store: joinedStore(database, options, (one) => changes.push(...one)),
      takeChanges: () => changes.splice(0)
    }
    clients.set(client, made)
    return made
  }
}
