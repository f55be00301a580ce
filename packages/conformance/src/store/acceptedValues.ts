/**
 * Laws of values: the store accepts every word of the domain, and returns JSON of any shape unchanged.
 */
import type { Query } from "@mailkeep/core/adapter"
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
import { Effect } from "effect"
import { same } from "../expectation.ts"
import {
  apiKey,
  ask,
  attempt,
  commit,
  contact,
  delivery,
  eventDelivery,
  idempotencyRecord,
  insert,
  message,
  noon,
  project,
  projectId,
  put,
  resource,
  senderDomain,
  spend,
  suppression
} from "./records.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLaw } from "./StoreSubject.ts"

const why = "decisions/0001-core-decides.md"

const wordsKept = storeLaw(
  "values/every-word-is-accepted",
  { statement: "The store accepts every status, reason, phase, outcome, source and kind of the domain.", why },
  (store) =>
    Effect.gen(function* () {
      const due = (status: string) => ((claimableStatuses as ReadonlyArray<string>).includes(status) ? noon : null)
      const kinds = ["to", "cc", "bcc"] as const
      const bounces = ["hard", "soft", null] as const
      const deliveries = [...deliveryStatuses, ...deliveryReasons].map((_, n) => {
        const status = deliveryStatuses[n % deliveryStatuses.length]!
        return delivery({
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
        [...attemptOutcomes, null].map((outcome, n) => attempt({ number: p * 20 + n + 1, phase, outcome }))
      )
      const messages = [...ambiguityPolicies, null].flatMap((onAmbiguous, a) =>
        sendingSources.map((source, n) => message({ id: `msg_${a}_${n}`, onAmbiguous, source }))
      )
      const people = contactSources.flatMap((source) =>
        emailStatuses.map((emailStatus) =>
          contact({ id: `con_${source}${emailStatus}`, address: source + emailStatus, source, emailStatus })
        )
      )
      const domains = domainStatuses.map((status) =>
        senderDomain({ id: `dom_${status}`, domain: status, status, manuallyVerified: status === "failed" })
      )
      const projects = ambiguityPolicies.map((onAmbiguous) => project({ id: `prj_${onAmbiguous}`, onAmbiguous }))
      const reasons = suppressionReasons.map((reason) =>
        suppression({ addressKey: reason, address: null, reasons: { [reason]: noon } })
      )
      const eventDeliveries = (["pending", "delivered", "failed"] as const).map((status) =>
        eventDelivery({
          id: `evd_${status}`,
          status,
          dueAt: status === "pending" ? noon : null,
          settledAt: status === "pending" ? null : noon
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
      const queries: ReadonlyArray<readonly [Query, unknown]> = [
        ...projects.map((one) => [{ _tag: "Project", id: one.id }, one] as const),
        ...domains.map((one) => [{ _tag: "Domain", projectId, domain: one.domain }, one] as const),
        ...people.map((one) => [{ _tag: "Contact", projectId, id: one.id }, one] as const),
        ...reasons.map((one) => [{ _tag: "Suppressions", projectId, addressKeys: [one.addressKey] }, [one]] as const),
        ...messages.map((one) => [{ _tag: "Message", projectId, id: one.id }, one] as const),
        ...deliveries.map((one) => [{ _tag: "Delivery", projectId, id: one.id }, one] as const),
        ...eventDeliveries.map((one) => [{ _tag: "EventDelivery", projectId, id: one.id }, one] as const),
        [{ _tag: "Attempts", deliveryId: "del_1" }, attempts]
      ]
      for (const [query, answer] of queries)
        yield* same(`the answer to ${JSON.stringify(query)}`, yield* ask(store, query), answer)
    })
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

const jsonKept = storeLaw(
  "values/json-unchanged",
  {
    statement:
      "The store returns JSON values unchanged: unusual keys, hundreds of keys, negative and extreme numbers, empty lists and nested records.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const many = Object.fromEntries(
        Array.from({ length: 300 }, (_, n) => [`key ${n}`, n % 2 === 0 ? -n - 1 : `v${n}`])
      )
      const texts = Object.fromEntries(Object.keys(unusual).map((key) => [`X-${key}`, `value of ${key}`]))
      const nested = {
        deep: [{ list: [], none: null, record: {}, numbers: [-1, 0, 1.5], flags: [true, false], text: 'a "b" \\ c' }],
        ...unusual
      }
      const sent = [
        message({ id: "msg_1", metadata: unusual, headers: texts, to: [], cc: [] }),
        message({ id: "msg_2", metadata: many, headers: {} }),
        message({ id: "msg_3", metadata: {}, to: ['"a b"@example.org', "ü@example.org"], cc: ["c@example.org"] })
      ]
      const properties = { prop_a: -7, prop_b: -0.25, prop_c: "", prop_d: 'quote " and \\', prop_e: 0 }
      const people = [
        contact({ id: "con_1", address: "a@example.org", properties, listIds: ["lst_b", "lst_a"] }),
        contact({ id: "con_2", address: "b@example.org", properties: {}, listIds: [] })
      ]
      const list = resource({ content: nested as never })
      const key = apiKey({ permissions: [], domainScope: [] })
      const domain = senderDomain({
        records: [
          { ...senderDomain().records[0]!, priority: -10, errorCode: "x", errorMessage: "y", lastCheckedAt: null },
          { ...senderDomain().records[0]!, id: "rec_2", requiredForSending: false, priority: 10 }
        ]
      })
      const recorded = idempotencyRecord({
        result: { messageId: "msg_1", deliveryIds: [], totalQueued: 0, scheduledAt: noon }
      })
      const posted = eventDelivery({
        attempts: 2,
        latestAttempts: [
          { at: noon, status: null, error: 'no "answer"', durationMillis: 0 },
          { at: noon + 1, status: 503, error: null, durationMillis: 30_000 }
        ]
      })
      const suppressed = suppression({ reasons: { complaint: 0, unsubscribed: noon, temporary_failure: 1 } })
      yield* commit(
        store,
        put.apiKey(key),
        put.domain(domain),
        put.resource(list),
        ...people.map((one) => put.contact(one)),
        put.suppression(suppressed),
        { _tag: "RecordIdempotency", record: recorded, now: noon },
        ...sent.map(insert.message),
        insert.eventDelivery(posted),
        spend(-(2 ** 40), null, "allowance"),
        spend(2 ** 53 - 1, null, "contacts")
      )
      const queries: ReadonlyArray<readonly [Query, unknown]> = [
        ...sent.map((one) => [{ _tag: "Message", projectId, id: one.id }, one] as const),
        ...people.map((one) => [{ _tag: "Contact", projectId, id: one.id }, one] as const),
        [{ _tag: "Resource", projectId, id: list.id }, list],
        [{ _tag: "ApiKey", id: key.id }, key],
        [{ _tag: "Domain", projectId, domain: domain.domain }, domain],
        [{ _tag: "Suppressions", projectId, addressKeys: [suppressed.addressKey] }, [suppressed]],
        [{ _tag: "Idempotency", projectId, key: recorded.key }, recorded],
        [{ _tag: "EventDelivery", projectId, id: posted.id }, posted],
        [{ _tag: "Counters", projectId, names: ["allowance", "contacts"] }, [-(2 ** 40), 2 ** 53 - 1]]
      ]
      for (const [query, answer] of queries)
        yield* same(`the answer to ${JSON.stringify(query)}`, yield* ask(store, query), answer)
      const [page] = yield* store.read([
        { _tag: "ContactPage", projectId, emailStatus: null, listId: null, after: null, skip: 0, limit: 9 }
      ])
      yield* same("the contacts of a page", page, people.toReversed())
    })
)

export const acceptedValueLaws: ReadonlyArray<StoreLaw> = [wordsKept, jsonKept]
