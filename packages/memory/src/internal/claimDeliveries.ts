/**
 * Pure functions for claims and sweeps of the state.
 */
import type { Claim, Delivery, Due, EventDelivery, EventDeliveryClaim, Sweep } from "@mailkeep/core/adapter"
import { claimKinds, longestDueFirst } from "@mailkeep/core/adapter"
import { HashMap } from "effect"
import type { State } from "./State.ts"
import { lookUp } from "./State.ts"

interface Claimable extends Due {
  readonly worker: string | null
  readonly fencingToken: number
}

/** Claims the records that have been due longest and that no worker with a live lease has. */
const evaluateClaim = <A extends Claimable>(
  state: State,
  records: HashMap.HashMap<string, A>,
  isMeant: (record: A) => boolean,
  { now, limit, worker, leaseUntil }: Omit<Claim, "kind">,
  holding: (records: HashMap.HashMap<string, A>) => Partial<State>
): readonly [ReadonlyArray<A>, State] => {
  const isFree = (holder: string | null) => holder === null || (lookUp(state.leases, holder) ?? now) <= now
  const claimed = [...HashMap.values(records)]
    .filter((one) => isMeant(one) && one.dueAt !== null && one.dueAt <= now && isFree(one.worker))
    .toSorted(longestDueFirst)
    .slice(0, limit)
    .map((one): A => ({ ...one, worker, fencingToken: one.fencingToken + 1 }))
  if (claimed.length === 0) return [claimed, state]
  const updated = claimed.reduce((map, one) => HashMap.set(map, one.id, one), records)
  return [claimed, { ...state, ...holding(updated), leases: HashMap.set(state.leases, worker, leaseUntil) }]
}

export const claimDeliveries = (state: State, claim: Claim): readonly [ReadonlyArray<Delivery>, State] => {
  const isMeant = ({ status }: Delivery) => status === claimKinds[claim.kind]
  return evaluateClaim(state, state.deliveries, isMeant, claim, (deliveries) => ({ deliveries }))
}

export const claimEventDeliveries = (
  state: State,
  claim: EventDeliveryClaim
): readonly [ReadonlyArray<EventDelivery>, State] => {
  const isMeant = ({ subscriber }: EventDelivery) => subscriber === claim.subscriber
  return evaluateClaim(state, state.eventDeliveries, isMeant, claim, (eventDeliveries) => ({ eventDeliveries }))
}

/** The keys of the oldest records before an instant. Keys of the same age come in the order of `tie`. */
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
  const index = a.findIndex((part, i) => part !== b[i])
  return index < 0 ? 0 : a[index]! < b[index]! ? -1 : 1
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
    case "eventDeliveries": {
      const settled = HashMap.filter(state.eventDeliveries, ({ settledAt }) => settledAt !== null)
      const gone = oldest(
        settled,
        ({ settledAt }) => settledAt!,
        ({ id }) => [id],
        sweep
      )
      return [gone.length, { ...state, eventDeliveries: without(state.eventDeliveries, gone) }]
    }
    case "leases": {
      const waiting = [...HashMap.values(state.deliveries), ...HashMap.values(state.eventDeliveries)].filter(
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
