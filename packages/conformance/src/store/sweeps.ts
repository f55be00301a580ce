/**
 * Laws of sweeps: oldest first, ties by id, up to the limit, and never a record that is needed.
 */
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { sweepKinds, wholeRotation } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import { ask, setting } from "./queries.ts"
import { commit, insert, put, renewLease, sweepOldestMessages } from "./changes.ts"
import * as sample from "./sampleRecords.ts"
import { idsOf, noon, otherId, projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0016-events.md")

const events = { _tag: "Events", projectId, after: null, limit: 100 } as const

/** The kinds of records that a sweep deletes. Messages have a sweep of their own. */
const sweptKinds = [...sweepKinds, "messages"] as const
type SweptKind = (typeof sweptKinds)[number]

/** Deletes old records of a kind. Returns their number. */
const sweep = (store: MailStoreShape, kind: SweptKind, before: number, limit: number) =>
  kind === "messages" ? sweepOldestMessages(store, before, limit) : store.sweep({ kind, before, limit })

/** The ages of six records of each kind, in the order of their ids: two old ties, two at the bound, a newer and the oldest. */
const ages = [2, 2, 4, 4, 5, 1]
/** The ids in the order in which a sweep deletes them, without those at or after the bound. */
const order = [5, 0, 1]

const insertAges = (store: MailStoreShape) =>
  Effect.forEach(
    // Not in the order of ids or ages.
    [3, 1, 5, 0, 4, 2],
    (n) => {
      const at = noon + ages[n]!
      // The names of the last two ties are in the order of their projects, not of their keys.
      const project = n === 1 ? otherId : projectId
      return commit(
        store,
        put.idempotency(sample.idempotencyRecord({ projectId: project, key: `k${n === 0 ? "z" : n}`, expiresAt: at })),
        insert.message(sample.message({ id: `msg_${n}`, projectId: project, createdAt: at })),
        insert.event(sample.event({ id: `evt_${n}`, projectId: project, occurredAt: at })),
        insert.eventDelivery(
          sample.eventDelivery({ id: `evd_${n}`, projectId: project, status: "delivered", dueAt: null, endedAt: at })
        ),
        renewLease(`w${n}`, at)
      )
    },
    { discard: true }
  )

/** The numbers of the records of a kind that are left. */
const leftOf = (store: MailStoreShape, kind: SweptKind) =>
  Effect.filter([0, 1, 2, 3, 4, 5], (n) => {
    const project = n === 1 ? otherId : projectId
    switch (kind) {
      case "events":
        return Effect.map(ask(store, { _tag: "Event", projectId: project, id: `evt_${n}` }), (one) => one !== null)
      case "idempotency":
        return Effect.map(
          ask(store, { _tag: "Idempotency", projectId: project, key: `k${n === 0 ? "z" : n}` }),
          (one) => one !== null
        )
      case "messages":
        return Effect.map(ask(store, { _tag: "Message", projectId: project, id: `msg_${n}` }), (one) => one !== null)
      case "eventDeliveries":
        return Effect.map(
          ask(store, { _tag: "EventDelivery", projectId: project, id: `evd_${n}` }),
          (one) => one !== null
        )
      case "leases":
        // A lease that exists protects a delivery before its end.
        return Effect.gen(function* () {
          const row = sample.eventDelivery({
            id: `evd_lease_${n}`,
            subscriber: `lease_${n}`,
            dueAt: noon,
            worker: `w${n}`
          })
          yield* Effect.ignore(commit(store, insert.eventDelivery(row)))
          const pending = yield* ask(store, { _tag: "PendingEventDeliveries", now: noon })
          return !pending.some(({ subscriber }) => subscriber === `lease_${n}`)
        })
    }
  })

const ordered = law(
  "sweep/oldest-first-then-by-id",
  "Each kind of sweep deletes the oldest records first, those of one age by id, up to its limit, and leaves the other kinds.",
  function* (store) {
    yield* insertAges(store)
    const all = [0, 1, 2, 3, 4, 5]
    for (const kind of sweptKinds) {
      const swept: Array<number> = []
      for (const [limit, count] of [
        [1, 1],
        [1, 1],
        [9, 1],
        [9, 0]
      ] as const) {
        const label = `sweep of ${kind} with a limit of ${limit}`
        yield* same(`the number of a ${label}`, yield* sweep(store, kind, noon + 4, limit), count)
        swept.push(...order.slice(swept.length, swept.length + count))
        // The rows that show which leases exist would protect them from the next sweep.
        if (kind === "leases" && swept.length < order.length) continue
        yield* same(
          `the records that are left after a ${label}`,
          yield* leftOf(store, kind),
          all.filter((n) => !swept.includes(n))
        )
      }
      if (kind === "events")
        yield* same("the undistributed events", idsOf(yield* ask(store, { _tag: "UndistributedEvents", limit: 9 })), [
          "evt_2",
          "evt_3",
          "evt_4"
        ])
    }
  }
)

const tied = law(
  "sweep/many-of-one-age",
  "Of many records of one age, a sweep with a limit deletes those with the smallest ids.",
  function* (store) {
    const numbers = Array.from({ length: 12 }, (_, n) => n)
    const letters = numbers.map((n) => "klabcdefghij"[n]!)
    yield* Effect.forEach(
      letters,
      (letter) =>
        commit(
          store,
          put.idempotency(sample.idempotencyRecord({ key: letter, expiresAt: noon }), 1),
          insert.message(sample.message({ id: `msg_${letter}` })),
          insert.event(sample.event({ id: `evt_${letter}` })),
          insert.eventDelivery(
            sample.eventDelivery({ id: `evd_${letter}`, status: "failed", dueAt: null, endedAt: noon })
          ),
          renewLease(letter, noon)
        ),
      { discard: true }
    )
    for (const kind of sweptKinds)
      yield* same(`the number of a sweep of ${kind}`, yield* sweep(store, kind, noon + 1, 5), 5)
    const sorted = letters.toSorted()
    const left = yield* Effect.forEach(sorted, (letter) =>
      store.read([
        { _tag: "Idempotency", projectId, key: letter },
        { _tag: "Message", projectId, id: `msg_${letter}` },
        { _tag: "Event", projectId, id: `evt_${letter}` },
        { _tag: "EventDelivery", projectId, id: `evd_${letter}` }
      ])
    )
    for (const [n, records] of left.entries())
      yield* same(
        `whether the records of ${sorted[n]} are left`,
        records.map((one) => one !== null),
        [n >= 5, n >= 5, n >= 5, n >= 5]
      )
    const rows = sorted.map((letter) => sample.delivery({ id: `del_${letter}`, worker: letter, dueAt: 1 }))
    yield* commit(store, ...rows.map(insert.delivery))
    const free = yield* store.claim({
      kind: "dueQueued",
      rotation: wholeRotation,
      now: noon - 1,
      limit: 99,
      worker: "w",
      leaseUntil: noon
    })
    yield* same(
      "the deliveries of the workers without a lease",
      idsOf(free),
      sorted.slice(0, 5).map((letter) => `del_${letter}`)
    )
  }
)

const neededKept = law(
  "sweep/keeps-what-is-needed",
  "No sweep deletes a pending event delivery, a live idempotency record or an event after the instant, of any project.",
  function* (store) {
    const records = [projectId, otherId].map((project, n) => ({
      pending: sample.eventDelivery({ id: `evd_${n}`, projectId: project, createdAt: 1, dueAt: 1 }),
      live: sample.idempotencyRecord({ projectId: project, key: `k${n}`, expiresAt: noon }),
      event: sample.event({ id: `evt_${n}`, projectId: project, occurredAt: noon })
    }))
    for (const { pending, live, event: one } of records)
      yield* commit(
        store,
        put.setting(pending.id),
        put.idempotency(live, 1),
        insert.event(one),
        insert.eventDelivery(pending)
      )
    for (const kind of sweptKinds)
      yield* same(`the number of a sweep of ${kind}`, yield* sweep(store, kind, noon, 99), 0)
    for (const { pending, live, event: one } of records) {
      const answers = yield* store.read([
        { _tag: "EventDelivery", projectId: pending.projectId, id: pending.id },
        { _tag: "Idempotency", projectId: live.projectId, key: live.key },
        { _tag: "Event", projectId: one.projectId, id: one.id }
      ])
      yield* same(`the records of ${pending.projectId}`, answers, [pending, live, one])
    }
  }
)

const sweptByAge = law(
  "sweep/events-by-age",
  "A sweep deletes events from before an instant, oldest first, up to its limit, and returns the number.",
  function* (store) {
    yield* Effect.forEach([5, 1, 3, 2, 4], (n) =>
      commit(store, insert.event(sample.event({ id: `evt_${n}`, occurredAt: noon - n })))
    )
    const sweep = (limit: number) => store.sweep({ kind: "events", before: noon - 2, limit })
    yield* same("the first sweep", yield* sweep(2), 2)
    yield* same("the events that are left", idsOf(yield* ask(store, events)), ["evt_1", "evt_2", "evt_3"])
    yield* same("the second", yield* sweep(2), 1)
    yield* same("the third", yield* sweep(2), 0)
    yield* same("the remaining events", idsOf(yield* ask(store, events)), ["evt_1", "evt_2"])
  }
)

const sweptKeys = law(
  "sweep/expired-keys-only",
  "A sweep deletes idempotency records that ended before an instant, oldest first, and no live record.",
  function* (store) {
    yield* Effect.forEach([4, 1, 3, 2], (n) =>
      commit(store, put.idempotency(sample.idempotencyRecord({ key: `k${n}`, expiresAt: noon + n })))
    )
    const existing = Effect.forEach([1, 2, 3, 4], (n) =>
      Effect.map(ask(store, { _tag: "Idempotency", projectId, key: `k${n}` }), (one) => one !== null)
    )
    const sweep = (limit: number) => store.sweep({ kind: "idempotency", before: noon + 3, limit })
    yield* same("the first sweep", yield* sweep(1), 1)
    yield* same("the idempotency records after the first sweep", yield* existing, [false, true, true, true])
    yield* same("the second", yield* sweep(9), 1)
    yield* same("the idempotency records that are left", yield* existing, [false, false, true, true])
  }
)

const sweepsNothingElse = law(
  "sweep/touches-its-kind-alone",
  "A sweep deletes no record of another kind, and never a setting, a message or a delivery.",
  function* (store) {
    const record = sample.idempotencyRecord({ expiresAt: noon + 1 })
    yield* commit(store, put.setting("a"), insert.delivery(sample.delivery()))
    yield* commit(store, put.idempotency(record), insert.event(sample.event()))
    const later = { before: noon + 10, limit: 100 }
    yield* store.sweep({ kind: "leases", ...later })
    yield* store.sweep({ kind: "events", ...later })
    yield* same("the key", yield* ask(store, { _tag: "Idempotency", projectId, key: "k" }), record)
    yield* same("the events", yield* ask(store, events), [])
    yield* store.sweep({ kind: "idempotency", ...later })
    yield* same("the setting", yield* setting(store, "a"), "1")
    yield* same("the delivery", yield* ask(store, { _tag: "Delivery", projectId, id: "del_1" }), sample.delivery())
  }
)

export const sweepLaws: ReadonlyArray<StoreLaw> = [sweptByAge, sweptKeys, sweepsNothingElse, ordered, tied, neededKept]
