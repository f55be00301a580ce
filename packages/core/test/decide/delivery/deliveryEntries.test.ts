import { describe, expect, it } from "vitest"
import type { ExplainDeliveryFacts } from "../../../src/decide/delivery/deliveryEntries.ts"
import { deliveryEntries } from "../../../src/decide/delivery/deliveryEntries.ts"
import { reportedBeforeReply } from "../../../src/decide/delivery/recordReport.ts"
import type { Attempt, Delivery } from "../../../src/domain/delivery/Delivery.ts"
import { attemptOutcomes } from "../../../src/domain/delivery/Delivery.ts"
import { deliveryReasons } from "../../../src/domain/delivery/DeliveryStatus.ts"
import type { DeliveryEntry } from "../../../src/domain/delivery/DeliveryStory.ts"
import { minuteMillis } from "../../../src/domain/value/Instant.ts"
import { attempt, delivery, eventDelivery, eventRecord, message, now, project, suppression } from "../fixtures.ts"
import { explainDeliveryFacts as facts } from "./explainDeliveryFacts.ts"

const ended = (number: number, outcome: Attempt["outcome"], change: Partial<Attempt> = {}): Attempt =>
  attempt({ number, startedAt: now + number * 1000, phase: "ended", outcome, durationMillis: 100, ...change })

const endOf = (number: number) => now + number * 1000 + 100

const kindsOf = (entries: ReadonlyArray<DeliveryEntry>) => entries.map(({ kind }) => kind)

const only = <K extends DeliveryEntry["kind"]>(change: Partial<ExplainDeliveryFacts>, kind: K) => {
  const found = deliveryEntries(facts(change)).filter((one) => one.kind === kind)
  expect(found).toHaveLength(1)
  return found[0] as Extract<DeliveryEntry, { readonly kind: K }>
}

const after = (change: Partial<Delivery>, attempts: ReadonlyArray<Attempt>) =>
  facts({ delivery: delivery({ attemptCount: attempts.length, dueAt: null, ...change }), attempts })

describe("deliveryEntries, for the acceptance", () => {
  it.each<[string, Partial<ExplainDeliveryFacts>, object]>([
    ["the embedding product", {}, { apiKey: null, text: "The message was accepted from the embedding product." }],
    [
      "a named API key",
      { message: message({ apiKeyId: "key_1" }), apiKey: { id: "key_1", name: "shop" } as never },
      { apiKey: { id: "key_1", name: "shop" }, text: 'The message was accepted from the API key "shop".' }
    ],
    [
      "an API key without a name",
      { message: message({ apiKeyId: "key_1" }) },
      { apiKey: { id: "key_1", name: "" }, text: "The message was accepted from the API key key_1." }
    ],
    [
      "the embedding product, for a scheduled time",
      { delivery: delivery({ scheduledAt: now + minuteMillis }) },
      { scheduledAt: now + minuteMillis, text: expect.stringContaining("scheduled for 2026-11-21T12:01:00.000Z.") }
    ]
  ])("says that the message came from %s", (_, change, expected) => {
    expect(only(change, "accepted")).toMatchObject({ at: now, idempotencyKey: "k", ...expected })
  })

  it("has no idempotency key if the send had none", () => {
    expect(only({ message: message({ idempotencyKey: "" }) }, "accepted")).toMatchObject({ idempotencyKey: null })
  })

  it("says whether the queued delivery is charged", () => {
    expect(only({}, "queued")).toMatchObject({ at: now, charged: true })
    expect(only({ delivery: delivery({ chargedAt: null }) }, "queued")).toMatchObject({ charged: false })
    expect(kindsOf(deliveryEntries(facts({ delivery: delivery({ queuedAt: null }) })))).toEqual(["accepted"])
  })
})

describe("deliveryEntries, for attempts", () => {
  it("shows each attempt with its reply, and the time of the next one", () => {
    const attempts = [
      ended(1, "deferred", { smtpCode: 451, enhancedCode: "4.3.0", statusMessage: "Try later" }),
      ended(2, "no_reply", { statusMessage: "connection lost" })
    ]
    const known = after({ status: "queued", dueAt: now + minuteMillis }, attempts)
    const shown = deliveryEntries(known).map(({ at, text }) => [at, text])
    expect(shown.slice(2)).toEqual([
      [now + 1000, "Attempt 1 began."],
      [endOf(1), 'Attempt 1: the relay refused the message temporarily: 451 4.3.0 "Try later".'],
      [endOf(1), "The delivery returned to the queue. Attempt 2 followed at 2026-11-21T12:00:02.000Z."],
      [now + 2000, "Attempt 2 began."],
      [endOf(2), 'Attempt 2: the relay gave no reply, and it does not have the message: "connection lost".'],
      [endOf(2), "Attempt 3 is due at 2026-11-21T12:01:00.000Z."]
    ])
  })

  it("shows an attempt under way with its phase and its claim", () => {
    const entries = deliveryEntries(
      facts({
        delivery: delivery({ status: "sending", attemptCount: 1, worker: "w" }),
        attempts: [attempt({ phase: "finalizing" })],
        leases: [{ worker: "w", renewedAt: now, leaseUntil: now + 1000 }]
      })
    )
    expect(kindsOf(entries)).toEqual(["accepted", "queued", "attempt_started", "claimed"])
    expect(entries.at(2)).toMatchObject({ attempt: 1, phase: "finalizing" })
    expect(entries.at(3)).toMatchObject({ at: null, worker: "w", leaseUntil: now + 1000 })
  })

  it.each<[string, Partial<ExplainDeliveryFacts>, object, string]>([
    [
      "send",
      { message: message({ onAmbiguous: "fail" }) },
      { policy: "fail", from: "send" },
      'the send has the policy "fail".'
    ],
    [
      "project",
      { project: { id: project, onAmbiguous: "fail", listUnsubscribe: false, createdAt: now, revision: 1 } },
      { policy: "fail", from: "project" },
      'the project has the policy "fail".'
    ],
    ["default", {}, { policy: "retry", from: "default" }, 'the default policy is "retry".']
  ])("shows the policy of the %s for an ambiguous attempt", (_, change, onAmbiguous, sentence) => {
    const ambiguous = only({ attempts: [ended(1, "ambiguous")], ...change }, "attempt_ended")
    expect(ambiguous).toMatchObject({ onAmbiguous })
    expect(ambiguous.text.endsWith(`. For an ambiguous attempt, ${sentence}`)).toBe(true)
    expect(only({ attempts: [ended(1, "deferred")], ...change }, "attempt_ended").onAmbiguous).toBe(null)
  })

  it.each<[Attempt["outcome"], string]>([
    ["no_reply", "Attempt 1: the relay gave no reply, and it may or may not have the message."],
    ["stopped", "Attempt 1: the hand-off was stopped, and the relay may or may not have the message."]
  ])("says of the outcome %s that the relay may have the message when the relay drops duplicates", (outcome, text) => {
    const inDoubt = { delivery: delivery({ ambiguousAttempts: 1 }), attempts: [ended(1, outcome)] }
    expect(only(inDoubt, "attempt_ended").text).toBe(text)
    const ambiguousToo = [ended(1, outcome), ended(2, "ambiguous")]
    const entries = deliveryEntries(facts({ ...inDoubt, attempts: ambiguousToo }))
    expect(entries.find(({ kind }) => kind === "attempt_ended")?.text).not.toContain("may or may not")
  })

  it("has a sentence for every outcome", () => {
    for (const outcome of attemptOutcomes)
      expect(only({ attempts: [ended(1, outcome)] }, "attempt_ended").text).toMatch(/^Attempt 1: [a-z].*\.$/)
  })
})

describe("deliveryEntries, for a change of the status", () => {
  const reported = { statusMessage: reportedBeforeReply }
  it.each<[string, ExplainDeliveryFacts, ReadonlyArray<string>]>([
    [
      "an acceptance by the relay",
      after({ status: "accepted", acceptedAt: endOf(1) }, [ended(1, "accepted")]),
      ["status_changed accepted"]
    ],
    [
      "an acceptance, and a report of delivery",
      after({ status: "delivered", acceptedAt: endOf(1), deliveredAt: now + 9000 }, [ended(1, "accepted")]),
      ["status_changed accepted", "report_received delivered"]
    ],
    [
      "a delivery by the relay",
      after({ status: "delivered", acceptedAt: endOf(1), deliveredAt: endOf(1) }, [ended(1, "delivered")]),
      ["status_changed delivered"]
    ],
    [
      "a report of delivery before the reply",
      after({ status: "delivered", acceptedAt: endOf(1), deliveredAt: endOf(1) }, [ended(1, "delivered", reported)]),
      ["report_received delivered"]
    ],
    [
      "a late answer after an ambiguous attempt",
      after({ status: "accepted", acceptedAt: now + 9000 }, [ended(1, "ambiguous")]),
      ["late_acceptance"]
    ],
    [
      "a refusal for good",
      after({ status: "bounced", reason: "hard_bounce", bouncedAt: endOf(1), bounceType: "hard" }, [
        ended(1, "rejected")
      ]),
      ["status_changed bounced"]
    ],
    [
      "the last temporary refusal",
      after({ status: "bounced", reason: "temporary_failure", bouncedAt: endOf(1) }, [ended(1, "deferred")]),
      ["status_changed bounced"]
    ],
    [
      "a report of a bounce and a complaint",
      after({ status: "complained", acceptedAt: endOf(1), bouncedAt: now + 8000, complainedAt: now + 9000 }, [
        ended(1, "accepted")
      ]),
      ["status_changed accepted", "report_received bounced", "report_received complained"]
    ],
    [
      "a report of a bounce while it was queued",
      after({ status: "bounced", reason: "hard_bounce", bouncedAt: now + 9000 }, [ended(1, "deferred")]),
      ["report_received bounced"]
    ],
    [
      "a failure without an attempt",
      after({ status: "failed", reason: "quota_exceeded", failedAt: now + 9000, queuedAt: null }, []),
      ["status_changed failed"]
    ],
    ["a cancellation", after({ status: "canceled", canceledAt: now + 9000, queuedAt: null }, []), ["canceled"]]
  ])("shows %s", (_, known, expected) => {
    const changes = deliveryEntries(known).flatMap((entry) =>
      entry.kind === "status_changed"
        ? [`${entry.kind} ${entry.status}`]
        : entry.kind === "report_received"
          ? [`${entry.kind} ${entry.report}`]
          : entry.kind === "late_acceptance" || entry.kind === "canceled"
            ? [entry.kind]
            : []
    )
    expect(changes).toEqual(expected)
  })

  it("shows why, when and since when a suppressed recipient gets no mail", () => {
    const known = { delivery: delivery({ status: "suppressed", reason: "complaint", suppressedAt: now + 7 }) }
    expect(only({ ...known, suppression: suppression("complaint") }, "suppressed")).toMatchObject({
      at: now + 7,
      reason: "complaint",
      since: now - 1,
      text: "The recipient gets no mail: The recipient has reported mail as spam. This applies since 2026-11-21T11:59:59.999Z."
    })
    expect(only(known, "suppressed")).toMatchObject({ at: now + 7, since: null })
  })

  it("derives when a recipient was suppressed, for a delivery of a program before `suppressedAt`", () => {
    const suppressedFacts = (change: Partial<Delivery>, more: Partial<ExplainDeliveryFacts> = {}) => ({
      delivery: delivery({ status: "suppressed", reason: "manual", suppressedAt: null, ...change }),
      ...more
    })
    const event = { event: eventRecord({ kind: "email.suppressed", occurredAt: now + 7 }), eventDeliveries: [] }
    const attempts = [ended(1, "suppressed")]
    const atOf = (known: Partial<ExplainDeliveryFacts>) => only(known, "suppressed").at
    expect(atOf(suppressedFacts({ queuedAt: null }))).toBe(now)
    expect(atOf(suppressedFacts({}, { events: [event], attempts }))).toBe(now + 7)
    expect(atOf(suppressedFacts({}, { attempts }))).toBe(endOf(1))
    expect(atOf(suppressedFacts({}))).toBe(null)
    expect(atOf(suppressedFacts({ queuedAt: null, scheduledAt: now + 1 }))).toBe(null)
    expect(atOf(suppressedFacts({ suppressedAt: now + 3 }, { events: [event], attempts }))).toBe(now + 3)
  })

  it("has a sentence for every reason", () => {
    for (const reason of deliveryReasons)
      expect(only({ delivery: delivery({ status: "failed", reason, failedAt: now }) }, "status_changed").text).toMatch(
        /^The delivery failed\. [A-Z].*\.$/
      )
  })
})

describe("deliveryEntries, for events", () => {
  it("shows each event with its deliveries to subscribers", () => {
    const eventDeliveries = [
      eventDelivery({ id: "evd_1", subscriber: "whk_1", status: "delivered", attemptCount: 1, dueAt: null }),
      eventDelivery({ id: "evd_2", subscriber: "sub_1", attemptCount: 2, dueAt: now + 5 })
    ]
    const events = [{ event: eventRecord(), eventDeliveries }]
    expect(only({ events, subscriptionNames: new Map([["sub_1", "audit"]]) }, "event")).toEqual({
      kind: "event",
      at: now,
      text: "The event email.delivered was appended, with 2 subscribers, 1 of them still waiting.",
      eventId: "evt_1",
      eventKind: "email.delivered",
      eventDeliveries: [
        { id: "evd_1", subscriber: "whk_1", name: null, status: "delivered", attemptCount: 1, nextAttemptAt: null },
        { id: "evd_2", subscriber: "sub_1", name: "audit", status: "pending", attemptCount: 2, nextAttemptAt: now + 5 }
      ]
    })
    expect(only({ events: [{ event: eventRecord(), eventDeliveries: [] }] }, "event").text).toContain("no subscriber")
  })
})
