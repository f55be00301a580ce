/**
 * Says why the store does not open, and what the operator does about the cause.
 */
import { StoreNotOpened } from "@mailkeep/core/adapter"
import { BinaryValues } from "./driverClient.ts"
import { PostgresError } from "./postgresFailure.ts"
import {
  codeOf,
  connectionLimitSentence,
  connectTimeouts,
  isOfConnecting,
  isOfDriver,
  isOfServer,
  noFreeConnection,
  poolEnded,
  queryTimeout,
  reasonOf
} from "./sqlStates.ts"
import { NewerTables } from "./tableVersion.ts"

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

const silentSentence =
  "The server did not answer in time. Check the host and the port, and whether a firewall drops the connection"

/** Sentences for failures that an operator can correct. */
const details: Readonly<Record<string, string>> = {
  "28P01": "PostgreSQL refused the user or the password",
  "28000": "PostgreSQL refused the user, or a connection of this kind: it may need TLS (`sslmode`)",
  "3D000": "The database does not exist",
  "53300": connectionLimitSentence,
  ECONNREFUSED: "Nothing accepts connections at this address",
  ETIMEDOUT: silentSentence,
  ENOTFOUND: "The name of the host is unknown",
  ENOENT: "A file that the URL names does not exist, such as that of `sslrootcert`",
  ERR_TLS_CERT_ALTNAME_INVALID: "The certificate of the server is for another host name than the one in the URL",
  ...Object.fromEntries(
    [
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "SELF_SIGNED_CERT_IN_CHAIN",
      "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
    ].map((code) => [code, "The certificate of the server is not trusted. Name its authority with `sslrootcert`"])
  ),
  "53200":
    "PostgreSQL has no memory left, probably for the locks of all tables. Increase `max_locks_per_transaction`, or use fewer partitions",
  "57P03": "PostgreSQL starts, stops or recovers, or is a standby that accepts no connections. Try again",
  "57014": "The server canceled a statement. A limit such as `statement_timeout` may be too short",
  "55P03": lockedSentence,
  "40P01": lockedSentence,
  "40001": lockedSentence,
  ...detailsOfSchema,
  "42501": `The role may not do this. ${migrateSentence}, and grant the rights of the guide`
}

const connectSentence = "The role may not connect to this database. Grant it the right CONNECT"

/** Failures of the driver and of the store that have no code, by their messages. */
const detailsOfMessages: Readonly<Record<string, string>> = {
  "The server does not support SSL connections":
    "The server offers no TLS. Turn on `ssl` at the server, or remove `sslmode` from the URL",
  [poolEnded]: "The pool was ended before the store was opened",
  ...Object.fromEntries([...connectTimeouts].map((message) => [message, silentSentence])),
  "Connection terminated unexpectedly":
    "The connection was closed before the server answered. Check that PostgreSQL or its pooler is at this address, and its log",
  [noFreeConnection]: "No connection of the pool became free in time",
  [queryTimeout]:
    "The server did not answer within the `query_timeout` of the pool. A migration can take longer: use a pool without it"
}

/** A sentence for the failure, or at least its code, which says for example what is wrong with a certificate. */
const detailOf = (cause: unknown): string | undefined => {
  const code = codeOf(cause)
  if (code === undefined) return isOfDriver(cause) ? detailsOfMessages[cause.message] : undefined
  if (code === "42501" && isOfConnecting(cause)) return connectSentence
  return details[code] ?? `${isOfServer(cause) ? "PostgreSQL" : "The connection"} failed with ${code}`
}

const refusedRole: ReadonlySet<string | undefined> = new Set(["28P01", "28000", "42501"])

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
