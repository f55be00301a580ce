import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Change } from "../../../src/domain/store/Change.ts"
import { changeOrder, inCommitOrder, projectIdOfChange, recordKeyOf } from "../../../src/domain/store/commitOrder.ts"

const spend = (name: "scheduledRecipients" | "allowance" | "contacts"): Change => ({
  _tag: "AddToCounter",
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
  { _tag: "RenewLease", worker: "w", renewedAt: 0, leaseUntil: 1 },
  { _tag: "ExtendIdempotency", projectId: "prj", key: "k", expiresAt: 1 }
]

const record = { id: "x_1", projectId: "prj", name: "n", domain: "example.com", addressKey: "a", key: "k" }

/** The fields of each change that name its record, and the record key. */
const recordKeys = {
  Expect: [{ record: { kind: "Suppression", projectId: "prj", addressKey: "a" } }, "Suppression/prj/a"],
  PutSetting: [{ name: "n" }, "Setting/n"],
  PutProject: [{ project: record }, "Project/x_1"],
  PutApiKey: [{ key: record }, "ApiKey/prj/x_1"],
  TouchApiKey: [record, "ApiKey/prj/x_1"],
  PutDomain: [{ domain: record }, "Domain/prj/example.com"],
  RemoveDomain: [record, "Domain/prj/example.com"],
  PutResource: [{ resource: record }, "Resource/prj/x_1"],
  RemoveResource: [record, "Resource/prj/x_1"],
  PutContact: [{ contact: record }, "Contact/prj/x_1"],
  RemoveContact: [record, "Contact/prj/x_1"],
  PutSuppression: [{ suppression: record }, "Suppression/prj/a"],
  RecordIdempotency: [{ record }, "Idempotency/prj/k"],
  ExtendIdempotency: [record, "Idempotency/prj/k"],
  PutContent: [{ projectId: "prj", hash: "h" }, "Content/prj/h"],
  InsertMessage: [{ message: record }, "Message/prj/x_1"],
  InsertDelivery: [{ delivery: record }, "Delivery/prj/x_1"],
  InsertAttempt: [{ attempt: { projectId: "prj", deliveryId: "del_1", number: 2 } }, "Attempt/prj/del_1/2"],
  TransitionAttempt: [{ projectId: "prj", deliveryId: "del_1", number: 2 }, "Attempt/prj/del_1/2"],
  TransitionDelivery: [record, "Delivery/prj/x_1"],
  AddToCounter: [record, "Counter/prj/n"],
  AppendEvent: [{ event: record }, "Event/prj/x_1"],
  DistributeEvent: [record, "Event/prj/x_1"],
  InsertEventDelivery: [{ eventDelivery: record }, "EventDelivery/prj/x_1"],
  TransitionEventDelivery: [record, "EventDelivery/prj/x_1"],
  RewriteRecord: [
    { before: { kind: "Attempt", record: { projectId: "prj", deliveryId: "del_1", number: 2 } } },
    "Attempt/prj/del_1/2"
  ],
  RemoveRecord: [{ record: { kind: "Counter", record } }, "Counter/prj/n"],
  RenewLease: [{ worker: "w" }, "Lease/w"],
  EndLease: [{ worker: "w" }, "Lease/w"]
} as const satisfies Readonly<Record<Change["_tag"], readonly [fields: object, key: string]>>

describe("inCommitOrder and recordKeyOf", () => {
  it("sorts the same changes into one order, whatever order the decision lists", () => {
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
    expect(() => inCommitOrder([spend("scheduledRecipients"), spend("scheduledRecipients")])).toThrow("same record key")
    const suppression = { projectId: "prj", addressKey: "k", address: "a@example.com", reasons: {}, revision: 1 }
    expect(() => inCommitOrder([changes[3]!, { _tag: "PutSuppression", suppression, replaces: null }])).toThrow(
      "same record key"
    )
  })

  it("refuses changes of two projects, and takes a setting or a lease with those of one", () => {
    const ofOther: Change = { _tag: "ExtendIdempotency", projectId: "prj_other", key: "k", expiresAt: 1 }
    expect(() => inCommitOrder([spend("contacts"), ofOther])).toThrow("different projects")
    expect(() => inCommitOrder([changes[2]!, changes[4]!, ofOther])).not.toThrow()
  })

  it.each(Object.entries(recordKeys))("gives the project of the record that %s writes", (tag, [fields]) => {
    const projectId = projectIdOfChange({ _tag: tag, ...fields } as never)
    const expected = { PutSetting: null, RenewLease: null, EndLease: null, PutProject: "x_1" } as const
    expect(projectId).toBe(tag in expected ? expected[tag as keyof typeof expected] : "prj")
  })

  it.each(Object.entries(recordKeys))("gives the key of the record that %s writes", (tag, [fields, key]) => {
    expect(recordKeyOf({ _tag: tag, ...fields } as never)).toBe(key)
  })
})
