/**
 * Mutants of the laws of claims, leases, counters, events, sweeps and time.
 */
import type { Change, Delivery, EventDelivery, EventDeliveryClaim } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { anyToken, never } from "./commitMutants.ts"
import type { Mutation } from "./mutating.ts"
import {
  answering,
  asking,
  changing,
  claiming,
  dropping,
  evading,
  keeping,
  preparing,
  refused,
  rereading
} from "./mutating.ts"

const anyAttemptToken: Mutation = preparing((store, change) =>
  change._tag !== "TransitionAttempt"
    ? Effect.succeed(change)
    : Effect.map(store.read([{ _tag: "Delivery", projectId: "prj_law", id: change.deliveryId }]), ([existing]) => ({
        ...change,
        fencingToken: existing?.fencingToken ?? change.fencingToken
      }))
)

/** Checks the delivery first and marks the attempt as finalizing one turn later. */
const finalizesLate: Mutation = (store) => ({
  ...store,
  commit: (changes) =>
    Effect.gen(function* () {
      const [change] = changes
      if (change?._tag !== "TransitionAttempt") return yield* store.commit(changes)
      const existing = store.read([{ _tag: "Delivery", projectId: "prj_law", id: change.deliveryId }])
      const [before] = yield* existing
      if (before?.fencingToken !== change.fencingToken) return yield* refused(change, "Stale")
      for (let i = 0; i < 5; i++) yield* Effect.yieldNow
      const [now] = yield* existing
      yield* store.commit([{ ...change, fencingToken: now?.fencingToken ?? 0 }])
    })
})

/** A claim with a limit for each project leaves its second delivery out of its answer when another claim has begun meanwhile. */
const lostInRace: Mutation = (store) => {
  let underWay = 0
  return {
    ...store,
    claim: (claim) =>
      Effect.gen(function* () {
        underWay++
        yield* Effect.yieldNow
        const isRaced = underWay > 1
        const rows = yield* store.claim(claim)
        underWay--
        return isRaced && claim.rotation.underWay.length > 0 ? rows.slice(0, 1) : rows
      })
  }
}

/** Marks one more delivery than asked for after many claims. */
const oneMoreAfterRace: Mutation = (store) => {
  let claims = 0
  return { ...store, claim: (claim) => store.claim(claims++ < 20 ? claim : { ...claim, limit: claim.limit + 1 }) }
}

export const recordedApart =
  (gap: Effect.Effect<void>): Mutation =>
  (store) => ({
    ...store,
    commit: (changes) => {
      const [change] = changes
      if (change?._tag !== "RecordIdempotency") return store.commit(changes)
      return Effect.gen(function* () {
        const { projectId, key } = change.record
        const [existing] = yield* store.read([{ _tag: "Idempotency", projectId, key }])
        if (existing !== null && existing.expiresAt > change.now) return yield* refused(change, "AlreadyExists")
        yield* gap
        yield* store.commit([{ ...change, now: never }])
      })
    }
  })

/** Reads the counter, and writes the new value later. */
const lostUpdates: Mutation = (store) => {
  const valueOf = (change: Change) =>
    change._tag !== "AddToCounter"
      ? Effect.succeed(0)
      : Effect.map(
          store.read([{ _tag: "Counters", projectId: change.projectId, names: [change.name] }]),
          ([[value]]) => value!
        )
  return {
    ...store,
    commit: (changes) =>
      Effect.gen(function* () {
        const before = yield* Effect.forEach(changes, valueOf)
        yield* Effect.yieldNow
        const now = yield* Effect.forEach(changes, valueOf)
        yield* store.commit(
          changes.map((change, n) =>
            change._tag === "AddToCounter" ? { ...change, by: before[n]! + change.by - now[n]! } : change
          )
        )
      })
  }
}

const refundsRefused: Mutation = preparing((store, change) =>
  change._tag !== "AddToCounter" || change.by > 0 || change.max === null
    ? Effect.succeed(change)
    : Effect.flatMap(
        store.read([{ _tag: "Counters", projectId: change.projectId, names: [change.name] }]),
        ([[value]]) => (value! + change.by > change.max! ? refused(change, "Exhausted") : Effect.succeed(change))
      )
)

/** Concurrent claims get the same rows. */
const sharedClaims: Mutation = (store) => {
  let under: ReadonlyArray<Delivery> | undefined
  return {
    ...store,
    claim: (claim) =>
      Effect.gen(function* () {
        if (under !== undefined) return under
        under = yield* store.claim(claim)
        yield* Effect.yieldNow
        const rows = under
        under = undefined
        return rows
      })
  }
}

/** Keeps the lease of the last worker and forgets all others. */
const leasesForgotten: Mutation = (store) => {
  const workers = new Set<string>()
  return {
    ...store,
    claim: (claim) =>
      Effect.gen(function* () {
        const others = [...workers].filter((worker) => worker !== claim.worker)
        if (others.length > 0)
          yield* Effect.orDie(store.commit(others.map((worker) => ({ _tag: "EndLease", worker }) as const)))
        workers.add(claim.worker)
        return yield* store.claim(claim)
      })
  }
}

const idleLeases: Mutation = (store) => ({
  ...store,
  claim: (claim) =>
    Effect.tap(store.claim(claim), (rows) => {
      const { worker, now: renewedAt, leaseUntil } = claim
      const renewed = store.commit([{ _tag: "RenewLease", worker, renewedAt, leaseUntil }])
      return rows.length > 0 ? Effect.void : Effect.orDie(renewed)
    })
})

/** Sweeps every lease that ended, even if its worker has a claimed delivery. */
const leasesSwept: Mutation = (store) => {
  const leases = new Map<string, number>()
  return {
    ...store,
    commit: (changes) => {
      for (const change of changes) if (change._tag === "RenewLease") leases.set(change.worker, change.leaseUntil)
      return store.commit(changes)
    },
    claim: (claim) => {
      leases.set(claim.worker, claim.leaseUntil)
      return store.claim(claim)
    },
    sweep: (sweep) => {
      const gone = [...leases].filter(([, until]) => sweep.kind === "leases" && until < sweep.before)
      if (gone.length === 0) return store.sweep(sweep)
      return Effect.as(
        Effect.orDie(store.commit(gone.map(([worker]) => ({ _tag: "EndLease", worker }) as const))),
        gone.length
      )
    }
  }
}

const claimingEventDeliveries =
  (claim: (claim: EventDeliveryClaim) => EventDeliveryClaim): Mutation =>
  (store) => ({ ...store, claimEventDeliveries: (asked) => store.claimEventDeliveries(claim(asked)) })

/** Gives the same event deliveries to all concurrent claims. */
const sharedEventDeliveries: Mutation = (store) => {
  let last: ReadonlyArray<EventDelivery> = []
  return {
    ...store,
    claimEventDeliveries: (claim) =>
      Effect.map(
        store.claimEventDeliveries(claim),
        (rows) => (last = rows.length > 0 ? [...rows.slice(1), rows[0]!] : last)
      )
  }
}

const inclusiveAfter: Mutation = rereading("Events", (store, query) =>
  Effect.map(store.read([{ ...query, after: null, limit: 1000 }]), ([events]) =>
    events.filter(({ id }) => query.after === null || id >= query.after).slice(0, query.limit)
  )
)

/** A worker that claims a delivery again gets its former fencing token. */
const formerToken: Mutation = (store) => {
  const tokens = new Map<string, number>()
  return {
    ...store,
    claim: (claim) =>
      Effect.map(store.claim(claim), (rows) =>
        rows.map((row) => {
          const key = `${row.id} ${claim.worker}`
          const fencingToken = tokens.get(key) ?? row.fencingToken
          tokens.set(key, fencingToken)
          return { ...row, fencingToken }
        })
      )
  }
}

export const claimMutants: Readonly<Record<string, Mutation>> = {
  "claim/takes-what-is-due": claiming((claim) => ({ ...claim, now: claim.now - 1 })),
  "claim/oldest-first": claiming(
    (claim) => claim,
    (rows) => rows.toReversed()
  ),
  "claim/no-more-than-asked": claiming((claim) => ({ ...claim, limit: claim.limit + 1 })),
  "claim/stamps-worker-and-token": formerToken,
  "claim/one-claimant-each": sharedClaims,
  "claim/limits-hold-in-a-race": lostInRace,
  "claim/oldest-first-after-a-race": oneMoreAfterRace,
  "claim/none-is-out-of-reach": changing("InsertDelivery", (change) =>
    change.delivery.worker === null
      ? [change]
      : [change, { _tag: "RenewLease", worker: change.delivery.worker, renewedAt: 0, leaseUntil: never }]
  ),
  "claim/live-lease-is-exclusive": leasesForgotten,
  "claim/lapsed-lease-is-claimable": claiming((claim) => ({ ...claim, leaseUntil: claim.leaseUntil + 1 })),
  "claim/renewed-lease-holds": dropping("RenewLease"),
  "claim/ended-lease-frees": dropping("EndLease"),
  "claim/empty-claim-is-silent": idleLeases,
  "claim/late-worker-is-fenced": anyAttemptToken,
  "claim/excludes-a-move": anyToken,
  "claim/fences-finalizing-in-a-race": finalizesLate,
  "idempotency/one-live-record": evading("RecordIdempotency", (change) => [{ ...change, now: never }]),
  "idempotency/expired-gives-way": changing("RecordIdempotency", (change) => [{ ...change, now: change.now - 1 }]),
  "idempotency/extended": dropping("ExtendIdempotency"),
  "idempotency/one-of-many-recorded": recordedApart(Effect.yieldNow),
  "counters/spent-within-the-limit": changing("AddToCounter", (change) => [
    { ...change, max: change.max === null ? null : change.max + 1 }
  ]),
  "counters/refunds-are-never-refused": refundsRefused,
  "counters/no-update-is-lost": lostUpdates,
  "counters/usage-audit-reports-both-sides": answering("UsageAudit", (usageAudit) => ({
    ...usageAudit,
    scheduledRecipients: 0
  })),
  "outbox/event-exists-with-its-commit": keeping((changes) => changes.filter(({ _tag }) => _tag === "AppendEvent")),
  "outbox/oldest-first-after-a-position": inclusiveAfter,
  "outbox/events-of-a-delivery": answering("EventsOfDelivery", (found) =>
    found.map((one) => ({ ...one, eventDeliveries: one.eventDeliveries.slice(0, 1) }))
  ),
  "outbox/distributed-once": evading("DistributeEvent", () => []),
  "events/takes-what-is-due": claimingEventDeliveries((claim) => ({ ...claim, now: claim.now - 1 })),
  "events/no-more-than-asked": claimingEventDeliveries((claim) => ({ ...claim, limit: claim.limit + 1 })),
  "events/one-claimant-each": sharedEventDeliveries,
  "events/held-while-the-lease-lives": claimingEventDeliveries((claim) => ({
    ...claim,
    leaseUntil: claim.leaseUntil + 1
  })),
  "events/moves-under-its-token": evading("TransitionEventDelivery", () => []),
  "events/listed-newest-first": answering("EventDeliveryPage", (eventDeliveries) => eventDeliveries.toReversed()),
  "sweep/ended-event-deliveries-by-age": (store) => ({
    ...store,
    sweep: (sweep) => store.sweep(sweep.kind === "eventDeliveries" ? { ...sweep, before: sweep.before + 1 } : sweep)
  }),
  "sweep/events-by-age": (store) => ({
    ...store,
    sweep: (sweep) => store.sweep(sweep.kind === "events" ? { ...sweep, before: sweep.before + 1 } : sweep)
  }),
  "sweep/expired-keys-only": (store) => ({
    ...store,
    sweep: (sweep) => store.sweep(sweep.kind === "idempotency" ? { ...sweep, before: sweep.before + 5 } : sweep)
  }),
  "sweep/leases-of-idle-workers-only": leasesSwept,
  "sweep/touches-its-kind-alone": (store) => ({
    ...store,
    sweep: (sweep) =>
      Effect.tap(store.sweep(sweep), () =>
        sweep.kind === "leases" ? store.sweep({ ...sweep, kind: "idempotency" }) : Effect.void
      )
  }),
  "time/only-what-is-given-1999": claiming((claim) => ({ ...claim, now: Math.max(claim.now, Date.now()) })),
  "time/only-what-is-given-2099": claiming((claim) => ({ ...claim, now: Math.min(claim.now, Date.now()) })),
  "time/next-due": answering("NextDue", (next, { now }) => (next === null ? null : Math.max(next, now))),
  "time/backlog": asking("Backlog", (query) => ({ ...query, now: never })),
  "time/work-health": asking("WorkHealth", (query) => ({ ...query, leaseEndedBefore: query.dueBefore })),
  "differential/no-script-finds-a-difference": claiming(
    (claim) => claim,
    (rows, { limit }) => (limit === 3 ? rows.toReversed() : rows)
  )
}
