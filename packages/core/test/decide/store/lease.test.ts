import { describe, expect, it } from "vitest"
import { endLeases, renewLease } from "../../../src/decide/store/lease.ts"
import { now } from "../fixtures.ts"

describe("renewLease", () => {
  it("lets the lease end after its length", () =>
    expect(renewLease({ now, worker: "a", leaseMillis: 30_000 }).changes).toEqual([
      { _tag: "RenewLease", worker: "a", leaseUntil: now + 30_000 }
    ]))
})

describe("endLeases", () => {
  it.each([
    ["no name", [], []],
    [
      "two names",
      ["a", "b"],
      [
        { _tag: "EndLease", worker: "a" },
        { _tag: "EndLease", worker: "b" }
      ]
    ]
  ])("ends the lease of each name when the worker has %s", (_, workers, changes) =>
    expect(endLeases(workers).changes).toEqual(changes)
  )
})
