import { constants } from "node:os"
import { describe, expect, it } from "vitest"
import { isConnectionLost, isStandby, isTooLarge, markOfDriver, reasonOf } from "../src/internal/sqlStates.ts"

/** A failure of the driver with this code, as `node:net` makes it for a socket. */
const ofSocket = (code: string, errno: number) => markOfDriver(Object.assign(new Error(code), { code, errno }))

/** A failure that the server has answered with. */
const ofServer = (code: string, severity = "ERROR") =>
  markOfDriver(Object.assign(new Error("failed"), { code, severity }))

describe("reasonOf", () => {
  it.each([
    ["53000", "overloaded"],
    ["53100", "full"],
    ["53200", "overloaded"],
    ["53300", "overloaded"],
    ["53400", "overloaded"],
    ["57000", "unreachable"],
    ["57014", "contended"],
    ["57P01", "unreachable"],
    ["58030", "unreachable"],
    ["XX000", "unreachable"],
    ["XX001", "unreachable"],
    ["XX002", "unreachable"],
    // Bugs: a value that a column refuses, a statement that is wrong, and a value that is too large.
    ["22P05", undefined],
    ["42601", undefined],
    ["54000", undefined]
  ])("takes the code %s of the server for %s", (code, reason) => {
    expect(reasonOf(ofServer(code))).toBe(reason)
  })

  it("takes each failure of a socket for a lost connection, also those with a code of five characters", () => {
    const codes = Object.entries(constants.errno)
    expect(codes.filter(([code]) => code.length === 5).length).toBeGreaterThan(3)
    expect(codes.filter(([code, errno]) => reasonOf(ofSocket(code, -errno)) !== "unreachable")).toEqual([])
  })
})

describe("a server that has no transaction ids left", () => {
  const withRoutine = (routine: string) =>
    markOfDriver(Object.assign(new Error("failed"), { code: "54000", severity: "ERROR", routine }))

  it.each(["GetNewTransactionId", "GetNewMultiXactId"])(
    "permits no writes, is no standby, and has not met a value that is too large: %s",
    (routine) => {
      const cause = withRoutine(routine)
      expect([reasonOf(cause), isStandby(cause), isTooLarge(cause)]).toEqual(["read_only", false, false])
    }
  )

  it("differs from a server that refuses a value as too large", () => {
    const cause = withRoutine("index_form_tuple_context")
    expect([reasonOf(cause), isTooLarge(cause)]).toEqual([undefined, true])
  })
})

describe("isConnectionLost", () => {
  it.each([
    ["57P01", "FATAL", true],
    ["XX000", "FATAL", true],
    ["XX000", "ERROR", false],
    ["XX001", "ERROR", false],
    ["58030", "ERROR", false],
    ["58030", "PANIC", true],
    ["53000", "ERROR", false]
  ])("takes %s with the severity %s for a lost connection: %s", (code, severity, isLost) => {
    expect(isConnectionLost(ofServer(code, severity))).toBe(isLost)
  })
})
