import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Change } from "../../src/domain/Change.ts"
import { changeOrder, inCommitOrder, recordKeyOf } from "../../src/domain/Change.ts"

const spend = (name: "scheduledRecipients" | "allowance" | "contacts"): Change => ({
  _tag: "SpendCounter",
  projectId: "prj",
  name,
  by: 1,
  max: null
})

const changes: ReadonlyArray<Change> = [
  spend("scheduledRecipients"),
  spend("allowance"),
  { _tag: "PutSetting", name: "a", value: "b" },
  { _tag: "Expect", record: { kind: "Suppression", projectId: "prj", addressKey: "k" }, revision: null },
  { _tag: "RenewLease", worker: "w", leaseUntil: 1 },
  { _tag: "ExtendIdempotency", projectId: "prj", key: "k", expiresAt: 1 }
]

describe("inCommitOrder and recordKeyOf", () => {
  it("sorts the same changes into one order, whatever order the decider lists", () => {
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

  it("refuses two changes of one record, also when one is a guard", () => {
    expect(() => inCommitOrder([spend("scheduledRecipients"), spend("scheduledRecipients")])).toThrow()
    const suppression = { projectId: "prj", addressKey: "k", address: "a@example.com", reasons: {}, revision: 1 }
    expect(() => inCommitOrder([changes[3]!, { _tag: "PutSuppression", suppression, replaces: null }])).toThrow()
  })

  it("gives a record key for every change", () => {
    for (const change of changes) expect(recordKeyOf(change)).toMatch(/^\w+\/./)
  })
})
