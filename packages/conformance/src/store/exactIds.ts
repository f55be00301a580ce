/**
 * Laws of ids: ids, addresses and names that differ only in case belong to different records.
 */
import type { Change, ContactPredicate, MailStoreShape } from "@mailkeep/core/adapter"
import { noContactFilters, noLogFilters, wholeRotation } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"
import { checkResult, commit, commitResult, endLease, insert, put, remove, renewLease } from "./changes.ts"
import { changesOfExisting, changesOfMissing } from "./letterChanges.ts"
import type { Records } from "./letterRecords.ts"
import { changesOf, expectedAnswers, recordsOf } from "./letterRecords.ts"
import type { Answers } from "./queries.ts"
import { ask, checkAnswers } from "./queries.ts"
import { idsOf, noon, projectId } from "./sampleIds.ts"
import * as sample from "./sampleRecords.ts"

const law = storeLawsFor("decisions/0020-ids-and-order.md")

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

const idsDiffer = law(
  "values/ids-differ-by-case",
  "Ids, addresses and names that differ only in case belong to different records, for every query.",
  function* (store) {
    const both = ["a", "A"].map(recordsOf)
    for (const records of both)
      yield* same("a commit of records", yield* commitResult(store, ...changesOf(records)), "applied")
    for (const records of both) {
      yield* checkAnswers(store, expectedAnswers(records))
      yield* byFilter(store, records)
    }
  }
)

const guardsExact = law(
  "guards/ids-are-exact",
  "A guard and a change apply to the record with exactly the given id, address or name, in the same case.",
  function* (store) {
    const records = recordsOf("a")
    yield* commit(store, ...changesOf(records))
    for (const [change, result] of changesOfMissing("A")) yield* checkResult(store, change, result)
    yield* checkAnswers(store, expectedAnswers(records))
    yield* same("the undistributed events", idsOf(yield* ask(store, { _tag: "UndistributedEvents", limit: 9 })), [
      "evt_a"
    ])
    const free: ReadonlyArray<Change> = [
      put.apiKey(sample.apiKey({ id: "key_2", publicId: "publicA" })),
      put.contact(sample.contact({ id: "con_2", address: "A@example.org" })),
      put.resource(sample.resource({ id: "lst_2", name: "name A" })),
      put.idempotency(sample.idempotencyRecord({ key: "kA" }))
    ]
    const renamed: ReadonlyArray<Change> = [
      put.apiKey(sample.apiKey({ id: "key_3", publicId: "Publica" })),
      put.contact(sample.contact({ id: "con_3", address: "a@EXAMPLE.org" })),
      put.resource(sample.resource({ id: "lst_3", name: "NAME A" })),
      put.apiKey(sample.apiKey({ id: "key_3", publicId: "PublicA", revision: 2 }), 1),
      put.contact(sample.contact({ id: "con_3", address: "a@Example.org", revision: 2 }), 1),
      put.resource(sample.resource({ id: "lst_3", name: "Name a", revision: 2 }), 1),
      put.resource(sample.resource({ id: "lst_4", parent: "lst_A", name: "free" })),
      put.resource(sample.resource({ id: "lst_4", parent: "lst_A", name: "child", revision: 2 }), 1)
    ]
    for (const change of [...free, ...renamed])
      yield* same(`a name in another case, ${change._tag}`, yield* commitResult(store, change), "applied")
  }
)

const changesExact = law(
  "values/changes-differ-by-case",
  "A change of a record leaves a record whose id, address or name differs only in case unchanged, in every index.",
  function* (store) {
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
      const answers: Answers = [
        ...expectedAnswers({ ...records, contact: person }).filter(([{ _tag }]) => _tag !== "ContactPage"),
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
      for (const change of changesOfExisting(changed)) {
        const label = JSON.stringify(change)
        yield* checkResult(store, change, "applied")
        for (const [query, answer] of answers)
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
        yield* Effect.forEach(taking, (change) => commitResult(store, change)),
        ["applied", "AlreadyExists", "AlreadyExists", "applied", "AlreadyExists"]
      )
      yield* commit(store, remove.contact(other.contact.id, 1))
      const scan = { _tag: "ContactScan", projectId, after: null, skip: 0, limit: 9, scanLimit: 99 } as const
      for (const filters of [{ search: "lovelace" }, { listId: "lst_shared" }]) {
        const { items } = yield* ask(store, { ...scan, filters: { ...noContactFilters, ...filters } })
        yield* same(`the contacts that match ${JSON.stringify(filters)}`, idsOf(items), [person.id])
      }
      const waiting = idsOf(yield* ask(store, { _tag: "UndistributedEvents", limit: 9 }))
      yield* same("whether the other event is distributed", waiting.includes(records.event.id), true)
      yield* commit(store, remove.contact(person.id, 1))
    }
  }
)

const workersExact = law(
  "claim/names-are-exact",
  "Workers and subscribers whose names differ only in case are different.",
  function* (store) {
    yield* commit(
      store,
      insert.delivery(sample.delivery()),
      insert.eventDelivery(sample.eventDelivery({ subscriber: "whk_a" }))
    )
    yield* commit(
      store,
      insert.eventDelivery(sample.eventDelivery({ id: "evd_2", subscriber: "whk_A", dueAt: noon + 5 })),
      insert.eventDelivery(sample.eventDelivery({ id: "evd_3", subscriber: "whk_b", dueAt: noon + 6 })),
      insert.eventDelivery(sample.eventDelivery({ id: "evd_4", subscriber: "whk_B", dueAt: noon + 4 }))
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
    const claimed = (worker: string) =>
      Effect.map(store.claim({ ...lease, kind: "dueQueued", rotation: wholeRotation, worker }), idsOf)
    yield* same("the deliveries of the first claim", yield* claimed("w"), ["del_1"])
    const next = (worker: string) => ask(store, { _tag: "NextDue", worker, now: noon })
    yield* same("the next due time for the worker", yield* next("w"), null)
    yield* same("the next due time for a worker in another case", yield* next("W"), noon + 10)
    yield* commit(store, endLease("W"))
    yield* commit(store, renewLease("W", noon - 1))
    yield* same("the claim after the end of another lease", yield* claimed("other"), [])
    yield* store.sweep({ kind: "leases", before: noon, limit: 9 })
    yield* same("the lease that is left", yield* next("other"), noon + 10)
    const post = sample.eventDelivery({ id: "evd_5", subscriber: "whk_c", worker: "v" })
    yield* commit(
      store,
      insert.delivery(sample.delivery({ id: "del_2", worker: "v" })),
      insert.eventDelivery(post),
      renewLease("V", noon + 50)
    )
    yield* same("the delivery of a worker without a lease", yield* claimed("other"), ["del_2"])
    const pending = yield* ask(store, { _tag: "PendingEventDeliveries", now: noon })
    yield* same("the subscriber of its event delivery", pending.at(-1), { subscriber: "whk_c", dueAt: noon - 1 })
    yield* same("the event delivery of a worker without a lease", yield* events("whk_c"), ["evd_5"])
    yield* same(
      "the number of leases that a sweep deletes",
      yield* store.sweep({ kind: "leases", before: noon + 99, limit: 9 }),
      1
    )
  }
)

export const exactIdLaws: ReadonlyArray<StoreLaw> = [idsDiffer, guardsExact, changesExact, workersExact]
