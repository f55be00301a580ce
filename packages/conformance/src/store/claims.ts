/**
 * Laws of claims: each delivery that is due goes to one worker, oldest first, under a new token.
 */
import type { Claim, Delivery } from "@mailkeep/core/domain"
import { claimableStatuses, claimKinds, deliveryState, deliveryStatuses } from "@mailkeep/core/domain"
import type { MailStoreShape } from "@mailkeep/core/port"
import { Effect } from "effect"
import { fateOf, same, tally } from "../expectation.ts"
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
  { says: "A claim takes deliveries of its status whose time has come, to the millisecond, and no others.", why },
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
        yield* same(`what ${kind} takes`, idsOf(yield* claim(store, { kind })), [
          `del_${claimKinds[kind]}_-1`,
          `del_${claimKinds[kind]}_0`
        ])
    })
)

const oldestFirst = storeLaw(
  "claim/oldest-first",
  { says: "A claim takes the longest due first; of those due at once, by id.", why },
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
  { says: "A claim takes at most as many as it asks for.", why },
  (store) =>
    Effect.gen(function* () {
      yield* insertAll(
        store,
        Array.from({ length: 7 }, (_, n) => delivery({ id: numbered("del", n) }))
      )
      for (const count of [3, 3, 1, 0]) yield* same("how many", (yield* claim(store, { limit: 3 })).length, count)
    })
)

const stamps = storeLaw(
  "claim/stamps-worker-and-token",
  {
    says: "A claim stamps its worker and the next token on each row, changes nothing else, and answers with the rows so.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const before = delivery({ token: 4 })
      yield* commit(store, insert.delivery(before))
      const after = { ...before, worker: "w1", token: 5 }
      yield* same("the answer", yield* claim(store), [after])
      yield* same("what stands", yield* deliveryOf(store, "del_1"), after)
    })
)

const oneClaimant = storeLaw(
  "claim/one-claimant-each",
  { says: "Of many claims at once each delivery goes to exactly one.", why },
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
        "how often each was taken",
        counts,
        Array.from({ length: 60 }, () => 1)
      )
    })
)

const everyWaitingReached = storeLaw(
  "claim/none-is-out-of-reach",
  { says: "Each delivery that waits is taken by exactly one kind of claim, whatever worker its row names.", why },
  (store) =>
    Effect.gen(function* () {
      const rows = claimableStatuses.flatMap((status) =>
        [null, "never-had-a-lease"].map((worker) => delivery({ id: `del_${status}_${worker}`, status, worker }))
      )
      yield* insertAll(store, rows)
      const taken = yield* Effect.forEach(kinds, (kind) => claim(store, { kind, worker: "w9" }))
      yield* same("who was taken", idsOf(taken.flat()).toSorted(), idsOf(rows).toSorted())
    })
)

const liveLease = storeLaw(
  "claim/live-lease-is-exclusive",
  { says: "What a worker with a live lease holds, nobody else can claim.", why },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, insert.delivery(delivery()))
      yield* claim(store)
      const last = noon + leaseMillis - 1
      yield* same("the other's claim", yield* claim(store, { worker: "w2", now: last }), [])
      yield* same("the holder's own", yield* claim(store, { worker: "w1", now: last }), [])
    })
)

const lapsedLease = storeLaw(
  "claim/lapsed-lease-is-claimable",
  { says: "When a worker's lease has ended, what it holds can be claimed, from that very millisecond.", why },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, insert.delivery(delivery()), insert.delivery(delivery({ id: "del_2", status: "sending" })))
      yield* claim(store)
      yield* claim(store, { kind: "lapsedSending" })
      const end = { now: noon + leaseMillis, worker: "w2", leaseUntil: noon + 2 * leaseMillis }
      yield* same("the queued one", idsOf(yield* claim(store, end)), ["del_1"])
      yield* same("the one in sending", idsOf(yield* claim(store, { ...end, kind: "lapsedSending" })), ["del_2"])
    })
)

const renewedLease = storeLaw(
  "claim/renewed-lease-holds",
  { says: "A renewed lease keeps all that its worker holds until its new end.", why },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, insert.delivery(delivery()))
      yield* claim(store)
      yield* commit(store, { _tag: "RenewLease", worker: "w1", leaseUntil: noon + 2 * leaseMillis })
      const later = (now: number) => claim(store, { worker: "w2", now, leaseUntil: now + leaseMillis })
      yield* same("past its first end", yield* later(noon + leaseMillis), [])
      yield* same("past its new end", idsOf(yield* later(noon + 2 * leaseMillis)), ["del_1"])
    })
)

const endedLease = storeLaw(
  "claim/ended-lease-frees",
  { says: "A worker that ends its lease frees at once all that it holds.", why },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, insert.delivery(delivery()))
      yield* claim(store)
      yield* commit(store, { _tag: "EndLease", worker: "w1" })
      yield* same("the other's claim", idsOf(yield* claim(store, { worker: "w2" })), ["del_1"])
      const nobody = commit(store, { _tag: "EndLease", worker: "nobody" })
      yield* same("the end of no lease", yield* fateOf(nobody), "applied")
    })
)

const emptyWritesNothing = storeLaw(
  "claim/empty-claim-is-silent",
  { says: "A claim that takes nothing writes nothing: no lease begins or moves.", why },
  (store) =>
    Effect.gen(function* () {
      yield* claim(store, { worker: "idle", leaseUntil: noon + 5 })
      const [next] = yield* store.read([{ _tag: "NextDue", worker: "other", now: noon }])
      yield* same("when another's lease ends", next, null)
    })
)

const lateWorkerFenced = storeLaw(
  "claim/late-worker-is-fenced",
  { says: "A worker whose delivery was claimed by another can move neither it nor its attempt.", why },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, insert.delivery(delivery({ status: "sending" })), insert.attempt(attempt()))
      const [held] = yield* claim(store, { kind: "lapsedSending" })
      const again = { now: noon + leaseMillis, worker: "w2", leaseUntil: noon + 2 * leaseMillis }
      yield* claim(store, { ...again, kind: "lapsedSending" })
      const { startedAt: _, deliveryId, number, ...state } = attempt()
      const dot = commit(store, {
        _tag: "MoveAttempt",
        deliveryId,
        number,
        token: held!.token,
        from: "started",
        next: { ...state, phase: "dot" }
      })
      yield* same("its final dot", yield* fateOf(dot), "Stale")
      const next = { ...deliveryState(held!), status: "queued", worker: null } as const
      const move = commit(store, { _tag: "MoveDelivery", id: "del_1", from: "sending", token: held!.token, next })
      yield* same("its move", yield* fateOf(move), "Stale")
    })
)

const excludesAMove = storeLaw(
  "claim/excludes-a-move",
  {
    says: "Of a claim and a move of one delivery at once, one wins: what was canceled is not claimed, and what was claimed is not canceled.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const rows = Array.from({ length: 40 }, (_, n) => delivery({ id: numbered("del", n), status: "scheduled" }))
      yield* insertAll(store, rows)
      const canceling = Effect.forEach(
        rows,
        (row) => {
          const next = { ...deliveryState(row), status: "canceled", dueAt: null, worker: null, token: 1 } as const
          return fateOf(commit(store, { _tag: "MoveDelivery", id: row.id, from: "scheduled", token: 0, next }))
        },
        { concurrency: "unbounded" }
      )
      const claiming = Effect.forEach(
        Array.from({ length: 8 }, (_, n) => n),
        (n) => claim(store, { kind: "dueScheduled", worker: `w${n}`, limit: 3 }),
        { concurrency: "unbounded" }
      )
      const [taken, fates] = yield* Effect.all([claiming, canceling], { concurrency: "unbounded" })
      const claimed = new Set(idsOf(taken.flat()))
      for (const [n, { id }] of rows.entries()) {
        yield* same(`the fate of canceling ${id}`, fates[n], claimed.has(id) ? "Stale" : "applied")
        yield* same(
          `what became of ${id}`,
          (yield* deliveryOf(store, id))?.status,
          claimed.has(id) ? "scheduled" : "canceled"
        )
      }
    })
)

const fencesADot = storeLaw(
  "claim/fences-a-dot-in-a-race",
  {
    says: "Once another has claimed a delivery and seen its attempt before the final dot, no dot of the worker before is marked.",
    why
  },
  (store) =>
    Effect.forEach(
      Array.from({ length: 30 }, (_, n) => numbered("del", n)),
      (id) =>
        Effect.gen(function* () {
          yield* commit(store, insert.delivery(delivery({ id, status: "sending", worker: "gone", token: 1 })))
          yield* commit(store, insert.attempt(attempt({ deliveryId: id })))
          const { startedAt: _, deliveryId, number, ...state } = attempt({ deliveryId: id })
          const dot = fateOf(
            commit(store, {
              _tag: "MoveAttempt",
              deliveryId,
              number,
              token: 1,
              from: "started",
              next: { ...state, phase: "dot" }
            })
          )
          const taking = Effect.gen(function* () {
            yield* claim(store, { kind: "lapsedSending", worker: "next" })
            return yield* ask(store, { _tag: "Attempts", deliveryId: id })
          })
          // One time the one begins, the next time the other.
          const both = { concurrency: "unbounded" } as const
          const [seen, fate] = id.endsWith("0")
            ? yield* Effect.all([taking, dot], both)
            : yield* Effect.map(Effect.all([dot, taking], both), ([fate, seen]) => [seen, fate] as const)
          if (seen[0]?.phase === "started") yield* same(`the dot of ${id}`, fate, "Stale")
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
  fencesADot
]
