/**
 * Laws of claims: one worker gets each due delivery, oldest first, with a new fencing token.
 */
import type { Claim, Delivery } from "@mailkeep/core/adapter"
import { claimableStatuses, claimKinds, deliveryState, deliveryStatuses } from "@mailkeep/core/adapter"
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { resultOf, same, tally } from "../expectation.ts"
import { ask, attempt, commit, delivery, deliveryOf, idsOf, insert, noon, numbered } from "./records.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLaw } from "./StoreSubject.ts"

const why = "decisions/0006-hand-off.md"
export const leaseMillis = 30_000

export const claim = (store: MailStoreShape, change: Partial<Claim> = {}) =>
  store.claim({ kind: "dueQueued", now: noon, limit: 100, worker: "w1", leaseUntil: noon + leaseMillis, ...change })

const kinds = Object.keys(claimKinds) as ReadonlyArray<Claim["kind"]>

const insertAll = (store: MailStoreShape, rows: ReadonlyArray<Delivery>) =>
  Effect.forEach(rows, (row) => commit(store, insert.delivery(row)), { discard: true })

const takesWhatIsDue = storeLaw(
  "claim/takes-what-is-due",
  { statement: "A claim takes exactly the deliveries that have its status and are due, to the millisecond.", why },
  (store) =>
    Effect.gen(function* () {
      const rows = deliveryStatuses.flatMap((status) => {
        const waits = (claimableStatuses as ReadonlyArray<string>).includes(status)
        return [noon - 1, noon, noon + 1].map((dueAt) =>
          delivery({ id: `del_${status}_${dueAt - noon}`, status, dueAt: waits ? dueAt : null })
        )
      })
      yield* insertAll(store, rows)
      for (const kind of kinds)
        yield* same(`the deliveries that ${kind} claims`, idsOf(yield* claim(store, { kind })), [
          `del_${claimKinds[kind]}_-1`,
          `del_${claimKinds[kind]}_0`
        ])
    })
)

const oldestFirst = storeLaw(
  "claim/oldest-first",
  {
    statement:
      "A claim takes the deliveries that have been due longest. Deliveries that became due at the same time come by id.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const dues = [5, 3, 3, 9, 1, 3]
      yield* insertAll(
        store,
        dues.map((due, n) => delivery({ id: numbered("del", n), dueAt: noon - due }))
      )
      const taken = [...(yield* claim(store, { limit: 4 })), ...(yield* claim(store))]
      yield* same(
        "the order",
        idsOf(taken),
        [3, 0, 1, 2, 5, 4].map((n) => numbered("del", n))
      )
    })
)

const noMoreThanAsked = storeLaw(
  "claim/no-more-than-asked",
  { statement: "A claim takes at most the requested number of deliveries.", why },
  (store) =>
    Effect.gen(function* () {
      yield* insertAll(
        store,
        Array.from({ length: 7 }, (_, n) => delivery({ id: numbered("del", n) }))
      )
      for (const count of [3, 3, 1, 0])
        yield* same("the number of claimed deliveries", (yield* claim(store, { limit: 3 })).length, count)
    })
)

const stamps = storeLaw(
  "claim/stamps-worker-and-token",
  {
    statement:
      "A claim writes its worker and the next fencing token to each row, changes nothing else, and returns the changed rows.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const before = delivery({ fencingToken: 4 })
      yield* commit(store, insert.delivery(before))
      const after = { ...before, worker: "w1", fencingToken: 5 }
      yield* same("the answer", yield* claim(store), [after])
      yield* same("the delivery in the store", yield* deliveryOf(store, "del_1"), after)
    })
)

const oneClaimant = storeLaw(
  "claim/one-claimant-each",
  { statement: "Of many concurrent claims, exactly one gets each delivery.", why },
  (store) =>
    Effect.gen(function* () {
      yield* insertAll(
        store,
        Array.from({ length: 60 }, (_, n) => delivery({ id: numbered("del", n) }))
      )
      const taken = yield* Effect.all(
        Array.from({ length: 20 }, (_, n) => claim(store, { worker: `w${n}`, limit: 5 })),
        { concurrency: "unbounded" }
      )
      const counts = Object.values(tally(taken.flat().map(({ id }) => id)))
      yield* same(
        "how often each delivery was claimed",
        counts,
        Array.from({ length: 60 }, () => 1)
      )
    })
)

const everyWaitingReached = storeLaw(
  "claim/none-is-out-of-reach",
  { statement: "Exactly one kind of claim takes each waiting delivery, whatever worker its row names.", why },
  (store) =>
    Effect.gen(function* () {
      const rows = claimableStatuses.flatMap((status) =>
        [null, "never-had-a-lease"].map((worker) => delivery({ id: `del_${status}_${worker}`, status, worker }))
      )
      yield* insertAll(store, rows)
      const taken = yield* Effect.forEach(kinds, (kind) => claim(store, { kind, worker: "w9" }))
      yield* same("the claimed deliveries", idsOf(taken.flat()).toSorted(), idsOf(rows).toSorted())
    })
)

const liveLease = storeLaw(
  "claim/live-lease-is-exclusive",
  { statement: "While a worker's lease is live, no other worker can claim its deliveries.", why },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, insert.delivery(delivery()))
      yield* claim(store)
      const last = noon + leaseMillis - 1
      yield* same("the claim of another worker", yield* claim(store, { worker: "w2", now: last }), [])
      yield* same("the claim of the same worker", yield* claim(store, { worker: "w1", now: last }), [])
    })
)

const lapsedLease = storeLaw(
  "claim/lapsed-lease-is-claimable",
  { statement: "A delivery can be claimed from the exact millisecond at which the lease of its worker ends.", why },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, insert.delivery(delivery()), insert.delivery(delivery({ id: "del_2", status: "sending" })))
      yield* claim(store)
      yield* claim(store, { kind: "lapsedSending" })
      const end = { now: noon + leaseMillis, worker: "w2", leaseUntil: noon + 2 * leaseMillis }
      yield* same("the queued delivery", idsOf(yield* claim(store, end)), ["del_1"])
      yield* same("the delivery in sending", idsOf(yield* claim(store, { ...end, kind: "lapsedSending" })), ["del_2"])
    })
)

const renewedLease = storeLaw(
  "claim/renewed-lease-holds",
  { statement: "A renewed lease keeps all deliveries of its worker until the new end.", why },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, insert.delivery(delivery()))
      yield* claim(store)
      yield* commit(store, { _tag: "RenewLease", worker: "w1", leaseUntil: noon + 2 * leaseMillis })
      const later = (now: number) => claim(store, { worker: "w2", now, leaseUntil: now + leaseMillis })
      yield* same("after the first end of the lease", yield* later(noon + leaseMillis), [])
      yield* same("after the new end of the lease", idsOf(yield* later(noon + 2 * leaseMillis)), ["del_1"])
    })
)

const endedLease = storeLaw(
  "claim/ended-lease-frees",
  { statement: "When a worker ends its lease, all its deliveries can be claimed at once.", why },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, insert.delivery(delivery()))
      yield* claim(store)
      yield* commit(store, { _tag: "EndLease", worker: "w1" })
      yield* same("the claim of another worker", idsOf(yield* claim(store, { worker: "w2" })), ["del_1"])
      const nobody = commit(store, { _tag: "EndLease", worker: "nobody" })
      yield* same("the end of a lease that does not exist", yield* resultOf(nobody), "applied")
    })
)

const emptyWritesNothing = storeLaw(
  "claim/empty-claim-is-silent",
  { statement: "A claim that takes nothing writes nothing: it neither creates nor changes a lease.", why },
  (store) =>
    Effect.gen(function* () {
      yield* claim(store, { worker: "idle", leaseUntil: noon + 5 })
      const [next] = yield* store.read([{ _tag: "NextDue", worker: "other", now: noon }])
      yield* same("the end of the other worker's lease", next, null)
    })
)

const lateWorkerFenced = storeLaw(
  "claim/late-worker-is-fenced",
  {
    statement:
      "After another worker claims a delivery, its previous worker can change neither the delivery nor its attempt.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, insert.delivery(delivery({ status: "sending" })), insert.attempt(attempt()))
      const [claimed] = yield* claim(store, { kind: "lapsedSending" })
      const again = { now: noon + leaseMillis, worker: "w2", leaseUntil: noon + 2 * leaseMillis }
      yield* claim(store, { ...again, kind: "lapsedSending" })
      const { startedAt: _, deliveryId, number, ...state } = attempt()
      const finalize = commit(store, {
        _tag: "MoveAttempt",
        deliveryId,
        number,
        fencingToken: claimed!.fencingToken,
        from: "started",
        next: { ...state, phase: "finalizing" }
      })
      yield* same("the change of the attempt to finalizing", yield* resultOf(finalize), "Stale")
      const next = { ...deliveryState(claimed!), status: "queued", worker: null } as const
      const move = commit(store, {
        _tag: "MoveDelivery",
        id: "del_1",
        from: "sending",
        fencingToken: claimed!.fencingToken,
        next
      })
      yield* same("its move", yield* resultOf(move), "Stale")
    })
)

const excludesAMove = storeLaw(
  "claim/excludes-a-move",
  {
    statement:
      "Of a concurrent claim and cancel of one delivery, one wins: a canceled delivery is not claimed, and a claimed one is not canceled.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const rows = Array.from({ length: 40 }, (_, n) => delivery({ id: numbered("del", n), status: "scheduled" }))
      yield* insertAll(store, rows)
      const canceling = Effect.forEach(
        rows,
        (row) => {
          const next = {
            ...deliveryState(row),
            status: "canceled",
            dueAt: null,
            worker: null,
            fencingToken: 1
          } as const
          return resultOf(commit(store, { _tag: "MoveDelivery", id: row.id, from: "scheduled", fencingToken: 0, next }))
        },
        { concurrency: "unbounded" }
      )
      const claiming = Effect.forEach(
        Array.from({ length: 8 }, (_, n) => n),
        (n) => claim(store, { kind: "dueScheduled", worker: `w${n}`, limit: 3 }),
        { concurrency: "unbounded" }
      )
      const [taken, results] = yield* Effect.all([claiming, canceling], { concurrency: "unbounded" })
      const claimed = new Set(idsOf(taken.flat()))
      for (const [n, { id }] of rows.entries()) {
        yield* same(`the result of canceling ${id}`, results[n], claimed.has(id) ? "Stale" : "applied")
        yield* same(
          `the status of ${id}`,
          (yield* deliveryOf(store, id))?.status,
          claimed.has(id) ? "scheduled" : "canceled"
        )
      }
    })
)

const fencesFinalizing = storeLaw(
  "claim/fences-finalizing-in-a-race",
  {
    statement:
      "If another worker has claimed a delivery and read its attempt as not finalizing, the previous worker cannot mark it as finalizing.",
    why
  },
  (store) =>
    Effect.forEach(
      Array.from({ length: 30 }, (_, n) => numbered("del", n)),
      (id) =>
        Effect.gen(function* () {
          yield* commit(store, insert.delivery(delivery({ id, status: "sending", worker: "gone", fencingToken: 1 })))
          yield* commit(store, insert.attempt(attempt({ deliveryId: id })))
          const { startedAt: _, deliveryId, number, ...state } = attempt({ deliveryId: id })
          const finalize = resultOf(
            commit(store, {
              _tag: "MoveAttempt",
              deliveryId,
              number,
              fencingToken: 1,
              from: "started",
              next: { ...state, phase: "finalizing" }
            })
          )
          const taking = Effect.gen(function* () {
            yield* claim(store, { kind: "lapsedSending", worker: "next" })
            return yield* ask(store, { _tag: "Attempts", deliveryId: id })
          })
          // Alternates which of the two begins.
          const both = { concurrency: "unbounded" } as const
          const [seen, result] = id.endsWith("0")
            ? yield* Effect.all([taking, finalize], both)
            : yield* Effect.map(Effect.all([finalize, taking], both), ([result, seen]) => [seen, result] as const)
          if (seen[0]?.phase === "started") yield* same(`the change of ${id} to finalizing`, result, "Stale")
        }),
      { discard: true }
    )
)

export const claimLaws: ReadonlyArray<StoreLaw> = [
  takesWhatIsDue,
  oldestFirst,
  noMoreThanAsked,
  stamps,
  oneClaimant,
  everyWaitingReached,
  liveLease,
  lapsedLease,
  renewedLease,
  endedLease,
  emptyWritesNothing,
  lateWorkerFenced,
  excludesAMove,
  fencesFinalizing
]
