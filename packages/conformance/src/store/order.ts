/**
 * Laws of order: instants are compared as numbers, and ids as texts, character by character.
 */
import type { AnswerOf, Change, MailStoreShape } from "@mailkeep/core/adapter"
import { noContactFilters, noDomainFilters, noLogFilters, wholeRotation } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import * as sample from "./sampleRecords.ts"
import { ask } from "./queries.ts"
import { commit, insert, put, renewLease, spend } from "./changes.ts"
import { idsOf, noon, projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0020-ids-and-order.md")

/** Records of every kind that is listed, with one suffix and one instant. The lists are on a list of contacts too. */
const recordsAt = (suffix: string, at: number): ReadonlyArray<Change> => [
  put.project(sample.project({ id: `prj_${suffix}` })),
  put.apiKey(sample.apiKey({ id: `key_${suffix}`, publicId: `public${suffix}`, createdAt: at })),
  put.domain(sample.senderDomain({ id: `dom_${suffix}`, domain: `${suffix}.example`, createdAt: at, nextCheckAt: at })),
  put.resource(sample.resource({ id: `lst_${suffix}`, name: suffix, createdAt: at })),
  put.contact(sample.contact({ id: `con_${suffix}`, address: `${suffix}@example.org`, createdAt: at })),
  put.suppression(sample.suppression({ addressKey: `key ${suffix}`, address: `${suffix}@example.org` })),
  put.idempotency(sample.idempotencyRecord({ key: `k${suffix}`, expiresAt: at }), 1),
  insert.message(sample.message({ id: `msg_${suffix}`, createdAt: at })),
  insert.delivery(sample.delivery({ id: `del_${suffix}`, createdAt: at, dueAt: at })),
  spend(1, null, `list:${suffix}`),
  insert.event(sample.event({ id: `evt_${suffix}`, occurredAt: at })),
  insert.eventDelivery(sample.eventDelivery({ id: `evd_${suffix}`, createdAt: at, dueAt: at })),
  insert.eventDelivery(
    sample.eventDelivery({ id: `evd_end_${suffix}`, subscriber: "whk_end", status: "failed", dueAt: null, endedAt: at })
  ),
  insert.eventDelivery(sample.eventDelivery({ id: `evd_own_${suffix}`, subscriber: `sub_${suffix}`, dueAt: at })),
  renewLease(`w${suffix}`, at)
]

const all = { after: null, skip: 0, limit: 99, scanLimit: 99 } as const
const page = { page: 1, limit: 99 } as const

/** The listings by instant, newest first, each with the prefix of its ids. */
const newest = (store: MailStoreShape) =>
  Effect.gen(function* () {
    const [domains, resources, below, contacts, listed, scan, onList, subscribed, log, posts] = yield* store.read([
      { _tag: "DomainPage", projectId, filters: noDomainFilters, page },
      { _tag: "ResourcePage", projectId, kind: "list", parent: "", page },
      { _tag: "Resources", projectId, kind: "list", parent: "", ...all },
      { _tag: "ContactPage", projectId, emailStatus: null, listId: null, ...all },
      { _tag: "ContactPage", projectId, emailStatus: null, listId: "lst_1", ...all },
      { _tag: "ContactScan", projectId, filters: { ...noContactFilters, search: "lovelace" }, ...all },
      { _tag: "ContactScan", projectId, filters: { ...noContactFilters, listId: "lst_1" }, ...all },
      { _tag: "ContactPage", projectId, emailStatus: "subscribed", listId: null, ...all },
      { _tag: "LogPage", projectId, filters: noLogFilters, ...all },
      { _tag: "EventDeliveryPage", projectId, subscriber: "whk_1", ...all }
    ])
    const [byAddress, byContact] = yield* store.read([
      { _tag: "LogPage", projectId, filters: { ...noLogFilters, address: "ada@example.org" }, ...all },
      { _tag: "LogPage", projectId, filters: { ...noLogFilters, contactId: "con_1" }, ...all }
    ])
    return [
      ["dom", domains.items],
      ["lst", resources.items],
      ["lst", below],
      ["con", contacts],
      ["con", listed],
      ["con", scan.items],
      ["con", onList.items],
      ["con", subscribed],
      ["del", log.items],
      ["evd", posts],
      ["del", byAddress.items],
      ["del", byContact.items]
    ] as const
  })

/** The listings and claims by instant, oldest first. */
const oldest = (store: MailStoreShape, now: number, limit: number) =>
  Effect.gen(function* () {
    const due = { now, limit, worker: "w", leaseUntil: now + 1 }
    return [
      ["dom", yield* ask(store, { _tag: "DomainsDue", now, limit })],
      ["msg", yield* ask(store, { _tag: "MessagesBefore", before: now + 1, after: null, limit })],
      ["del", yield* store.claim({ kind: "dueQueued", rotation: wholeRotation, ...due })],
      ["evd", yield* store.claimEventDeliveries({ subscriber: "whk_1", ...due })]
    ] as const
  })

/** Instants with different numbers of digits. As texts, they have another order. */
const digits = [9, 10, 99, 100, 1000, 999_999_999_999, 1_000_000_000_000]

const asNumbers = law(
  "time/instants-are-numbers",
  "Instants are compared and ordered as numbers, whatever number of digits they have.",
  function* (store) {
    const suffixOf = (n: number) => String(9 - n)
    for (const n of [4, 0, 6, 2, 5, 1, 3]) yield* commit(store, ...recordsAt(suffixOf(n), digits[n]!))
    const ids = (prefix: string, from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => `${prefix}_${suffixOf(from + n)}`)
    for (const [n, [prefix, items]] of (yield* newest(store)).entries())
      yield* same(`the listing ${n}, newest first`, idsOf(items), ids(prefix, 0, 7).toReversed())
    const keys = yield* ask(store, { _tag: "ApiKeys", projectId })
    yield* same("the API keys, oldest first", idsOf(keys), ids("key", 0, 7))
    const after = { createdAt: 1000, id: "x" }
    const filters = { ...noLogFilters, startDate: 10, endDate: 1000 }
    const between = yield* ask(store, { _tag: "LogPage", projectId, filters, ...all, after })
    yield* same("the deliveries between two instants", idsOf(between.items), ids("del", 1, 5).toReversed())
    const [next, pending, firstOnList] = yield* store.read([
      { _tag: "NextDue", worker: "other", now: 99 },
      { _tag: "PendingEventDeliveries", now: 1 },
      { _tag: "ContactPage", projectId, emailStatus: null, listId: "lst_1", ...all, limit: 2 }
    ])
    yield* same("the first two contacts of a list", idsOf(firstOnList), ids("con", 5, 7).toReversed())
    yield* same("the next due time", next, 9)
    yield* same("the first due event delivery", pending.at(-1), { subscriber: "whk_1", dueAt: 9 })
    for (const [prefix, items] of yield* oldest(store, 1000, 2))
      yield* same(`the first two that are due, ${prefix}`, idsOf(items), ids(prefix, 0, 2))
    const free = yield* ask(store, { _tag: "NextDue", worker: "w", now: 98 })
    yield* same("the next due time after a claim", free, 99)
    for (const kind of ["events", "idempotency", "eventDeliveries", "leases"] as const)
      yield* same(`the number of a sweep of ${kind}`, yield* store.sweep({ kind, before: 1001, limit: 2 }), 2)
    const [events, first, second, third, ended, lease] = yield* store.read([
      { _tag: "UndistributedEvents", limit: 99 },
      { _tag: "Idempotency", projectId, key: `k${suffixOf(0)}` },
      { _tag: "Idempotency", projectId, key: `k${suffixOf(1)}` },
      { _tag: "Idempotency", projectId, key: `k${suffixOf(2)}` },
      { _tag: "EventDeliveryPage", projectId, subscriber: "whk_end", ...all },
      { _tag: "NextDue", worker: "w", now: 1 }
    ])
    yield* same("the events after a sweep", idsOf(events), ids("evt", 2, 7).toReversed())
    yield* same(
      "whether the idempotency records are left",
      [first, second, third].map((one) => one !== null),
      [false, false, true]
    )
    yield* same("the event deliveries after a sweep", idsOf(ended).toSorted(), ids("evd_end", 2, 7).toSorted())
    yield* same("the end of the next lease after a sweep", lease, 99)
  }
)

/** Suffixes in the order of their characters. Without case, the order is another. */
const suffixes = ["B", "D", "a", "c"]

const inCodeOrder = law(
  "listings/in-code-order",
  "Ids, names and addresses are ordered by their characters, upper case before lower case, in every listing.",
  function* (store) {
    for (const suffix of ["c", "B", "a", "D"]) yield* commit(store, ...recordsAt(suffix, noon))
    const ids = (prefix: string) => suffixes.map((suffix) => `${prefix}_${suffix}`)
    for (const [n, [prefix, items]] of (yield* newest(store)).entries())
      yield* same(`the listing ${n}, newest first`, idsOf(items), ids(prefix).toReversed())
    const addresses = {
      _tag: "SuppressionPage",
      projectId,
      search: null,
      addressPart: null,
      now: noon,
      ...all
    } as const
    const [projects, keys, ofMessage, events, waiting, pending, suppressions, leases, audit] = yield* store.read([
      { _tag: "Projects" },
      { _tag: "ApiKeys", projectId },
      { _tag: "DeliveriesOfMessage", projectId, messageId: "msg_1" },
      { _tag: "Events", projectId, after: null, limit: 99 },
      { _tag: "UndistributedEvents", limit: 99 },
      { _tag: "PendingEventDeliveries", now: noon },
      addresses,
      { _tag: "LeasesSetAfter", now: noon - 1 },
      { _tag: "UsageAudit", projectId }
    ])
    const found = [projects, keys, ofMessage, events, waiting].map(idsOf)
    yield* same("the listings by id", found, [ids("prj"), ids("key"), ids("del"), ids("evt"), ids("evt")])
    yield* same(
      "the subscribers",
      pending.map(({ subscriber }) => subscriber),
      [...ids("sub"), "whk_1"]
    )
    yield* same(
      "the suppressions",
      suppressions.items.map(({ address }) => address),
      suffixes.map((suffix) => `${suffix}@example.org`)
    )
    yield* same(
      "the leases",
      leases.map(({ worker }) => worker),
      suffixes.map((suffix) => `w${suffix}`)
    )
    yield* same(
      "the counters",
      audit.counters.map(({ name }) => name),
      suffixes.map((suffix) => `list:${suffix}`)
    )
    const [later, below, examined, firstWaiting, firstOnList] = yield* store.read([
      { _tag: "Events", projectId, after: "evt_D", limit: 99 },
      { ...addresses, after: "D@example.org" },
      { ...addresses, scanLimit: 2 },
      { _tag: "UndistributedEvents", limit: 2 },
      { _tag: "ContactPage", projectId, emailStatus: null, listId: "lst_1", ...all, limit: 2 }
    ])
    yield* same("the events after an id", idsOf(later), ["evt_a", "evt_c"])
    yield* same("the first events to distribute", idsOf(firstWaiting), ["evt_B", "evt_D"])
    yield* same("the first two contacts of a list", idsOf(firstOnList), ["con_c", "con_a"])
    yield* same("the number of suppressions after an address", below.items.length, 2)
    yield* same("the last of two examined suppressions", examined.next, "D@example.org")
    for (const [prefix, items] of yield* oldest(store, noon, 2))
      yield* same(`the first two that are due, ${prefix}`, idsOf(items), ids(prefix).slice(0, 2))
    for (const kind of ["events", "idempotency", "eventDeliveries", "leases"] as const)
      yield* same(`the number of a sweep of ${kind}`, yield* store.sweep({ kind, before: noon + 1, limit: 2 }), 2)
    const [left, ended, ...records] = yield* store.read([
      { _tag: "Events", projectId, after: null, limit: 99 },
      { _tag: "EventDeliveryPage", projectId, subscriber: "whk_end", ...all },
      ...suffixes.map((suffix) => ({ _tag: "Idempotency", projectId, key: `k${suffix}` }) as const)
    ])
    yield* same("the events after a sweep", idsOf(left), ["evt_a", "evt_c"])
    yield* same("the event deliveries after a sweep", idsOf(ended).toSorted(), ["evd_end_a", "evd_end_c"])
    yield* same(
      "whether the idempotency records are left",
      records.map((one) => one !== null),
      [false, false, true, true]
    )
    const keyed = ["pra", "Prj"].map((id) => sample.idempotencyRecord({ projectId: id, expiresAt: 5 }))
    for (const record of keyed) yield* commit(store, put.idempotency(record, 1))
    yield* store.sweep({ kind: "idempotency", before: 6, limit: 1 })
    const byProject = yield* store.read(
      keyed.map((record) => ({ _tag: "Idempotency", projectId: record.projectId, key: record.key }) as const)
    )
    yield* same("the idempotency records of one instant in two projects", byProject, [keyed[0], null])
    // The lease of a worker that is left protects its delivery before its end.
    yield* commit(
      store,
      ...suffixes.map((suffix) =>
        insert.delivery(
          sample.delivery({ id: `del_of_${suffix}`, status: "scheduled", dueAt: 1, worker: `w${suffix}` })
        )
      )
    )
    const free = yield* store.claim({
      kind: "dueScheduled",
      rotation: wholeRotation,
      now: noon - 1,
      limit: 9,
      worker: "w",
      leaseUntil: noon
    })
    yield* same("the deliveries of workers without a lease", idsOf(free), ["del_of_B", "del_of_D"])
  }
)

const byBytes = law(
  "suppressions/ordered-by-bytes",
  "Suppressions are ordered by the UTF-8 bytes of their addresses, and a walk lists each once, also where the order of UTF-16 is another.",
  function* (store) {
    // UTF-16 has the last one, as surrogates, before the third.
    const addresses = ["Z", "a", "\uff5a", "\u{1f600}"].map((part) => `${part}@example.org`)
    for (const address of addresses.toReversed())
      yield* commit(store, put.suppression(sample.suppression({ addressKey: `key of ${address}`, address })))
    const query = { _tag: "SuppressionPage", projectId, search: null, addressPart: null, now: noon } as const
    const [whole] = yield* store.read([{ ...query, ...all }])
    yield* same(
      "the suppressions",
      whole.items.map(({ address }) => address),
      addresses
    )
    let after: string | null = null
    for (const address of addresses) {
      const found: AnswerOf<"SuppressionPage"> = (yield* store.read([{ ...query, after, limit: 1, scanLimit: 1 }]))[0]
      yield* same(
        `the suppression after ${after}`,
        found.items.map((one) => one.address),
        [address]
      )
      after = found.next
    }
    yield* same("the position after the last one", after, null)
  }
)

export const orderLaws: ReadonlyArray<StoreLaw> = [asNumbers, inCodeOrder, byBytes]
