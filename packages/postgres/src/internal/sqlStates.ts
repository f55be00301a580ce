/**
 * Failures of PostgreSQL and of the connection, by their SQLSTATE codes. Appendix A of the documentation of PostgreSQL lists the codes.
 */
import type { StoreUnavailable } from "@mailkeep/core/adapter"

type Reason = StoreUnavailable["reason"]

/** The code of a failure of the server (`40P01`) or of a socket (`ECONNRESET`). */
export const codeOf = (cause: unknown): string | undefined => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
  return typeof code === "string" ? code : undefined
}

/** A code of the server has five characters. So have some codes of sockets, such as `EPIPE`, whose failures have a number too. */
const isServerCode = (cause: Error, code: string): boolean => /^[0-9A-Z]{5}$/.test(code) && !("errno" in cause)

/** The server has answered with this failure. */
export const isAnswer = (cause: unknown): boolean => {
  const code = codeOf(cause)
  return code !== undefined && isServerCode(cause as Error, code)
}

/** The server does not know the name of a prepared statement, or already has one with this name. */
const unknownNames: ReadonlySet<string | undefined> = new Set(["26000", "42P05"])

/** The plan that the server keeps for a statement returns other columns than before a migration. */
const isOutdatedPlan = (cause: unknown): boolean =>
  codeOf(cause) === "0A000" && (cause as { readonly routine?: unknown }).routine === "RevalidateCachedQuery"

/** The statement can run again, without its name. */
export const isUnknownName = (cause: unknown): boolean => unknownNames.has(codeOf(cause)) || isOutdatedPlan(cause)

/** A deadlock, a serialization failure, or a lock that was not free in time. */
const contended: ReadonlySet<string | undefined> = new Set(["40001", "40P01", "55P03"])

/** Codes with another reason than their class. */
const reasons: Readonly<Record<string, Reason>> = {
  "25006": "read_only",
  // The server ended an idle transaction, because this process did not run for some time.
  "25P03": "unreachable",
  // A transaction was open for too long.
  "25P04": "unreachable",
  "53100": "full",
  // The statement was canceled, for example by a limit on its duration.
  "57014": "contended"
}

/** Classes of failures of the server and of the connection, by the first two characters of a code. */
const reasonsOfClasses: Readonly<Record<string, Reason>> = {
  // The connection was lost.
  "08": "unreachable",
  // The server has no memory, no connection or no other resource left.
  "53": "overloaded",
  // The server shuts down, has crashed, or does not accept connections yet. Or the database was dropped, or the session was idle for too long.
  "57": "unreachable",
  // The disk of the server.
  "58": "unreachable",
  // A fault of the server itself, such as a damaged page.
  XX: "unreachable"
}

/** A lock was not free in time. */
export const isLockTimeout = (cause: unknown): boolean => codeOf(cause) === "55P03"

/** The transaction can run again: it lost against another one, or the server has forgotten the name of a statement. */
export const isRepeatable = (cause: unknown): boolean => contended.has(codeOf(cause)) || isUnknownName(cause)

/** The functions of the server that give a transaction its id. A value that is too large has the same code as their failures. */
const idRoutines: ReadonlySet<unknown> = new Set(["GetNewTransactionId", "GetNewMultiXactId"])

/** The server permits no write until somebody has vacuumed a database, because the ids of transactions would repeat. Reads need no id. */
export const isOutOfTransactionIds = (cause: unknown): boolean =>
  codeOf(cause) === "54000" && idRoutines.has((cause as { readonly routine?: unknown }).routine)

const ofDriver = new WeakSet<object>()

/** A function of the product can throw anything, also a text. Never shows it. */
class NoObject extends Error {
  constructor() {
    super("A value that is no object was thrown.")
  }
}

/** In a test runner that gives each file its own globals, a failure of Node is no `Error` of this file. */
const objectOf = (cause: unknown): object => (typeof cause === "object" && cause !== null ? cause : new NoObject())

/** Marks a failure that came from the driver, and returns it. Any other is a bug, also if it has no code. */
export const markOfDriver = (cause: unknown): unknown => {
  const failure = objectOf(cause)
  ofDriver.add(failure)
  return failure
}

const isMarked = (marked: WeakSet<object>, cause: unknown): cause is Error =>
  typeof cause === "object" && cause !== null && marked.has(cause)

const ofConnecting = new WeakSet<object>()

/** Marks a failure of the driver to connect. No statement was sent, so it is no bug of a statement: a login can be refused for a while. */
export const markOfConnecting = (cause: unknown): unknown => {
  const failure = objectOf(cause)
  ofConnecting.add(failure)
  return markOfDriver(failure)
}

/** The store got no connection. */
export const isOfConnecting = (cause: unknown): cause is Error => isMarked(ofConnecting, cause)

const ofPassword = new WeakSet<object>()

/** Marks a failure of the function that returns the password for each connection, and returns it. */
export const markOfPassword = (cause: unknown): unknown => {
  const failure = objectOf(cause)
  ofPassword.add(failure)
  return failure
}

/** The function that returns the password has failed. */
export const isOfPassword = (cause: unknown): boolean => isMarked(ofPassword, cause)

/** The server has ended the session. */
const hasEndedSession = (cause: Error): boolean =>
  "severity" in cause && (cause.severity === "FATAL" || cause.severity === "PANIC")

export const isOfDriver = (cause: unknown): cause is Error => isMarked(ofDriver, cause)

/** The server itself has failed, with a code of appendix A. */
export const isOfServer = (cause: unknown): boolean => isOfDriver(cause) && isAnswer(cause)

/** The message of the pool when no connection became free in time. */
export const noFreeConnection = "timeout exceeded when trying to connect"

/** What an operator does when the server has no transaction ids left. */
export const transactionIdsSentence =
  "The server permits no writes, because a database has used up its transaction ids. Vacuum the database that the log of the server names, and end the old transactions and replication slots that prevent it"

/** What an operator does when the server refuses a connection above a limit (53300). The code is the same for all three limits. */
export const connectionLimitSentence =
  "PostgreSQL allows no more connections. Use smaller pools, or raise `max_connections`, the CONNECTION LIMIT of the role and that of the database"

/** The message of the driver when a statement took longer than its option `query_timeout`. It has no code. */
export const queryTimeout = "Query read timeout"

/** The message of the pool when it was ended. */
export const poolEnded = "Cannot use a pool after calling end on the pool"

/** Returns the reason of a failure of the server or of the connection; `undefined` for a bug, such as a value that a column refuses. */
export const reasonOf = (cause: unknown): Reason | undefined => {
  if (!isOfDriver(cause)) return undefined
  if (cause.message === noFreeConnection) return "overloaded"
  if (cause.message === poolEnded) return "closed"
  const code = codeOf(cause)
  if (code === undefined || !isServerCode(cause, code)) return "unreachable"
  if (contended.has(code)) return "contended"
  if (isOutOfTransactionIds(cause)) return "read_only"
  return (
    reasons[code] ??
    reasonsOfClasses[code.slice(0, 2)] ??
    (isOfConnecting(cause) || hasEndedSession(cause) ? "unreachable" : undefined)
  )
}

/**
 * The disk of the server or the server itself has failed at one statement, for example at a damaged page. The session continues, and other statements can
 * succeed.
 */
export const isFaultOfServer = (cause: unknown): boolean =>
  isOfServer(cause) && /^(?:58|XX)/.test(codeOf(cause)!) && !hasEndedSession(cause as Error)

/** A trigger of the operator has raised an exception at one row. Other statements can succeed. Mailkeep creates no trigger. */
export const isRaised = (cause: unknown): boolean => isOfServer(cause) && codeOf(cause) === "P0001"

/** The connection can no longer be used. */
export const isConnectionLost = (cause: unknown): boolean =>
  reasonOf(cause) === "unreachable" && !isFaultOfServer(cause)

/** The messages of the driver and of its pool when the server did not answer in time to a new connection. They have no code. */
export const connectTimeouts: ReadonlySet<string> = new Set([
  "timeout expired",
  "Connection terminated due to connection timeout"
])

/** The server was silent for too long. It can still work on the statement, and the caller has waited long. */
export const isSilence = (cause: unknown): boolean =>
  codeOf(cause) === "ETIMEDOUT" ||
  (isOfDriver(cause) && (connectTimeouts.has(cause.message) || cause.message === queryTimeout))

/** After a failover, the connection can lead to a server that is a standby now. Another connection can lead to the new primary. */
export const isStandby = (cause: unknown): boolean => isOfDriver(cause) && codeOf(cause) === "25006"

/**
 * A notice of the server: it has stopped to wait for its synchronous standby, because the statement was canceled. It reports the commit as done. Its text
 * depends on the language of the server, and the name of its function does not.
 */
export const isStandbyGivenUp = (notice: object): boolean =>
  "routine" in notice && notice.routine === "SyncRepWaitForLSN"

/** Has the code of the notice. */
export class StandbyGivenUp extends Error {
  readonly code = "01000"
  constructor() {
    super("The server has not waited for its standby.")
  }
}

/** A statement was refused because one before it in the transaction has failed. */
export const isAfterFailure = (cause: unknown): boolean => codeOf(cause) === "25P02"

/** The server refused the statement itself: a table or a column does not exist, or the role may not use it. */
export const isRefusedStatement = (cause: unknown): boolean => codeOf(cause)?.startsWith("42") ?? false

/** Another record has the value of a unique column. */
export const isUniqueViolation = (cause: unknown): boolean => codeOf(cause) === "23505"

/**
 * An SQL expression that fails its statement unless the condition holds. The condition must not be null. A division by zero is the failure that every
 * database has without a function of its own.
 */
export const failUnless = (condition: string): string => `1 / (${condition})::int`

/** A condition of `failUnless` did not hold. */
export const isFailedCondition = (cause: unknown): boolean => codeOf(cause) === "22012"

/** The answer of a read is longer than a text of this process (`readStatement`) or of the server can be. */
export const isTooLarge = (cause: unknown): boolean =>
  isFailedCondition(cause) || (codeOf(cause) === "54000" && !isOutOfTransactionIds(cause))
