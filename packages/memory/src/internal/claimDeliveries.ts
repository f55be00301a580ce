/**
 * Claims and sweeps on the state. Pure.
 */
import type { Claim, Delivery, EventPush, PushClaim, Sweep } from "@mailkeep/core/domain"
import { claimKinds, longestDueFirst } from "@mailkeep/core/domain"
import { HashMap } from "effect"
import type { State } from "./State.ts"
import { lookUp } from "./State.ts"

const isFree = (state: State, worker: string | null, now: number): boolean =>
  worker === null || (lookUp(state.leases, worker) ?? now) <= now

export const claimDeliveries = (
  state: State,
  { kind, now, limit, worker, leaseUntil }: Claim
): readonly [ReadonlyArray<Delivery>, State] => {
  const claimed = [...HashMap.values(state.deliveries)]
    .filter(
      (delivery) =>
        delivery.status === claimKinds[kind] &&
        delivery.dueAt !== null &&
        delivery.dueAt <= now &&
        isFree(state, delivery.worker, now)
    )
    .toSorted(longestDueFirst)
    .slice(0, limit)
    .map((delivery) => ({ ...delivery, worker, token: delivery.token + 1 }))
  if (claimed.length === 0) return [claimed, state]
  const deliveries = claimed.reduce((map, delivery) => HashMap.set(map, delivery.id, delivery), state.deliveries)
  return [claimed, { ...state, deliveries, leases: HashMap.set(state.leases, worker, leaseUntil) }]
}

export const claimPushes = (
  state: State,
  { consumer, now, limit, worker, leaseUntil }: PushClaim
): readonly [ReadonlyArray<EventPush>, State] => {
  const claimed = [...HashMap.values(state.pushes)]
    .filter(
      (push) =>
        push.consumer === consumer && push.dueAt !== null && push.dueAt <= now && isFree(state, push.worker, now)
    )
    .toSorted(longestDueFirst)
    .slice(0, limit)
    .map((push) => ({ ...push, worker, token: push.token + 1 }))
  if (claimed.length === 0) return [claimed, state]
  const pushes = claimed.reduce((map, push) => HashMap.set(map, push.id, push), state.pushes)
  return [claimed, { ...state, pushes, leases: HashMap.set(state.leases, worker, leaseUntil) }]
}

/** The keys of the oldest records before an instant; of one age, in the order that `tie` gives. */
const oldest = <A>(
  map: HashMap.HashMap<string, A>,
  at: (record: A) => number,
  tie: (record: A, key: string) => ReadonlyArray<string>,
  { before, limit }: Sweep
) =>
  [...HashMap.entries(map)]
    .filter(([, record]) => at(record) < before)
    .map(([key, record]) => ({ key, at: at(record), tie: tie(record, key) }))
    .toSorted((a, b) => a.at - b.at || inOrder(a.tie, b.tie))
    .slice(0, limit)
    .map(({ key }) => key)

const inOrder = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
  const place = a.findIndex((part, i) => part !== b[i])
  return place < 0 ? 0 : a[place]! < b[place]! ? -1 : 1
}

const without = <A>(map: HashMap.HashMap<string, A>, keys: ReadonlyArray<string>) => HashMap.removeMany(map, keys)

export const sweepState = (state: State, sweep: Sweep): readonly [number, State] => {
  switch (sweep.kind) {
    case "events": {
      const gone = oldest(
        state.events,
        ({ occurredAt }) => occurredAt,
        ({ id }) => [id],
        sweep
      )
      return [
        gone.length,
        { ...state, events: without(state.events, gone), undistributed: without(state.undistributed, gone) }
      ]
    }
    case "idempotency": {
      const gone = oldest(
        state.idempotency,
        ({ expiresAt }) => expiresAt,
        ({ projectId, key }) => [projectId, key],
        sweep
      )
      return [gone.length, { ...state, idempotency: without(state.idempotency, gone) }]
    }
    case "pushes": {
      const settled = HashMap.filter(state.pushes, ({ settledAt }) => settledAt !== null)
      const gone = oldest(
        settled,
        ({ settledAt }) => settledAt!,
        ({ id }) => [id],
        sweep
      )
      return [gone.length, { ...state, pushes: without(state.pushes, gone) }]
    }
    case "leases": {
      const waiting = [...HashMap.values(state.deliveries), ...HashMap.values(state.pushes)].filter(
        ({ dueAt }) => dueAt !== null
      )
      const holding = new Set(waiting.map(({ worker }) => worker))
      const idle = HashMap.filter(state.leases, (_, worker) => !holding.has(worker))
      const gone = oldest(
        idle,
        (leaseUntil) => leaseUntil,
        (_, worker) => [worker],
        sweep
      )
      return [gone.length, { ...state, leases: without(state.leases, gone) }]
    }
  }
}
