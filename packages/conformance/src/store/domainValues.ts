/**
 * Laws of values: the store keeps every word of the domain, and returns JSON of any shape unchanged.
 */
import type { EventRecord } from "@mailkeep/core/adapter"
import {
  ambiguityPolicies,
  attemptOutcomes,
  attemptPhases,
  claimableStatuses,
  contactSources,
  deliveryReasons,
  deliveryStatuses,
  domainStatuses,
  emailStatuses,
  sendingSources,
  suppressionReasons
} from "@mailkeep/core/adapter"
import { same } from "../expectation.ts"
import * as sample from "./sampleRecords.ts"
import type { Answers } from "./queries.ts"
import { checkAnswers } from "./queries.ts"
import { checkResult, commit, distributeEvent, insert, put, spend } from "./changes.ts"
import { noon, projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0001-core-decides.md")

const wordsKept = law(
  "values/every-word-is-kept",
  "The store keeps every status, reason, phase, outcome, source and kind of the domain.",
  function* (store) {
    const due = (status: string) => ((claimableStatuses as ReadonlyArray<string>).includes(status) ? noon : null)
    const kinds = ["to", "cc", "bcc"] as const
    const bounces = ["hard", "soft", null] as const
    const deliveries = [...deliveryStatuses, ...deliveryReasons].map((_, n) => {
      const status = deliveryStatuses[n % deliveryStatuses.length]!
      return sample.delivery({
        id: `del_${n}`,
        status,
        dueAt: due(status),
        reason: deliveryReasons[n % deliveryReasons.length]!,
        kind: kinds[n % 3]!,
        bounceType: bounces[n % 3]!,
        source: sendingSources[n % sendingSources.length]!,
        reachedRelay: n % 2 === 0
      })
    })
    const attempts = attemptPhases.flatMap((phase, p) =>
      [...attemptOutcomes, null].map((outcome, n) => sample.attempt({ number: p * 20 + n + 1, phase, outcome }))
    )
    const messages = [...ambiguityPolicies, null].flatMap((onAmbiguous, a) =>
      sendingSources.map((source, n) => sample.message({ id: `msg_${a}_${n}`, onAmbiguous, source }))
    )
    const people = contactSources.flatMap((source) =>
      emailStatuses.map((emailStatus) =>
        sample.contact({ id: `con_${source}${emailStatus}`, address: source + emailStatus, source, emailStatus })
      )
    )
    const domains = domainStatuses.map((status) =>
      sample.senderDomain({ id: `dom_${status}`, domain: status, status, manuallyVerified: status === "failed" })
    )
    const projects = ambiguityPolicies.map((onAmbiguous) => sample.project({ id: `prj_${onAmbiguous}`, onAmbiguous }))
    const reasons = suppressionReasons.map((reason) =>
      sample.suppression({ addressKey: reason, address: null, reasons: { [reason]: noon } })
    )
    const eventDeliveries = (["pending", "delivered", "failed"] as const).map((status) =>
      sample.eventDelivery({
        id: `evd_${status}`,
        status,
        dueAt: status === "pending" ? noon : null,
        endedAt: status === "pending" ? null : noon
      })
    )
    yield* commit(
      store,
      ...projects.map((one) => put.project(one)),
      ...domains.map((one) => put.domain(one)),
      ...people.map((one) => put.contact(one)),
      ...reasons.map((one) => put.suppression(one)),
      ...messages.map(insert.message),
      ...deliveries.map(insert.delivery),
      ...attempts.map(insert.attempt),
      ...eventDeliveries.map(insert.eventDelivery)
    )
    const answers: Answers = [
      ...projects.map((one) => [{ _tag: "Project", id: one.id }, one] as const),
      ...domains.map((one) => [{ _tag: "Domain", projectId, domain: one.domain }, one] as const),
      ...people.map((one) => [{ _tag: "Contact", projectId, id: one.id }, one] as const),
      ...reasons.map((one) => [{ _tag: "Suppressions", projectId, addressKeys: [one.addressKey] }, [one]] as const),
      ...messages.map((one) => [{ _tag: "Message", projectId, id: one.id }, one] as const),
      ...deliveries.map((one) => [{ _tag: "Delivery", projectId, id: one.id }, one] as const),
      ...eventDeliveries.map((one) => [{ _tag: "EventDelivery", projectId, id: one.id }, one] as const),
      [{ _tag: "Attempts", projectId, deliveryId: "del_1" }, attempts]
    ]
    yield* checkAnswers(store, answers)
  }
)

/** Keys and values that a store may treat as paths, patterns, numbers or code. */
const unusual: Readonly<Record<string, string | number | boolean>> = Object.fromEntries([
  ...[
    "",
    " ",
    "a.b",
    "$.a",
    "a[0]",
    '"',
    "'",
    "\\",
    "%_",
    "ÄÖ",
    "🎉",
    "e\u0301",
    "null",
    "constructor",
    "__proto__"
  ].map((key) => [key, `value of ${key}`] as const),
  ["10", -1],
  ["9", -0.5],
  ["-1", -(2 ** 53 - 1)],
  ["true", false],
  ["small", 5e-324],
  ["large", 1.7976931348623157e308],
  ["tenth", 0.1 + 0.2]
])

const jsonKept = law(
  "values/json-unchanged",
  "The store returns JSON values unchanged: unusual keys, hundreds of keys, negative and extreme numbers, empty lists and nested records.",
  function* (store) {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`key ${n}`, n % 2 === 0 ? -n - 1 : `v${n}`]))
    const texts = Object.fromEntries(Object.keys(unusual).map((key) => [`X-${key}`, `value of ${key}`]))
    const nested = {
      deep: [{ list: [], none: null, record: {}, numbers: [-1, 0, 1.5], flags: [true, false], text: 'a "b" \\ c' }],
      ...unusual
    }
    const sent = [
      sample.message({ id: "msg_1", metadata: unusual, headers: texts, to: [], cc: [] }),
      sample.message({ id: "msg_2", metadata: many, headers: {} }),
      sample.message({ id: "msg_4", metadata: { none: null, ...nested } }),
      sample.message({ id: "msg_3", metadata: {}, to: ['"a b"@example.org', "ü@example.org"], cc: ["c@example.org"] })
    ]
    const properties = { prop_a: -7, prop_b: -0.25, prop_c: "", prop_d: 'quote " and \\', prop_e: 0 }
    const people = [
      sample.contact({ id: "con_1", address: "a@example.org", properties, listIds: ["lst_b", "lst_a"] }),
      sample.contact({ id: "con_2", address: "b@example.org", properties: {}, listIds: [] })
    ]
    const list = sample.resource({ content: nested as never })
    const key = sample.apiKey({ permissions: [], domainScope: [] })
    const domain = sample.senderDomain({
      records: [
        {
          ...sample.senderDomain().records[0]!,
          priority: -10,
          errorCode: "x",
          errorMessage: "y",
          lastCheckedAt: null
        },
        { ...sample.senderDomain().records[0]!, id: "rec_2", requiredForSending: false, priority: 10 }
      ]
    })
    const recorded = sample.idempotencyRecord({
      result: { messageId: "msg_1", deliveryIds: [], totalQueued: 0, scheduledAt: noon }
    })
    const posted = sample.eventDelivery({
      attemptCount: 2,
      latestAttempts: [
        { at: noon, status: null, error: 'no "answer"', durationMillis: 0 },
        { at: noon + 1, status: 503, error: null, durationMillis: 30_000 }
      ]
    })
    const suppressed = sample.suppression({ reasons: { complaint: 0, unsubscribed: noon, temporary_failure: 1 } })
    yield* commit(
      store,
      put.apiKey(key),
      put.domain(domain),
      put.resource(list),
      ...people.map((one) => put.contact(one)),
      put.suppression(suppressed),
      put.idempotency(recorded),
      ...sent.map(insert.message),
      insert.eventDelivery(posted),
      spend(-(2 ** 40), null, "allowance"),
      spend(2 ** 53 - 1, null, "contacts")
    )
    const answers: Answers = [
      ...sent.map((one) => [{ _tag: "Message", projectId, id: one.id }, one] as const),
      ...people.map((one) => [{ _tag: "Contact", projectId, id: one.id }, one] as const),
      [{ _tag: "Resource", projectId, id: list.id }, list],
      [{ _tag: "ApiKey", projectId, id: key.id }, key],
      [{ _tag: "Domain", projectId, domain: domain.domain }, domain],
      [{ _tag: "Suppressions", projectId, addressKeys: [suppressed.addressKey] }, [suppressed]],
      [{ _tag: "Idempotency", projectId, key: recorded.key }, recorded],
      [{ _tag: "EventDelivery", projectId, id: posted.id }, posted],
      [{ _tag: "Counters", projectId, names: ["allowance", "contacts"] }, [-(2 ** 40), 2 ** 53 - 1]]
    ]
    yield* checkAnswers(store, answers)
    const [page] = yield* store.read([
      { _tag: "ContactPage", projectId, emailStatus: null, listId: null, after: null, skip: 0, limit: 9 }
    ])
    yield* same("the contacts of a page", page, people.toReversed())
  }
)

/** An event of each kind of data. Only the first is about a delivery. */
const eventsOfKinds = (
  [
    ["email.delivered", sample.event().data],
    ["contact.created", { contact: sample.contact(), reason: null }],
    ["contact.unsubscribed", { contact: sample.contact(), reason: "unsubscribed" }],
    ["contact.deleted", { contactId: "con_1" }],
    ["domain.verified", { domainId: "dom_1", domain: "a.example", status: "verified", lastVerifiedAt: noon }],
    ["domain.failed", { domainId: "dom_1", domain: "a.example", status: "failed", lastVerifiedAt: null }]
  ] as const
).map(([kind, data], n) => ({ id: `evt_${n}`, projectId, occurredAt: noon + n, kind, data }) as EventRecord)

const eventsKept = law(
  "values/events-of-every-kind",
  "The store keeps the events of deliveries, contacts and domains. A query for the events of a delivery finds no others.",
  function* (store) {
    const posted = eventsOfKinds.map(({ id, kind }, n) =>
      sample.eventDelivery({ id: `evd_${n}`, eventId: id, eventKind: kind })
    )
    for (const [n, event] of eventsOfKinds.entries())
      yield* commit(store, insert.event(event), insert.eventDelivery(posted[n]!))
    const [email, contact, ...others] = eventsOfKinds as [EventRecord, EventRecord, ...ReadonlyArray<EventRecord>]
    yield* checkAnswers(store, [
      ...eventsOfKinds.map((event) => [{ _tag: "Event", projectId, id: event.id }, event] as const),
      ...posted.map((one) => [{ _tag: "EventDelivery", projectId, id: one.id }, one] as const),
      [{ _tag: "Events", projectId, after: null, limit: 9 }, eventsOfKinds],
      [{ _tag: "UndistributedEvents", limit: 9 }, eventsOfKinds],
      [
        { _tag: "EventsOfDelivery", projectId, deliveryId: "del_1" },
        [{ event: email, eventDeliveries: posted.slice(0, 1) }]
      ]
    ])
    const before = { kind: "Event", record: { event: contact, isDistributed: true } } as const
    yield* checkResult(store, distributeEvent(contact.id), "applied")
    yield* checkResult(store, { _tag: "RewriteRecord", before, after: null }, "applied")
    yield* checkAnswers(store, [
      [{ _tag: "Event", projectId, id: contact.id }, null],
      [{ _tag: "UndistributedEvents", limit: 9 }, [email, ...others]]
    ])
  }
)

export const domainValueLaws: ReadonlyArray<StoreLaw> = [wordsKept, jsonKept, eventsKept]
