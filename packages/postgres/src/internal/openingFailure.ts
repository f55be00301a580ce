/**
 * Says why the store does not open, and what the operator does about the cause.
 */
import { StoreNotOpened } from "@mailkeep/core/adapter"
import { connectingSentenceOf, silentSentence } from "./connectingFailure.ts"
import { BinaryValues } from "./driverClient.ts"
import { PostgresError } from "./postgresFailure.ts"
import {
  codeOf,
  isOfDriver,
  isOfServer,
  isOutOfTransactionIds,
  noFreeConnection,
  poolEnded,
  queryTimeout,
  reasonOf,
  transactionIdsSentence
} from "./sqlStates.ts"
import { NewerTables, NoVersion } from "./tableVersion.ts"

/** Why the store does not open. */
export type Refusal = Pick<StoreNotOpened, "reason"> & { readonly detail: string }

/** A check of the opening has failed. */
export class NotOpened extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.detail)
    this.refusal = refusal
  }
}

/** What an operator does when the role may not migrate. */
export const migrateSentence =
  "Migrate the tables with the role that owns the schema, by any command, `migratePostgres` or `PostgresMailStore.migrate`"

const lockedSentence = "Another process has locked the tables"

/** The server refuses a statement of the first step, or the one that reads the version of the tables. */
const detailsOfSchema: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["42P07", "42710", "42703"].map((code) => [
      code,
      "The schema has tables or types of another program, with the names that Mailkeep needs. Choose another schema"
    ])
  ),
  "42939": "PostgreSQL keeps the names of schemas that begin with pg_ for itself. Choose another schema"
}

/** Sentences for failures that an operator can correct. */
const details: Readonly<Record<string, string>> = {
  ETIMEDOUT: silentSentence,
  "53200":
    "PostgreSQL has no memory left, probably for the locks of all tables. Increase `max_locks_per_transaction`, or use fewer partitions",
  "57P01":
    "PostgreSQL has ended the connection, because it stops or because an administrator has asked for it. Try again",
  "57014": "The server canceled a statement. A limit such as `statement_timeout` may be too short",
  "55P03": lockedSentence,
  "40P01": lockedSentence,
  "40001": lockedSentence,
  ...detailsOfSchema,
  P0001:
    "A trigger of the database forbids a statement. If an event trigger forbids new tables, turn it off while the tables are migrated",
  "42501": `The role may not do this. ${migrateSentence}, and grant the rights of the guide`
}

/** Failures of the driver and of the store that have no code, by their messages. */
const detailsOfMessages: Readonly<Record<string, string>> = {
  [poolEnded]: "The pool was ended before the store was opened",
  [noFreeConnection]: "No connection of the pool became free in time",
  [queryTimeout]:
    "The server did not answer within the `query_timeout` of the pool. A migration can take longer: use a pool without it"
}

/** A sentence for the failure, or at least its code, which says for example what is wrong with a certificate. */
const detailOf = (cause: unknown): string | undefined => {
  const connecting = connectingSentenceOf(cause)
  if (connecting !== undefined) return connecting
  if (isOutOfTransactionIds(cause)) return transactionIdsSentence
  const code = codeOf(cause)
  if (code === undefined) return isOfDriver(cause) ? detailsOfMessages[cause.message] : undefined
  return details[code] ?? `${isOfServer(cause) ? "PostgreSQL" : "The connection"} failed with ${code}`
}

const refusedRole: ReadonlySet<string | undefined> = new Set(["28P01", "28000", "42501", "P0001"])

const openingReasonOf = (cause: unknown): StoreNotOpened["reason"] => {
  if (refusedRole.has(codeOf(cause))) return "not_granted"
  if (Object.hasOwn(detailsOfSchema, codeOf(cause) ?? "")) return "not_a_database"
  const reason = reasonOf(cause)
  if (reason === "contended") return "locked"
  return reason === "read_only" || reason === "full" ? reason : "unreachable"
}

/** The failure of opening. Never quotes values, users or passwords. */
export const notOpened = (cause: unknown, where: string): StoreNotOpened => {
  if (cause instanceof NotOpened) return new StoreNotOpened({ ...cause.refusal, where })
  if (cause instanceof NewerTables) return new StoreNotOpened({ reason: "newer_schema", detail: cause.message, where })
  if (cause instanceof NoVersion) return new StoreNotOpened({ reason: "not_a_database", detail: cause.message, where })
  if (cause instanceof BinaryValues)
    return new StoreNotOpened({ reason: "unsupported_runtime", detail: cause.message, where })
  const detail = detailOf(cause)
  return new StoreNotOpened({
    reason: openingReasonOf(cause),
    where,
    ...(detail === undefined ? {} : { detail }),
    cause: new PostgresError(cause)
  })
}
