import { describe, expect, it } from "vitest"
import type { ExplainDeliveryFacts } from "../../../src/decide/delivery/deliveryEntries.ts"
import { explainDelivery } from "../../../src/decide/delivery/explainDelivery.ts"
import type { Delivery } from "../../../src/domain/delivery/Delivery.ts"
import { deliveryStatuses } from "../../../src/domain/delivery/DeliveryStatus.ts"
import type { DeliveryNow } from "../../../src/domain/delivery/DeliveryStory.ts"
import { minuteMillis } from "../../../src/domain/value/Instant.ts"
import { delivery, message, now, scheduled, suppression } from "../fixtures.ts"
import { explainDeliveryFacts as facts } from "./explainDeliveryFacts.ts"

const nowOf = (change: Partial<Delivery>, more: Partial<ExplainDeliveryFacts> = {}) =>
  explainDelivery(facts({ delivery: delivery(change), ...more }), now).now

const later = now + minuteMillis
const lease = { worker: "w", renewedAt: now, leaseUntil: later }
const lapsed = { ...lease, leaseUntil: now }

describe("explainDelivery, for what a delivery waits for", () => {
  it.each<[string, DeliveryNow, Partial<DeliveryNow>]>([
    [
      "its scheduled time",
      explainDelivery(facts({ delivery: scheduled({ dueAt: later, scheduledAt: later }) }), now).now,
      { waitsFor: "scheduled_time", until: later, text: expect.stringContaining("2026-11-21T12:01:00.000Z") }
    ],
    [
      "its scheduled time, with a suppressed recipient",
      explainDelivery(facts({ delivery: scheduled({ dueAt: later }), suppression: suppression("complaint") }), now).now,
      { waitsFor: "scheduled_time", text: expect.stringContaining("suppressed now (complaint)") }
    ],
    [
      "a dispatcher at its scheduled time",
      explainDelivery(facts({ delivery: scheduled({ dueAt: now }) }), now).now,
      { waitsFor: "dispatcher", until: null }
    ],
    ["its next attempt", nowOf({ dueAt: later, attemptCount: 1 }), { waitsFor: "retry", until: later }],
    [
      "a dispatcher after the clock was set back",
      nowOf({ dueAt: later, dueSetAt: now + 1 }),
      { waitsFor: "dispatcher", until: null }
    ],
    ["a dispatcher when it is due", nowOf({}), { waitsFor: "dispatcher", until: null }],
    ["the worker that claimed it", nowOf({ worker: "w" }, { leases: [lease] }), { waitsFor: "hand_off", until: later }],
    [
      "a dispatcher after its claim has lapsed",
      nowOf({ worker: "w" }, { leases: [lapsed] }),
      { waitsFor: "dispatcher", text: expect.stringContaining("and the claim of its worker has ended.") }
    ],
    [
      "the end of the hand-off",
      nowOf({ status: "sending", worker: "w" }, { leases: [lease] }),
      { waitsFor: "hand_off", until: later }
    ],
    [
      "another worker after its own has stopped",
      nowOf({ status: "sending", worker: "w" }, { leases: [lapsed] }),
      { waitsFor: "recovery", until: null }
    ],
    [
      "another worker when its lease is deleted",
      nowOf({ status: "sending", worker: "w" }, { leases: [{ ...lease, worker: "other" }] }),
      { waitsFor: "recovery" }
    ],
    ["a report after acceptance", nowOf({ status: "accepted", dueAt: null }), { waitsFor: "report", until: null }]
  ])("says that it waits for %s", (_, shown, expected) => {
    expect(shown).toMatchObject(expected)
  })

  it("has a sentence for every status", () => {
    for (const status of deliveryStatuses) expect(nowOf({ status }).text).toMatch(/^[A-Z].*\.$/)
  })

  it("shows the delivery without the content of its message", () => {
    const secret = { subject: "the-subject", html: "the-html", text: "the-text", metadata: { order: "the-metadata" } }
    const story = explainDelivery(facts({ message: message(secret) }), now)
    expect(story).toMatchObject({
      deliveryId: "del_1",
      messageId: "msg_1",
      recipient: "ada@example.org",
      recipientKind: "to",
      status: "queued",
      reason: null
    })
    expect(JSON.stringify(story)).not.toMatch(/the-(?:subject|html|text|metadata)/)
  })
})
