/**
 * What operators read about failures of the driver and of the server, without a server.
 */
import { describe, expect, it } from "vitest"
import { notOpened } from "../src/internal/openingFailure.ts"
import { unavailableOf } from "../src/internal/postgresFailure.ts"
import { isSilence, markOfConnecting, markOfDriver } from "../src/internal/sqlStates.ts"

const ofServer = (code: string) => Object.assign(new Error("failed"), { code, severity: "FATAL" })

/** The failure of a statement. */
const ofStatement = (code: string) => markOfDriver(Object.assign(new Error("failed"), { code, severity: "ERROR" }))

/** The failure of a statement that writes when the server has no transaction ids left. */
const outOfTransactionIds = markOfDriver(
  Object.assign(new Error("failed"), { code: "54000", severity: "ERROR", routine: "GetNewTransactionId" })
)

/** The failure of the driver after the `query_timeout` of a pool. */
const afterQueryTimeout = markOfDriver(new Error("Query read timeout"))

describe("notOpened", () => {
  it.each([
    ["a role without the right CONNECT", markOfConnecting(ofServer("42501")), "not_granted", "right CONNECT"],
    ["a role without the right to migrate", markOfDriver(ofServer("42501")), "not_granted", "Migrate the tables"],
    ["a server that starts", markOfConnecting(ofServer("57P03")), "unreachable", "PostgreSQL starts"],
    ["a server that ends the connection", markOfDriver(ofServer("57P01")), "unreachable", "ended the connection"],
    ["a server without transaction ids", outOfTransactionIds, "read_only", "used up its transaction ids"],
    ["the limit of a pool", afterQueryTimeout, "unreachable", "`query_timeout` of the pool"]
  ])("says what to do about %s", (_, cause, reason, text) => {
    expect(notOpened(cause, "here")).toMatchObject({ reason, message: expect.stringContaining(text) })
  })
})

describe("unavailableOf", () => {
  it("names the query_timeout of the pool", () => {
    expect(unavailableOf(afterQueryTimeout)).toMatchObject({
      reason: "unreachable",
      message: expect.stringContaining("`query_timeout` of the pool"),
      cause: { message: "The server did not answer within the `query_timeout` of the pool." }
    })
  })

  it("names the rights and row security when the server refuses the role while the store is open", () => {
    expect(unavailableOf(ofStatement("42501"))).toMatchObject({
      reason: "unreachable",
      message:
        "The role may no longer use the tables of the store. Grant it the rights of the guide, and turn row security off for these tables."
    })
  })

  it("names the limit that may be too short when the server has canceled a statement", () => {
    expect(unavailableOf(ofStatement("57014"))).toMatchObject({
      reason: "contended",
      message: "The server canceled a statement. A limit such as `statement_timeout` may be too short."
    })
  })

  it("names the trigger and the log of the server when a trigger of the operator refuses a statement", () => {
    expect(unavailableOf(ofStatement("P0001"))).toMatchObject({
      reason: "unreachable",
      isRetryable: true,
      message:
        "A trigger on the tables of the store has refused a statement, and Mailkeep has none. Read the log of the server, and change or drop the trigger."
    })
  })

  it("names the standby and the setting when the server permits no write while the store is open", () => {
    expect(unavailableOf(ofStatement("25006"))).toMatchObject({
      reason: "read_only",
      message:
        "The server permits no writes: it is a standby, or `default_transaction_read_only` is on. Connect to the primary, or turn the setting off for the role, the database and the server."
    })
  })

  it("names the vacuum that is missing when a database has used up its transaction ids", () => {
    expect(unavailableOf(outOfTransactionIds)).toMatchObject({
      reason: "read_only",
      isRetryable: true,
      message:
        "The server permits no writes, because a database has used up its transaction ids. Vacuum the database that the log of the server names, and end the old transactions and replication slots that prevent it."
    })
  })

  it("names the log of the pooler when the pooler refuses a connection that it has accepted", () => {
    expect(unavailableOf(ofStatement("08P01"))).toMatchObject({
      reason: "unreachable",
      message: expect.stringContaining("A pooler such as pgbouncer refused the connection, and its log says why")
    })
  })

  it("names idle_session_timeout when the server has ended an idle session", () => {
    expect(unavailableOf(ofStatement("57P05"))).toMatchObject({
      reason: "unreachable",
      message:
        "The server has ended a session that was idle for longer than its `idle_session_timeout`. Give the pool a shorter `idleTimeoutMillis`, or turn the limit off for the role."
    })
  })
})

describe("isSilence", () => {
  it("takes a statement that took longer than the query_timeout for silence, so that no read is repeated", () => {
    expect([isSilence(afterQueryTimeout), isSilence(markOfDriver(new Error("another")))]).toEqual([true, false])
  })
})
