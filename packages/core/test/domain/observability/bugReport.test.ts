/**
 * Tests of the description of bugs.
 */
import { Cause, Data } from "effect"
import { describe, expect, it } from "vitest"
import { bugReports, errorNameOf } from "../../../src/domain/observability/bugReport.ts"

class Broken extends Data.TaggedError("Broken")<{ readonly secret: string }> {}

const secret = "canary@example.org"

describe("errorNameOf", () => {
  it.each<[unknown, string]>([
    [new Broken({ secret }), "Broken"],
    [new TypeError(secret), "TypeError"],
    [new Error(secret), "Error"],
    [{ _tag: "NotFound" }, "NotFound"],
    [{ _tag: `${secret} ${secret}` }, "Object"],
    [Object.create(null), "object"],
    [null, "null"],
    [secret, "string"]
  ])("names %o without its content: %s", (value, name) => {
    expect(errorNameOf(value)).toBe(name)
  })
})

describe("bugReports", () => {
  it("has the class and the frames of each error, and nothing of its message", () => {
    const error = new RangeError(`${secret}\n    at ${secret} said: 1:2`)
    const reports = bugReports(Cause.combine(Cause.die(error), Cause.fail(new Broken({ secret }))))
    expect(reports.map((report) => report.error)).toEqual(["RangeError", "Broken"])
    expect(reports[0]?.at[0]).toContain("bugReport.test.ts")
    expect(JSON.stringify(reports)).not.toContain(secret)
  })

  it("returns nothing for an interruption", () => {
    expect(bugReports(Cause.interrupt())).toEqual([])
  })
})
