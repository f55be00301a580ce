import { constants } from "node:os"
import { describe, expect, it } from "vitest"
import { markOfDriver, reasonOf } from "../src/internal/sqlStates.ts"

/** A failure of the driver with this code, as `node:net` makes it for a socket. */
const ofSocket = (code: string, errno: number) => markOfDriver(Object.assign(new Error(code), { code, errno }))

describe("reasonOf", () => {
  it("takes each failure of a socket for a lost connection, also those with a code of five characters", () => {
    const codes = Object.entries(constants.errno)
    expect(codes.filter(([code]) => code.length === 5).length).toBeGreaterThan(3)
    expect(codes.filter(([code, errno]) => reasonOf(ofSocket(code, -errno)) !== "unreachable")).toEqual([])
  })
})
