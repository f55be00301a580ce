/**
 * Laws of ids: ids, addresses and names that differ only in case belong to different records.
 */
import type { Change, ContactPredicate, MailStoreShape, Query } from "@mailkeep/core/adapter"
import { deliveryState, eventDeliveryState, freshAttempt, noContactFilters, noLogFilters } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { resultOf, same } from "../expectation.ts"
import type { Records } from "./letterRecords.ts"
import { changesOf, questionsOf, recordsOf } from "./letterRecords.ts"
import {
  apiKey,
  ask,
  commit,
  contact,
  delivery,
  eventDelivery,
  idempotencyRecord,
  idsOf,
  insert,
  noon,
  projectId,
  put,
  resource,
  spend
} from "./records.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLaw } from "./StoreSubject.ts"

const why = "decisions/0020-ids-and-order.md"

const byFilter = (store: MailStoreShape, { contact, delivery, domain, list }: Records) =>
  Effect.gen(function* () {
    const onList: ContactPredicate = { _tag: "OnList", listId: list.id }
    const scan = { _tag: "ContactScan", projectId, after: null, skip: 0, limit: 9, scanLimit: 9 } as const
    const log = { _tag: "LogPage", projectId, after: null, limit: 9, scanLimit: 9 } as const
    const [listed, inSegment, byAddress, byContact, named] = yield* store.read([
      { ...scan, filters: { ...noContactFilters, listId: list.id } },
      { ...scan, filters: { ...noContactFilters, segment: onList } },
      { ...log, filters: { ...noLogFilters, address: delivery.address } },
      { ...log, filters: { ...noLogFilters, contactId: contact.id } },
      {
        _tag: "DomainPage",
        projectId,
        filters: { status: null, search: null, names: [domain.domain] },
        page: { page: 1, limit: 9 }
      }
    ])
    yield* same(
      `the subject of the message of ${delivery.id}`,
      byAddress.items.map(({ subject }) => subject),
      [delivery.id.slice("del_".length)]
    )
    const found = [listed.items, inSegment.items, byAddress.items, byContact.items, named.items].map(idsOf)
    yield* same(`the records that filters with ${list.id} find`, found, [
      [contact.id],
      [contact.id],
      [delivery.id],
      [delivery.id],
      [domain.id]
    ])
  })

const idsDiffer = storeLaw(
  "values/ids-differ-by-case",
  { statement: "Ids, addresses and names that differ only in case belong to different records, for every query.", why },
  (store) =>
    Effect.gen(function* () {
      const both = ["a", "A"].map(recordsOf)
      for (const records of both)
        yield* same("a commit of records", yield* resultOf(commit(store, ...changesOf(records))), "applied")
      for (const records of both) {
        for (const [query, answer] of questionsOf(records))
          yield* same(`the answer to ${JSON.stringify(query)}`, yield* ask(store, query), answer)
        yield* byFilter(store, records)
      }
    })
)

/** Changes of the records with the other case in their ids, which do not exist. Each has its result. */
const strangers = (letter: string): ReadonlyArray<readonly [Change, string]> => {
  const records = recordsOf(letter)
  const { delivery, domain, eventDelivery } = records
  const sending = { ...deliveryState(delivery), statusMessage: "changed" }
  return [
    ...(
      [
        { kind: "ApiKey", id: records.key.id },
        { kind: "Domain", projectId, domain: domain.domain },
        { kind: "Suppression", projectId, addressKey: records.suppression.addressKey },
        { kind: "Resource", id: records.list.id },
        { kind: "ContactAddress", projectId, address: records.contact.address }
      ] as const
    ).map((record) => [{ _tag: "Expect", record, revision: null }, "applied"] as const),
    [put.project(records.project, 1), "NotFound"],
    [put.apiKey(records.key, 1), "NotFound"],
    [{ _tag: "TouchApiKey", id: records.key.id, lastUsedAt: noon }, "applied"],
    [put.domain(domain, 1), "NotFound"],
    [{ _tag: "RemoveDomain", projectId, domain: domain.domain, revision: 1 }, "NotFound"],
    [put.resource(records.list, 1), "NotFound"],
    [{ _tag: "RemoveResource", id: records.list.id, revision: 1 }, "NotFound"],
    [put.contact(records.contact, 1), "NotFound"],
    [{ _tag: "RemoveContact", id: records.contact.id, revision: 1 }, "NotFound"],
    [put.suppression(records.suppression, 1), "NotFound"],
    [{ _tag: "ExtendIdempotency", projectId, key: records.idempotency.key, expiresAt: noon + 9 }, "applied"],
    [
      {
        _tag: "MoveAttempt",
        deliveryId: delivery.id,
        number: 1,
        fencingToken: 0,
        from: "started",
        next: { ...freshAttempt, phase: "finalizing" }
      },
      "NotFound"
    ],
    [{ _tag: "MoveDelivery", id: delivery.id, from: "sending", fencingToken: 0, next: sending }, "NotFound"],
    [spend(3, 3, `list:s${letter}`), "applied"],
    [spend(1, null, `list:s${letter}`), "applied"],
    [{ _tag: "DistributeEvent", id: records.event.id }, "NotFound"],
    [
      {
        _tag: "MoveEventDelivery",
        id: eventDelivery.id,
        from: "pending",
        fencingToken: 0,
        next: { ...eventDeliveryState(eventDelivery), attempts: 9 }
      },
      "NotFound"
    ]
  ]
}

const guardsExact = storeLaw(
  "guards/ids-are-exact",
  {
    statement: "A guard and a change apply to the record with exactly the given id, address or name, in the same case.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const records = recordsOf("a")
      yield* commit(store, ...changesOf(records))
      for (const [change, result] of strangers("A"))
        yield* same(`the result of ${JSON.stringify(change)}`, yield* resultOf(commit(store, change)), result)
      for (const [query, answer] of questionsOf(records))
        yield* same(`the answer to ${JSON.stringify(query)}`, yield* ask(store, query), answer)
      yield* same("the undistributed events", idsOf(yield* ask(store, { _tag: "UndistributedEvents", limit: 9 })), [
        "evt_a"
      ])
      const free: ReadonlyArray<Change> = [
        put.apiKey(apiKey({ id: "key_2", publicId: "publicA" })),
        put.contact(contact({ id: "con_2", address: "A@example.org" })),
        put.resource(resource({ id: "lst_2", name: "name A" })),
        { _tag: "RecordIdempotency", record: idempotencyRecord({ key: "kA" }), now: noon }
      ]
      const renamed: ReadonlyArray<Change> = [
        put.apiKey(apiKey({ id: "key_3", publicId: "Publica" })),
        put.contact(contact({ id: "con_3", address: "a@EXAMPLE.org" })),
        put.resource(resource({ id: "lst_3", name: "NAME A" })),
        put.apiKey(apiKey({ id: "key_3", publicId: "PublicA", revision: 2 }), 1),
        put.contact(contact({ id: "con_3", address: "a@Example.org", revision: 2 }), 1),
        put.resource(resource({ id: "lst_3", name: "Name a", revision: 2 }), 1),
        put.resource(resource({ id: "lst_4", parent: "lst_A", name: "free" })),
        put.resource(resource({ id: "lst_4", parent: "lst_A", name: "child", revision: 2 }), 1)
      ]
      for (const change of [...free, ...renamed])
        yield* same(`a name in another case, ${change._tag}`, yield* resultOf(commit(store, change)), "applied")
    })
)

/** Changes of existing records, each of which applies. */
const ownChanges = (letter: string): ReadonlyArray<Change> => {
  const records = recordsOf(letter)
  const { delivery, domain, eventDelivery } = records
  return [
    ...(
      [
        { kind: "ApiKey", id: records.key.id },
        { kind: "Domain", projectId, domain: domain.domain },
        { kind: "Suppression", projectId, addressKey: records.suppression.addressKey },
        { kind: "Resource", id: records.list.id },
        { kind: "ContactAddress", projectId, address: records.contact.address }
      ] as const
    ).map((record) => ({ _tag: "Expect", record, revision: 1 }) as const),
    put.project({ ...records.project, onAmbiguous: "fail", revision: 2 }, 1),
    put.apiKey({ ...records.key, name: "changed", revision: 2 }, 1),
    { _tag: "TouchApiKey", id: records.key.id, lastUsedAt: noon },
    put.domain({ ...domain, verificationError: "changed", revision: 2 }, 1),
    { _tag: "RemoveDomain", projectId, domain: domain.domain, revision: 2 },
    put.resource({ ...records.list, name: `changed ${letter}`, revision: 2 }, 1),
    { _tag: "RemoveResource", id: records.list.id, revision: 2 },
    put.contact({ ...records.contact, lastName: "Changed", listIds: ["lst_other"], revision: 2 }, 1),
    { _tag: "RemoveContact", id: records.contact.id, revision: 2 },
    put.suppression({ ...records.suppression, reasons: {}, revision: 2 }, 1),
    { _tag: "ExtendIdempotency", projectId, key: records.idempotency.key, expiresAt: noon + 9 },
    { _tag: "RecordIdempotency", record: { ...records.idempotency, fingerprint: "changed" }, now: noon + 9 },
    {
      _tag: "MoveAttempt",
      deliveryId: delivery.id,
      number: 1,
      fencingToken: 0,
      from: "started",
      next: { ...freshAttempt, phase: "finalizing" }
    },
    {
      _tag: "MoveDelivery",
      id: delivery.id,
      from: "sending",
      fencingToken: 0,
      next: { ...deliveryState(delivery), statusMessage: "changed" }
    },
    spend(1, 9, `list:s${letter}`),
    spend(1, null, `list:s${letter}`),
    { _tag: "DistributeEvent", id: records.event.id },
    {
      _tag: "MoveEventDelivery",
      id: eventDelivery.id,
      from: "pending",
      fencingToken: 0,
      next: { ...eventDeliveryState(eventDelivery), attempts: 9 }
    }
  ]
}

const changesExact = storeLaw(
  "values/changes-differ-by-case",
  {
    statement:
      "A change of a record leaves a record whose id, address or name differs only in case unchanged, in every index.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      for (const [changed, kept] of [
        ["b", "B"],
        ["C", "c"]
      ] as const) {
        // The lower case first, so that a lookup without case finds it first.
        const records = recordsOf(kept)
        for (const letter of [kept.toLowerCase(), kept.toUpperCase()]) {
          const shared = recordsOf(letter)
          yield* commit(store, ...changesOf({ ...shared, contact: { ...shared.contact, listIds: ["lst_shared"] } }))
        }
        const person = { ...records.contact, listIds: ["lst_shared"] }
        const questions: ReadonlyArray<readonly [Query, unknown]> = [
          ...questionsOf({ ...records, contact: person }).filter(([{ _tag }]) => _tag !== "ContactPage"),
          [
            {
              _tag: "ContactPage",
              projectId,
              emailStatus: null,
              listId: "lst_shared",
              after: null,
              skip: 0,
              limit: 1
            },
            [person]
          ]
        ]
        for (const change of ownChanges(changed)) {
          const label = JSON.stringify(change)
          yield* same(`the result of ${label}`, yield* resultOf(commit(store, change)), "applied")
          for (const [query, answer] of questions)
            if (query._tag !== "ContactPage" || change._tag === "RemoveContact")
              yield* same(`the answer to ${JSON.stringify(query)} after ${label}`, yield* ask(store, query), answer)
        }
        const other = recordsOf(changed)
        const taking: ReadonlyArray<Change> = [
          put.contact({ ...other.contact, address: `free ${changed}` }),
          put.contact({ ...other.contact, address: person.address, revision: 2 }, 1),
          put.apiKey({ ...other.key, publicId: records.key.publicId, revision: 3 }, 2),
          put.resource({ ...other.list, name: `free ${changed}` }),
          put.resource({ ...other.list, name: records.list.name, revision: 2 }, 1)
        ]
        yield* same(
          "the results of changes to names that are taken",
          yield* Effect.forEach(taking, (change) => resultOf(commit(store, change))),
          ["applied", "AlreadyExists", "AlreadyExists", "applied", "AlreadyExists"]
        )
        yield* commit(store, { _tag: "RemoveContact", id: other.contact.id, revision: 1 })
        const scan = { _tag: "ContactScan", projectId, after: null, skip: 0, limit: 9, scanLimit: 99 } as const
        for (const filters of [{ search: "lovelace" }, { listId: "lst_shared" }]) {
          const { items } = yield* ask(store, { ...scan, filters: { ...noContactFilters, ...filters } })
          yield* same(`the contacts that match ${JSON.stringify(filters)}`, idsOf(items), [person.id])
        }
        const waiting = idsOf(yield* ask(store, { _tag: "UndistributedEvents", limit: 9 }))
        yield* same("whether the other event is distributed", waiting.includes(records.event.id), true)
        yield* commit(store, { _tag: "RemoveContact", id: person.id, revision: 1 })
      }
    })
)

const workersExact = storeLaw(
  "claim/names-are-exact",
  { statement: "Workers and subscribers whose names differ only in case are different.", why },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, insert.delivery(delivery()), insert.eventDelivery(eventDelivery({ subscriber: "whk_a" })))
      yield* commit(
        store,
        insert.eventDelivery(eventDelivery({ id: "evd_2", subscriber: "whk_A", dueAt: noon + 5 })),
        insert.eventDelivery(eventDelivery({ id: "evd_3", subscriber: "whk_b", dueAt: noon + 6 })),
        insert.eventDelivery(eventDelivery({ id: "evd_4", subscriber: "whk_B", dueAt: noon + 4 }))
      )
      yield* same("the pending event deliveries", yield* ask(store, { _tag: "PendingEventDeliveries", now: noon }), [
        { subscriber: "whk_A", dueAt: noon + 5 },
        { subscriber: "whk_B", dueAt: noon + 4 },
        { subscriber: "whk_a", dueAt: noon - 1 },
        { subscriber: "whk_b", dueAt: noon + 6 }
      ])
      const lease = { now: noon, limit: 9, leaseUntil: noon + 10 }
      const events = (subscriber: string) =>
        Effect.map(store.claimEventDeliveries({ ...lease, worker: "other", subscriber }), idsOf)
      yield* same("the event deliveries of another subscriber", yield* events("whk_A"), [])
      const claimed = (worker: string) => Effect.map(store.claim({ ...lease, kind: "dueQueued", worker }), idsOf)
      yield* same("the deliveries of the first claim", yield* claimed("w"), ["del_1"])
      const next = (worker: string) => ask(store, { _tag: "NextDue", worker, now: noon })
      yield* same("the next due time for the worker", yield* next("w"), null)
      yield* same("the next due time for a worker in another case", yield* next("W"), noon + 10)
      yield* commit(store, { _tag: "EndLease", worker: "W" })
      yield* commit(store, { _tag: "RenewLease", worker: "W", leaseUntil: noon - 1 })
      yield* same("the claim after the end of another lease", yield* claimed("other"), [])
      yield* store.sweep({ kind: "leases", before: noon, limit: 9 })
      yield* same("the lease that is left", yield* next("other"), noon + 10)
      const post = eventDelivery({ id: "evd_5", subscriber: "whk_c", worker: "v" })
      yield* commit(store, insert.delivery(delivery({ id: "del_2", worker: "v" })), insert.eventDelivery(post), {
        _tag: "RenewLease",
        worker: "V",
        leaseUntil: noon + 50
      })
      yield* same("the delivery of a worker without a lease", yield* claimed("other"), ["del_2"])
      const pending = yield* ask(store, { _tag: "PendingEventDeliveries", now: noon })
      yield* same("the subscriber of its event delivery", pending.at(-1), { subscriber: "whk_c", dueAt: noon - 1 })
      yield* same("the event delivery of a worker without a lease", yield* events("whk_c"), ["evd_5"])
      yield* same(
        "the number of leases that a sweep deletes",
        yield* store.sweep({ kind: "leases", before: noon + 99, limit: 9 }),
        1
      )
    })
)

export const exactIdLaws: ReadonlyArray<StoreLaw> = [idsDiffer, guardsExact, changesExact, workersExact]
