/**
 * What an erasure decides for each kind of record.
 */
import { describe, expect, it } from "vitest"
import { endDeliveriesToErased, eraseContact, eraseFromRecords } from "../../../src/decide/contact/erasure.ts"
import { erasedAddress } from "../../../src/domain/contact/addressRedaction.ts"
import type { ErasedKind } from "../../../src/domain/contact/Erasure.ts"
import type { ContactRecord } from "../../../src/domain/contact/Contact.ts"
import type { SuppressionRecord } from "../../../src/domain/contact/Suppression.ts"
import { temporarySuppressionMillis } from "../../../src/domain/contact/Suppression.ts"
import type { StoredRecordOf } from "../../../src/domain/store/StoredRecord.ts"
import { attempt, delivery, message, now, project, scheduled } from "../fixtures.ts"
import { address, ended, idempotency, person, rewrites, toBob } from "./erasureFacts.ts"

const ids = { millis: now, randoms: [1n] } as never
const noMessages = new Set<string>()

describe("endDeliveriesToErased", () => {
  it("cancels scheduled and suppresses queued deliveries to the person, gives usage back, and leaves the others", () => {
    const all = [
      scheduled(),
      delivery({ id: "del_3" }),
      delivery({ ...toBob }),
      delivery({ id: "del_4", status: "sending" }),
      delivery({ id: "del_5", ...ended })
    ]
    const { changes, answer } = endDeliveriesToErased(all, person, { now, ids })
    const moves = changes.flatMap((one) =>
      one._tag === "TransitionDelivery" ? [[one.id, one.next.status, one.next.reason]] : []
    )
    expect(moves).toEqual([
      ["del_1", "canceled", "canceled"],
      ["del_3", "suppressed", "manual"]
    ])
    const counters = changes.flatMap((one) => (one._tag === "AddToCounter" ? [[one.name, one.by]] : []))
    expect(counters).toEqual([
      ["scheduledRecipients", -1],
      ["daily:2026-11-21", -2],
      ["allowance", -1]
    ])
    expect(answer).toEqual({ ended: 2, isClaimed: false })
  })

  it("says that a worker has claimed one of them", () => {
    const { answer } = endDeliveriesToErased([delivery({ worker: "w" })], person, { now, ids })
    expect(answer).toEqual({ ended: 1, isClaimed: true })
  })
})

const contact = (change: Partial<ContactRecord> = {}): ContactRecord => ({
  id: "con_bob",
  projectId: project,
  email: "bob@example.org",
  address: "bob@example.org",
  userId: null,
  firstName: "Bob",
  lastName: "",
  phoneNumber: null,
  emailStatus: "subscribed",
  source: "manual",
  properties: {},
  listIds: [],
  createdAt: now,
  updatedAt: now,
  revision: 3,
  ...change
})

const event = (data: Readonly<Record<string, unknown>>, projectId = project): StoredRecordOf<"Event"> => ({
  kind: "Event",
  record: {
    event: { id: "evt_1", projectId, occurredAt: now, kind: "email.bounced", data } as never,
    isDistributed: true
  }
})
const ofDelivery = { deliveryId: "del_1", recipient: "bob@example.org", contactId: "con_bob", message: null }
const dataAfter = (before: StoredRecordOf<"Event">) => {
  const { changes } = eraseFromRecords([before], person, noMessages)
  const [change] = changes
  if (change === undefined) return "kept"
  if (change._tag !== "RewriteRecord" || change.after === null) return "deleted"
  return change.after.kind === "Event" && change.after.record.isDistributed ? change.after.record.event.data : "wrong"
}

describe("eraseFromRecords", () => {
  it.each([
    ["an event of another person", event(ofDelivery), "kept"],
    ["the contact with the address", event({ contact: contact({ id: "con_1", address }), reason: null }), "deleted"],
    ["the contact under an earlier address", event({ contact: contact({ id: "con_ada" }), reason: null }), "deleted"],
    ["another contact", event({ contact: contact(), reason: null }), "kept"],
    ["the deletion of the contact", event({ contactId: "con_ada" }), "kept"],
    [
      "a delivery to the person",
      event({ ...ofDelivery, recipient: "ADA@Example.org", contactId: "con_ada", message: `550 <${address}>` }),
      { ...ofDelivery, recipient: erasedAddress, contactId: null, message: `550 <${erasedAddress}>` }
    ],
    [
      "a delivery to the person under an earlier address",
      event({ ...ofDelivery, contactId: "con_ada" }),
      { ...ofDelivery, contactId: null }
    ],
    [
      "a reply that mentions the person",
      event({ ...ofDelivery, message: `forwarded to ${address}` }),
      { ...ofDelivery, message: `forwarded to ${erasedAddress}` }
    ]
  ] as const)("decides for an event about %s", (_, before, after) => {
    expect(dataAfter(before)).toEqual(after)
  })

  const others: ReadonlyArray<readonly [string, StoredRecordOf<ErasedKind>, unknown]> = [
    [
      "a mention in a message",
      { kind: "Message", record: message({ text: `from ${address}` }) },
      message({ text: `from ${erasedAddress}` })
    ],
    ["a message without a mention", { kind: "Message", record: message() }, undefined],
    [
      "an idempotency key with the address",
      { kind: "Idempotency", record: idempotency({ key: `welcome:${address}` }) },
      null
    ],
    ["another idempotency key", { kind: "Idempotency", record: idempotency() }, undefined],
    ["a delivery to the person, which its message erases", { kind: "Delivery", record: delivery() }, undefined],
    [
      "a delivery to an earlier address",
      { kind: "Delivery", record: delivery({ ...toBob, contactId: "con_ada" }) },
      delivery(toBob)
    ],
    [
      "an attempt with the address in the reply",
      { kind: "Attempt", record: attempt({ statusMessage: address }) },
      attempt({ statusMessage: erasedAddress })
    ]
  ]
  it.each(others)("rewrites, deletes or keeps %s", (_, before, after) => {
    const { changes } = eraseFromRecords([before], person, noMessages)
    expect(rewrites(changes)).toEqual(after === undefined ? [] : [[before.kind, after]])
  })

  it("leaves a message that is under way to the person", () => {
    const before = { kind: "Message", record: message({ text: address }) } as const
    expect(eraseFromRecords([before], person, new Set(["msg_1"])).changes).toEqual([])
  })

  it("replaces a mention in another contact with the next revision, and leaves the contact of the person to the last step", () => {
    const mention = { kind: "Contact", record: contact({ properties: { prop_1: `by ${address}` } }) } as const
    const own = { kind: "Contact", record: contact({ id: "con_ada", address, email: address }) } as const
    expect(eraseFromRecords([own, mention], person, noMessages).changes).toEqual([
      {
        _tag: "PutContact",
        contact: contact({ properties: { prop_1: `by ${erasedAddress}` }, revision: 4 }),
        replaces: 3
      }
    ])
  })
})

describe("eraseContact", () => {
  const keyedAddress = { projectId: project, address, addressKey: "key" }
  const suppression = { ...keyedAddress, reasons: { complaint: 1 }, revision: 2 }
  const erased = { ...suppression, address: null, revision: 3 }

  it("keeps the reasons of a suppression without the address", () => {
    const { changes, answer } = eraseContact({ now, ids, keyedAddress, contact: null, suppression })
    expect(changes).toEqual([{ _tag: "PutSuppression", suppression: erased, replaces: 2 }])
    expect(answer).toEqual({ contactId: null, suppression: true })
  })

  it.each<[string, SuppressionRecord["reasons"]]>([
    ["has no reason any more", {}],
    ["has only a reason that has ended", { temporary_failure: now - temporarySuppressionMillis }]
  ])("says that the address does not stay suppressed when its suppression %s", (_, reasons) => {
    const { answer } = eraseContact({
      now,
      ids,
      keyedAddress,
      contact: null,
      suppression: { ...suppression, reasons }
    })
    expect(answer).toEqual({ contactId: null, suppression: false })
  })

  it("guards against a suppression that appears meanwhile", () => {
    const { changes } = eraseContact({ now, ids, keyedAddress, contact: null, suppression: null })
    expect(changes).toMatchObject([{ _tag: "Expect", revision: null }])
  })

  it("deletes the contact and the address of its suppression in one commit", () => {
    const deleted = contact({ address })
    const { changes, answer } = eraseContact({ now, ids, keyedAddress, contact: deleted, suppression })
    expect(changes.map(({ _tag }) => _tag)).toEqual(["RemoveContact", "PutSuppression", "AddToCounter", "AppendEvent"])
    expect(answer).toEqual({ contactId: deleted.id, suppression: true })
  })
})
