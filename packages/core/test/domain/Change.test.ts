import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Change } from "../../src/domain/Change.ts"
import { changeOrder, inCommitOrder, touches } from "../../src/domain/Change.ts"

const spend = (name: "waiting" | "allowance" | "contacts"): Change => ({
  _tag: "SpendCounter",
  projectId: "prj",
  name,
  by: 1,
  max: null
})

const changes: ReadonlyArray<Change> = [
  spend("waiting"),
  spend("allowance"),
  { _tag: "PutSetting", name: "a", value: "b" },
  { _tag: "Expect", record: { kind: "Suppression", projectId: "prj", addressKey: "k" }, revision: null },
  { _tag: "RenewLease", worker: "w", leaseUntil: 1 },
  { _tag: "ExtendIdempotency", projectId: "prj", key: "k", expiresAt: 1 }
]

describe("the order of a commit", () => {
  it("is one, however the decider lists its changes", () => {
    const expected = inCommitOrder(changes)
    fc.assert(
      fc.property(fc.shuffledSubarray([...changes], { minLength: changes.length }), (shuffled) => {
        expect(inCommitOrder(shuffled)).toEqual(expected)
      })
    )
    expect(expected.map(({ _tag }) => changeOrder.indexOf(_tag))).toEqual(
      expected.map(({ _tag }) => changeOrder.indexOf(_tag)).toSorted((a, b) => a - b)
    )
  })

  it("refuses two changes of one record, a guard on it too", () => {
    expect(() => inCommitOrder([spend("waiting"), spend("waiting")])).toThrow()
    const suppression = { projectId: "prj", addressKey: "k", address: "a@example.com", reasons: {}, revision: 1 }
    expect(() => inCommitOrder([changes[3]!, { _tag: "PutSuppression", suppression, replaces: null }])).toThrow()
  })

  it("knows the record of every change", () => {
    for (const change of changes) expect(touches(change)).toMatch(/^\w+\/./)
  })
})
