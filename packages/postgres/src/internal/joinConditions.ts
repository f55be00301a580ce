/**
 * What an open transaction of the product must be for the store to join it, and the refusals of all others. Source: decisions 0056 and 0079.
 */
import type { StoreUnavailable } from "@mailkeep/core/adapter"
import { TransactionRefused } from "@mailkeep/core/adapter"
import type { Connection, Database } from "./database.ts"
import { defectOf, unavailableOf } from "./postgresFailure.ts"
import { codeOf } from "./sqlStates.ts"
import { NewerTables } from "./tableVersion.ts"

export const refused = (reason: TransactionRefused["reason"], detail?: string): TransactionRefused =>
  new TransactionRefused({ reason, ...(detail === undefined ? {} : { detail }) })

export const refusalSentences = {
  notAClient:
    "Give the client of pg that has the open transaction, and not its pool or an object of another library. The guide for PostgreSQL says how to get it from Drizzle, Kysely, Knex, Sequelize, TypeORM and Prisma.",
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

export const factsOf = async (connection: Connection): Promise<Facts> => {
  // Objects of other libraries have a `query` that returns rows.
  const rows: ReadonlyArray<Facts> | undefined = await connection.query<Facts>(factsSql)
  if (rows === undefined) throw refused("not_a_connection", refusalSentences.notAClient)
  return rows[0]!
}

/** What no other database has: the server, and the number of the database on it. A role may lack the right to read it. */
export const databaseIdentity = (database: Database): Promise<string> =>
  database.use(async (connection) => (await factsOf(connection)).identity)

/** Why the store with this identity does not join the transaction; `undefined` if it does. */
export const refusalOf = (
  { identity, isolation, synchronous, readOnly }: Facts,
  own: { readonly identity: string; readonly durable: boolean }
): TransactionRefused | undefined => {
  if (identity !== own.identity) return refused("other_file", refusalSentences.otherDatabase)
  if (readOnly === "on") return refused("not_durable", refusalSentences.readOnly)
  if (isolation !== "read committed") return refused("stale_snapshot", refusalSentences.isolation)
  if (own.durable && (synchronous === "off" || synchronous === "local"))
    return refused("not_durable", refusalSentences.asynchronous)
  return undefined
}

/** The client has no open transaction. */
export const noTransaction = refused("no_transaction", refusalSentences.noTransaction)

const savepointRefusals: Readonly<Record<string, TransactionRefused>> = {
  "25P01": noTransaction,
  "25P02": refused("no_transaction", refusalSentences.failed)
}

/** Why `SAVEPOINT` failed: outside of a transaction, in a failed one, or the cause itself. */
export const savepointFailure = (cause: unknown): unknown => savepointRefusals[codeOf(cause) ?? ""] ?? cause

/** The role has lost the right to call `pg_control_system()`, or never had it. */
export const refuseWithoutIdentity = (cause: unknown): never => {
  throw codeOf(cause) === "42501" ? refused("not_supported", refusalSentences.notGranted) : cause
}

/** The failure of the port. Throws the cause itself if it is a bug. */
export const failureOf = (cause: unknown): TransactionRefused | StoreUnavailable => {
  if (cause instanceof TransactionRefused) return cause
  if (cause instanceof NewerTables) return refused("other_schema", `${cause.message}.`)
  if (codeOf(cause) === "42501") return refused("not_supported", refusalSentences.noRights)
  const failure = unavailableOf(cause)
  if (failure === undefined) throw defectOf(cause)
  return failure
}
