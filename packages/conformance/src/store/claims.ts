/**
 * Laws of claims: one worker gets each due delivery, oldest first, with a new fencing token.
 */
import type { Claim, Delivery, MailStoreShape } from "@mailkeep/core/adapter"
import { claimKinds, claimableStatuses, deliveryStatuses, wholeRotation } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { resultOf, same, tally } from "../expectation.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"
import { commit, endLease, insert, renewLease } from "./changes.ts"
import { deliveryOf } from "./queries.ts"
import { idsOf, noon, numbered, projectId } from "./sampleIds.ts"
import * as sample from "./sampleRecords.ts"

const law = storeLawsFor("decisions/0006-hand-off.md")

export const leaseMillis = 30_000

export const claim = (store: MailStoreShape, change: Partial<Claim> = {}) =>
  store.claim({
    kind: "dueQueued",
    rotation: wholeRotation,
    now: noon,
    limit: 100,
    worker: "w1",
    leaseUntil: noon + leaseMillis,
    ...change
  })

const kinds = Object.keys(claimKinds) as ReadonlyArray<Claim["kind"]>

export const insertAll = (store: MailStoreShape, rows: ReadonlyArray<Delivery>) =>
  Effect.forEach(rows, (row) => commit(store, insert.delivery(row)), { discard: true })

const takesWhatIsDue = law(
  "claim/takes-what-is-due",
  "A claim takes exactly the deliveries that have its status and are due, to the millisecond.",
  function* (store) {
    const rows = deliveryStatuses.flatMap((status) => {
      const waits = (claimableStatuses as ReadonlyArray<string>).includes(status)
      return [noon - 1, noon, noon + 1].map((dueAt) =>
        sample.delivery({ id: `del_${status}_${dueAt - noon}`, status, dueAt: waits ? dueAt : null })
      )
    })
    yield* insertAll(store, rows)
    for (const kind of kinds)
      yield* same(`the deliveries that ${kind} claims`, idsOf(yield* claim(store, { kind })), [
        `del_${claimKinds[kind]}_-1`,
        `del_${claimKinds[kind]}_0`
      ])
  }
)

const oldestFirst = law(
  "claim/oldest-first",
  "A claim takes the deliveries of a project that have been due longest. Deliveries that became due at the same time come by id.",
  function* (store) {
    const dues = [5, 3, 3, 9, 1, 3]
    yield* insertAll(
      store,
      dues.map((due, n) => sample.delivery({ id: numbered("del", n), dueAt: noon - due }))
    )
    const taken = [...(yield* claim(store, { limit: 4 })), ...(yield* claim(store))]
    yield* same(
      "the order",
      idsOf(taken),
      [3, 0, 1, 2, 5, 4].map((n) => numbered("del", n))
    )
  }
)

const noMoreThanAsked = law(
  "claim/no-more-than-asked",
  "A claim takes at most the requested number of deliveries.",
  function* (store) {
    yield* insertAll(store, sample.numberedDeliveries(7))
    for (const count of [3, 3, 1, 0])
      yield* same("the number of claimed deliveries", (yield* claim(store, { limit: 3 })).length, count)
  }
)

const stamps = law(
  "claim/stamps-worker-and-token",
  "A claim writes its worker and the next fencing token to each row, changes nothing else, and returns the changed rows.",
  function* (store) {
    const before = sample.delivery({ fencingToken: 4 })
    yield* commit(store, insert.delivery(before))
    const after = { ...before, worker: "w1", fencingToken: 5 }
    yield* same("the answer", yield* claim(store), [after])
    yield* same("the delivery in the store", yield* deliveryOf(store, "del_1"), after)
    const end = noon + leaseMillis
    yield* same(
      "the answer when the same worker claims the delivery again after its lease",
      yield* claim(store, { now: end, leaseUntil: end + leaseMillis }),
      [{ ...after, fencingToken: 6 }]
    )
  }
)

const oneClaimant = law(
  "claim/one-claimant-each",
  "Of many concurrent claims, exactly one gets each delivery.",
  function* (store) {
    yield* insertAll(store, sample.numberedDeliveries(60))
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
  }
)

const limitsInRace = law(
  "claim/limits-hold-in-a-race",
  "Of many concurrent claims with a limit for each project, none takes more than its limit, and each delivery is in the answer of exactly one.",
  function* (store) {
    const deliveries = sample.numberedDeliveries(60)
    yield* insertAll(store, deliveries)
    const rotation = {
      after: null,
      perProject: 4,
      underWay: [{ projectId, count: 2 }]
    }
    const taken = yield* Effect.all(
      Array.from({ length: 40 }, (_, n) => claim(store, { worker: `w${n}`, limit: 4, rotation })),
      { concurrency: "unbounded" }
    )
    yield* same("claims of more than 2", taken.filter((rows) => rows.length > 2).map(idsOf), [])
    yield* same("the claimed deliveries", idsOf(taken.flat()).toSorted(), idsOf(deliveries).toSorted())
  }
)

const oldestFirstAfterRace = law(
  "claim/oldest-first-after-a-race",
  "After concurrent claims, each claim still takes the deliveries that have been due longest, and no more than it asks for.",
  function* (store) {
    yield* insertAll(
      store,
      sample.numberedDeliveries(60, (n) => ({ dueAt: noon - 60 + n }))
    )
    const raced = yield* Effect.all(
      Array.from({ length: 20 }, (_, n) => claim(store, { worker: `w${n}`, limit: 1 })),
      { concurrency: "unbounded" }
    )
    const taken = new Set(idsOf(raced.flat()))
    const left = Array.from({ length: 60 }, (_, n) => numbered("del", n)).filter((id) => !taken.has(id))
    for (const n of [0, 2, 4])
      yield* same("what a claim of two takes", idsOf(yield* claim(store, { limit: 2 })), left.slice(n, n + 2))
  }
)

const everyWaitingReached = law(
  "claim/none-is-out-of-reach",
  "Exactly one kind of claim takes each waiting delivery, whatever worker its row names.",
  function* (store) {
    const rows = claimableStatuses.flatMap((status) =>
      [null, "never-had-a-lease"].map((worker) => sample.delivery({ id: `del_${status}_${worker}`, status, worker }))
    )
    yield* insertAll(store, rows)
    const taken = yield* Effect.forEach(kinds, (kind) => claim(store, { kind, worker: "w9" }))
    yield* same("the claimed deliveries", idsOf(taken.flat()).toSorted(), idsOf(rows).toSorted())
  }
)

const liveLease = law(
  "claim/live-lease-is-exclusive",
  "While a worker's lease is live, no other worker can claim its deliveries.",
  function* (store) {
    yield* commit(store, insert.delivery(sample.delivery()))
    yield* claim(store)
    const last = noon + leaseMillis - 1
    yield* same("the claim of another worker", yield* claim(store, { worker: "w2", now: last }), [])
    yield* same("the claim of the same worker", yield* claim(store, { worker: "w1", now: last }), [])
  }
)

const lapsedLease = law(
  "claim/lapsed-lease-is-claimable",
  "A delivery can be claimed from the exact millisecond at which the lease of its worker ends.",
  function* (store) {
    yield* commit(
      store,
      insert.delivery(sample.delivery()),
      insert.delivery(sample.delivery({ id: "del_2", status: "sending" }))
    )
    yield* claim(store)
    yield* claim(store, { kind: "abandonedSending" })
    const end = { now: noon + leaseMillis, worker: "w2", leaseUntil: noon + 2 * leaseMillis }
    yield* same("the queued delivery", idsOf(yield* claim(store, end)), ["del_1"])
    yield* same("the delivery in sending", idsOf(yield* claim(store, { ...end, kind: "abandonedSending" })), ["del_2"])
  }
)

const renewedLease = law(
  "claim/renewed-lease-holds",
  "A renewed lease keeps all deliveries of its worker until the new end.",
  function* (store) {
    yield* commit(store, insert.delivery(sample.delivery()))
    yield* claim(store)
    yield* commit(store, renewLease("w1", noon + 2 * leaseMillis))
    const later = (now: number) => claim(store, { worker: "w2", now, leaseUntil: now + leaseMillis })
    yield* same("after the first end of the lease", yield* later(noon + leaseMillis), [])
    yield* same("after the new end of the lease", idsOf(yield* later(noon + 2 * leaseMillis)), ["del_1"])
  }
)

const endedLease = law(
  "claim/ended-lease-frees",
  "When a worker ends its lease, all its deliveries can be claimed at once.",
  function* (store) {
    yield* commit(store, insert.delivery(sample.delivery()))
    yield* claim(store)
    yield* commit(store, endLease("w1"))
    yield* same("the claim of another worker", idsOf(yield* claim(store, { worker: "w2" })), ["del_1"])
    const nobody = commit(store, endLease("nobody"))
    yield* same("the end of a lease that does not exist", yield* resultOf(nobody), "applied")
  }
)

const emptyWritesNothing = law(
  "claim/empty-claim-is-silent",
  "A claim that takes nothing writes nothing: it neither creates nor changes a lease.",
  function* (store) {
    yield* claim(store, { worker: "idle", leaseUntil: noon + 5 })
    const [next] = yield* store.read([{ _tag: "NextDue", worker: "other", now: noon }])
    yield* same("the end of the other worker's lease", next, null)
  }
)

export const claimLaws: ReadonlyArray<StoreLaw> = [
  takesWhatIsDue,
  oldestFirst,
  noMoreThanAsked,
  stamps,
  oneClaimant,
  limitsInRace,
  oldestFirstAfterRace,
  everyWaitingReached,
  liveLease,
  lapsedLease,
  renewedLease,
  endedLease,
  emptyWritesNothing
]
