import { describe, expect, it } from "vitest"
import { endLeases, renewLease, restartLeases } from "../../../src/decide/store/lease.ts"
import { now } from "../fixtures.ts"

describe("renewLease", () => {
  it("lets the lease end after its length", () =>
    expect(renewLease({ now, worker: "a", leaseMillis: 30_000 }).changes).toEqual([
      { _tag: "RenewLease", worker: "a", renewedAt: now, leaseUntil: now + 30_000 }
    ]))
})

describe("restartLeases", () => {
  it("starts each lease again from now, for its whole length", () =>
    expect(
      restartLeases({
        now,
        leases: [
          { worker: "a", renewedAt: now + 90_000, leaseUntil: now + 120_000 },
          { worker: "b", renewedAt: now + 5_000, leaseUntil: now + 605_000 }
        ]
      }).changes
    ).toEqual([
      { _tag: "RenewLease", worker: "a", renewedAt: now, leaseUntil: now + 30_000 },
      { _tag: "RenewLease", worker: "b", renewedAt: now, leaseUntil: now + 600_000 }
    ]))

  it("ends a lease at once that ended before it was set", () =>
    expect(restartLeases({ now, leases: [{ worker: "a", renewedAt: now + 2, leaseUntil: now + 1 }] }).changes).toEqual([
      { _tag: "RenewLease", worker: "a", renewedAt: now, leaseUntil: now }
    ]))

  it("writes nothing without a lease", () => expect(restartLeases({ now, leases: [] }).changes).toEqual([]))
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
