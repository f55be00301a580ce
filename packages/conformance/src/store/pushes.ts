/**
 * Laws of events on their way to consumers: distributed once, each push with one worker at a time, and gone when it has outlived its use.
 */
import type { EventPush } from "@mailkeep/core/domain"
import { pushState } from "@mailkeep/core/domain"
import type { MailStoreShape } from "@mailkeep/core/port"
import { Effect } from "effect"
import { fateOf, fatesOf, same, tally } from "../expectation.ts"
import { ask, commit, event, idsOf, insert, noon, numbered, otherId, projectId, push } from "./records.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLaw } from "./StoreSubject.ts"

const why = "decisions/0016-events.md"

const claim = (store: MailStoreShape, change: Partial<Parameters<MailStoreShape["claimPushes"]>[0]> = {}) =>
  store.claimPushes({ consumer: "whk_1", now: noon, limit: 100, worker: "w", leaseUntil: noon + 1000, ...change })

const put = (store: MailStoreShape, ...pushes: ReadonlyArray<EventPush>) => commit(store, ...pushes.map(insert.push))

const distributedOnce = storeLaw(
  "outbox/distributed-once",
  { says: "An event is undistributed until it is distributed, which happens once; they come by id.", why },
  (store) =>
    Effect.gen(function* () {
      yield* commit(
        store,
        insert.event(event({ id: "evt_2", projectId: otherId })),
        insert.event(event({ id: "evt_1" })),
        insert.event(event({ id: "evt_3" }))
      )
      const waiting = (limit: number) => Effect.map(ask(store, { _tag: "UndistributedEvents", limit }), idsOf)
      yield* same("the first", yield* waiting(2), ["evt_1", "evt_2"])
      const distribute = (id: `evt_${string}`) => fateOf(commit(store, { _tag: "DistributeEvent", id }))
      yield* same("one", yield* distribute("evt_2"), "applied")
      yield* same("the same again", yield* distribute("evt_2"), "Stale")
      yield* same("none", yield* distribute("evt_9"), "NotFound")
      yield* same("what is left", yield* waiting(9), ["evt_1", "evt_3"])
      yield* same("one by id", yield* ask(store, { _tag: "Event", id: "evt_1" }), event({ id: "evt_1" }))
      const fates = yield* fatesOf(
        Array.from({ length: 20 }, () => commit(store, { _tag: "DistributeEvent", id: "evt_1" }))
      )
      yield* same("of many at once", tally(fates), { applied: 1, Stale: 19 })
    })
)

const takesDue = storeLaw(
  "pushes/takes-what-is-due",
  {
    says: "A claim takes the pending pushes of one consumer that are due, the longest due first, and stamps worker and token.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const due = [push({ id: "psh_3", dueAt: noon - 2 }), push({ id: "psh_2" }), push({ id: "psh_1", dueAt: noon })]
      yield* put(
        store,
        ...due,
        push({ id: "psh_4", dueAt: noon + 1 }),
        push({ id: "psh_5", consumer: "whk_2" }),
        push({ id: "psh_6", status: "delivered", dueAt: null, settledAt: noon })
      )
      const taken = due.map((one) => ({ ...one, worker: "w", token: 1 }))
      yield* same("what was taken", yield* claim(store), taken)
      yield* same("one of them", yield* ask(store, { _tag: "Push", projectId, id: "psh_1" }), taken[2])
    })
)

const noMore = storeLaw(
  "pushes/no-more-than-asked",
  { says: "A claim takes no more pushes than asked for, and what it left the next one takes.", why },
  (store) =>
    Effect.gen(function* () {
      yield* put(store, ...[1, 2, 3, 4, 5].map((n) => push({ id: numbered("psh", n) })))
      for (const found of [[1, 2], [3, 4], [5], []])
        yield* same(
          "the next two",
          idsOf(yield* claim(store, { limit: 2 })),
          found.map((n) => numbered("psh", n))
        )
    })
)

const oneClaimant = storeLaw(
  "pushes/one-claimant-each",
  { says: "Of many workers that claim pushes at once, each push goes to exactly one.", why },
  (store) =>
    Effect.gen(function* () {
      const ids = Array.from({ length: 60 }, (_, n) => numbered("psh", n))
      yield* put(store, ...ids.map((id) => push({ id })))
      const taken = yield* Effect.forEach(
        Array.from({ length: 10 }, (_, n) => n),
        (n) => claim(store, { worker: `w${n}`, limit: 10 }),
        { concurrency: "unbounded" }
      )
      yield* same("who was taken", taken.flatMap(idsOf).toSorted(), ids)
    })
)

const leased = storeLaw(
  "pushes/held-while-the-lease-lives",
  { says: "A push is its worker's until the worker's lease ends; then anybody's.", why },
  (store) =>
    Effect.gen(function* () {
      yield* put(store, push())
      yield* claim(store, { worker: "a", leaseUntil: noon + 10 })
      const next = (now: number) => Effect.map(claim(store, { worker: "b", now, leaseUntil: now + 10 }), idsOf)
      const pending = (now: number) => ask(store, { _tag: "PendingPushes", now })
      yield* same("while it lives", yield* next(noon + 9), [])
      yield* same("what waits meanwhile", yield* pending(noon + 9), [])
      yield* same("what waits when it ends", yield* pending(noon + 10), [{ consumer: "whk_1", dueAt: noon - 1 }])
      yield* same("when it ends", yield* next(noon + 10), ["psh_1"])
      yield* commit(store, { _tag: "EndLease", worker: "b" })
      yield* same("given back", yield* next(noon + 11), ["psh_1"])
    })
)

const fenced = storeLaw(
  "pushes/moves-under-its-token",
  { says: "A push moves only from the status and under the token that the move names.", why },
  (store) =>
    Effect.gen(function* () {
      const held = push({ token: 7 })
      const next = { ...pushState(held), status: "delivered", dueAt: null, settledAt: noon, token: 8 } as const
      const move = (id: "psh_1" | "psh_9", from: "pending" | "failed", token: number) =>
        fateOf(commit(store, { _tag: "MovePush", id, from, token, next }))
      yield* put(store, held)
      yield* same("the same push again", yield* fateOf(put(store, held)), "AlreadyExists")
      yield* same("a move of nothing", yield* move("psh_9", "pending", 7), "NotFound")
      yield* same("under an older token", yield* move("psh_1", "pending", 6), "Stale")
      yield* same("from another status", yield* move("psh_1", "failed", 7), "Stale")
      yield* same("the move it names", yield* move("psh_1", "pending", 7), "applied")
      yield* same("the push", yield* ask(store, { _tag: "Push", projectId, id: "psh_1" }), { ...held, ...next })
    })
)

const listed = storeLaw(
  "pushes/listed-newest-first",
  {
    says: "A consumer's pushes come newest first after a place; waiting ones are told by consumer, the first due.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      yield* put(
        store,
        ...[1, 2, 3, 4].map((n) =>
          push({ id: numbered("psh", n), createdAt: noon + Math.floor(n / 2), dueAt: noon + 10 - n })
        ),
        push({ id: "psh_9", consumer: "whk_2", dueAt: noon + 50 }),
        push({ id: "psh_8", consumer: "whk_3", status: "failed", dueAt: null, settledAt: noon })
      )
      const page = (after: { readonly createdAt: number; readonly id: string } | null) =>
        Effect.map(ask(store, { _tag: "PushPage", projectId, consumer: "whk_1", after, limit: 3 }), idsOf)
      yield* same(
        "the first page",
        yield* page(null),
        [4, 3, 2].map((n) => numbered("psh", n))
      )
      yield* same("the next", yield* page({ createdAt: noon + 1, id: numbered("psh", 2) }), [numbered("psh", 1)])
      yield* same("what waits", yield* ask(store, { _tag: "PendingPushes", now: noon }), [
        { consumer: "whk_1", dueAt: noon + 6 },
        { consumer: "whk_2", dueAt: noon + 50 }
      ])
    })
)

const swept = storeLaw(
  "sweep/settled-pushes-by-age",
  { says: "Pushes that were settled before the instant are deleted, the oldest first; pending ones never.", why },
  (store) =>
    Effect.gen(function* () {
      const settled = (n: number, settledAt: number) =>
        push({ id: numbered("psh", n), status: "failed", dueAt: null, settledAt })
      yield* put(store, settled(1, noon + 1), settled(2, noon), settled(3, noon + 2), push({ id: "psh_9", dueAt: 1 }))
      const sweep = (limit: number) => store.sweep({ kind: "pushes", before: noon + 2, limit })
      const left = ask(store, { _tag: "PushPage", projectId, consumer: "whk_1", after: null, limit: 9 })
      yield* same("one", yield* sweep(1), 1)
      yield* same("what is left", idsOf(yield* left).toSorted(), ["psh_0001", "psh_0003", "psh_9"])
      yield* same("the others", yield* sweep(9), 1)
      yield* same("at last", idsOf(yield* left).toSorted(), ["psh_0003", "psh_9"])
      yield* claim(store, { now: noon, leaseUntil: noon + 1 })
      yield* same("the lease of who holds one", yield* store.sweep({ kind: "leases", before: noon + 9, limit: 9 }), 0)
    })
)

export const pushLaws: ReadonlyArray<StoreLaw> = [
  distributedOnce,
  takesDue,
  noMore,
  oneClaimant,
  leased,
  fenced,
  listed,
  swept
]
