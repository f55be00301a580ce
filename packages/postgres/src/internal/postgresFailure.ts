/**
 * Converts failures of PostgreSQL to failures of the port. A failure of the server can quote values of records, so only its codes and names are kept.
 */
import { StoreUnavailable } from "@mailkeep/core/adapter"
import { connectingSentenceOf, poolerSentence } from "./connectingFailure.ts"
import {
  codeOf,
  isOfDriver,
  isTooLarge,
  noFreeConnection,
  poolEnded,
  queryTimeout,
  reasonOf,
  transactionIdsSentence
} from "./sqlStates.ts"
import { NewerTables } from "./tableVersion.ts"

const nameOf = (cause: unknown, field: "constraint" | "table" | "column"): string => {
  const name =
    typeof cause === "object" && cause !== null ? (cause as Readonly<Record<string, unknown>>)[field] : undefined
  return typeof name === "string" ? `, ${field} ${name}` : ""
}

/** Failures of the pool and of its limits, by the message of the driver: they have no code. */
const poolFailures: Readonly<Record<string, { readonly detail: string; readonly name: string }>> = {
  [noFreeConnection]: {
    detail:
      "No connection of the pool became free in time. If the server answers, give the pool more connections, or release its clients sooner.",
    name: "The pool has no free connection."
  },
  [poolEnded]: {
    detail: "The pool of the store was ended. End it after the store is closed.",
    name: "The pool was ended."
  },
  [queryTimeout]: {
    detail: "The server did not answer within the `query_timeout` of the pool. Give it at least 15 s, or remove it.",
    name: "The server did not answer within the `query_timeout` of the pool."
  }
}

const poolFailureOf = (cause: unknown) => (isOfDriver(cause) ? poolFailures[cause.message] : undefined)

/** A failure of PostgreSQL without the values of records. */
export class PostgresError extends Error {
  /** The SQLSTATE, or the code of a failed socket. */
  readonly code: string | undefined
  constructor(cause: unknown) {
    const code = codeOf(cause)
    const names = nameOf(cause, "table") + nameOf(cause, "column") + nameOf(cause, "constraint")
    const connecting = code === undefined ? connectingSentenceOf(cause) : undefined
    const failed = connecting ?? `PostgreSQL failed with ${code ?? "a lost connection"}${names}`
    super(poolFailureOf(cause)?.name ?? `${failed}.`)
    this.name = "PostgresError"
    this.code = code
  }
}

const endedInTheMiddle =
  "The transaction failed or ended in the middle of the call. Wait for the promise of each call before the next statement of the transaction. A commit in the middle can have kept what the call wrote."

const missingTables =
  "The tables of the store are missing. Restore them, or start the program again: it creates them, unless it opens its store with `migrate: false`."

/** Failures that an operator or the product has caused while the store is open, by their codes. */
const sentences: Readonly<Record<string, string>> = {
  // The role had the right when the store was opened. An operator has taken it since, or the product has set another role on the connection.
  "42501":
    "The role may no longer use the tables of the store. Grant it the rights of the guide, and turn row security off for these tables.",
  // The schema or a table was dropped or renamed since.
  "3F000": missingTables,
  "42P01": missingTables,
  // The commit is on the primary, and perhaps on no standby.
  "01000":
    "The server has canceled the wait for its synchronous standby. Do not cancel commits that wait for it (`pg_cancel_backend`).",
  // The text of the trigger can quote the row, so only the log of the server has it.
  P0001:
    "A trigger on the tables of the store has refused a statement, and Mailkeep has none. Read the log of the server, and change or drop the trigger.",
  // A call of the product found no transaction, a failed one, or its savepoint gone.
  "25P01": endedInTheMiddle,
  "25P02": endedInTheMiddle,
  "3B001": endedInTheMiddle
}

/** What an operator or the product does about failures whose reason does not say so, by their codes. */
const explanations: Readonly<Record<string, string>> = {
  "08P01": `${poolerSentence}.`,
  "25006":
    "The server permits no writes: it is a standby, or `default_transaction_read_only` is on. Connect to the primary, or turn the setting off for the role, the database and the server.",
  // A value that is too large has this code too, and no reason.
  "54000": `${transactionIdsSentence}.`,
  "57014": "The server canceled a statement. A limit such as `statement_timeout` may be too short.",
  "57P05":
    "The server has ended a session that was idle for longer than its `idle_session_timeout`. Give the pool a shorter `idleTimeoutMillis`, or turn the limit off for the role."
}

/** Returns the failure of the port, or `undefined` if the cause is a bug. */
export const unavailableOf = (cause: unknown): StoreUnavailable | undefined => {
  if (cause instanceof NewerTables)
    return new StoreUnavailable({ reason: "newer_schema", detail: `${cause.message}.`, cause })
  const connecting = connectingSentenceOf(cause)
  const detail = connecting === undefined && isOfDriver(cause) ? sentences[codeOf(cause) ?? ""] : undefined
  if (detail !== undefined)
    return new StoreUnavailable({ reason: "unreachable", detail, cause: new PostgresError(cause) })
  const reason = reasonOf(cause)
  if (reason === undefined) return undefined
  const explanation =
    connecting === undefined ? (explanations[codeOf(cause) ?? ""] ?? poolFailureOf(cause)?.detail) : `${connecting}.`
  return new StoreUnavailable({
    reason,
    ...(explanation === undefined ? {} : { detail: explanation }),
    cause: new PostgresError(cause)
  })
}

/** Returns the failure of a read. */
export const unreadableOf = (cause: unknown): StoreUnavailable | undefined =>
  isTooLarge(cause)
    ? new StoreUnavailable({
        reason: "unreachable",
        detail: "The answer is too large. Ask for fewer records.",
        cause: new PostgresError(cause)
      })
    : unavailableOf(cause)

/** A bug without the values of records. A bug of this program stays as it is. */
export const defectOf = (cause: unknown): unknown => (isOfDriver(cause) ? new PostgresError(cause) : cause)
