/**
 * Claims and sweeps on the state. Pure.
 */
import type { Claim, Delivery, Due, EventPush, PushClaim, Sweep } from "@mailkeep/core/domain"
import { claimKinds, longestDueFirst } from "@mailkeep/core/domain"
import { HashMap } from "effect"
import type { State } from "./State.ts"
import { lookUp } from "./State.ts"

interface Claimable extends Due {
  readonly worker: string | null
  readonly token: number
}

/** Stamps the records that have been due longest and are held by nobody alive. */
const claimAmong = <A extends Claimable>(
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
    .map((one): A => ({ ...one, worker, token: one.token + 1 }))
  if (claimed.length === 0) return [claimed, state]
  const held = claimed.reduce((map, one) => HashMap.set(map, one.id, one), records)
  return [claimed, { ...state, ...holding(held), leases: HashMap.set(state.leases, worker, leaseUntil) }]
}

export const claimDeliveries = (state: State, claim: Claim): readonly [ReadonlyArray<Delivery>, State] => {
  const isMeant = ({ status }: Delivery) => status === claimKinds[claim.kind]
  return claimAmong(state, state.deliveries, isMeant, claim, (deliveries) => ({ deliveries }))
}

export const claimPushes = (state: State, claim: PushClaim): readonly [ReadonlyArray<EventPush>, State] => {
  const isMeant = ({ consumer }: EventPush) => consumer === claim.consumer
  return claimAmong(state, state.pushes, isMeant, claim, (pushes) => ({ pushes }))
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
