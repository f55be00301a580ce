/**
 * Converts failures of PostgreSQL to failures of the port. A failure of the server can quote values of records, so only its codes and names are kept.
 */
import { StoreUnavailable } from "@mailkeep/core/adapter"
import { codeOf, isOfDriver, reasonOf } from "./sqlStates.ts"
import { NewerTables } from "./tableVersion.ts"

const nameOf = (cause: unknown, field: "constraint" | "table" | "column"): string => {
  const name =
    typeof cause === "object" && cause !== null ? (cause as Readonly<Record<string, unknown>>)[field] : undefined
  return typeof name === "string" ? `, ${field} ${name}` : ""
}

/** A failure of PostgreSQL without the values of records. */
export class PostgresError extends Error {
  /** The SQLSTATE, or the code of a failed socket. */
  readonly code: string | undefined
  constructor(cause: unknown) {
    const code = codeOf(cause)
    const names = nameOf(cause, "table") + nameOf(cause, "column") + nameOf(cause, "constraint")
    super(`PostgreSQL failed with ${code ?? "a lost connection"}${names}.`)
    this.name = "PostgresError"
    this.code = code
  }
}

/** The role had the right when the store was opened. An operator has taken it since, or the product has set another role on the connection. */
const missingRight = "42501"

/** A call of the product found no transaction, a failed one, or its savepoint gone. */
const endedInTheMiddle: ReadonlySet<string | undefined> = new Set(["25P01", "25P02", "3B001"])

const endedSentence =
  "The transaction failed or ended in the middle of the call. Wait for the promise of each call before the next statement of the transaction. A commit in the middle can have kept a part of the call."

/** Returns the failure of the port, or `undefined` if the cause is a bug. */
export const unavailableOf = (cause: unknown): StoreUnavailable | undefined => {
  if (cause instanceof NewerTables)
    return new StoreUnavailable({ reason: "newer_schema", detail: `${cause.message}.`, cause })
  if (isOfDriver(cause) && codeOf(cause) === missingRight)
    return new StoreUnavailable({
      reason: "unreachable",
      detail: "The role may no longer use the tables of the store. Grant it the rights of the guide.",
      cause: new PostgresError(cause)
    })
  if (isOfDriver(cause) && endedInTheMiddle.has(codeOf(cause)))
    return new StoreUnavailable({ reason: "unreachable", detail: endedSentence, cause: new PostgresError(cause) })
  const reason = reasonOf(cause)
  return reason === undefined ? undefined : new StoreUnavailable({ reason, cause: new PostgresError(cause) })
}

/** A bug without the values of records. A bug of this program stays as it is. */
export const defectOf = (cause: unknown): unknown => (isOfDriver(cause) ? new PostgresError(cause) : cause)
