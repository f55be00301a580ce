/**
 * Pure functions for claims in the state.
 */
import type { Claim, Delivery, Due, EventDelivery, EventDeliveryClaim } from "@mailkeep/core/adapter"
import { claimKinds, isDue, longestDueFirst, roundRobin } from "@mailkeep/core/adapter"
import { HashMap } from "effect"
import type { State } from "./State.ts"
import { keyOf, lookUp } from "./State.ts"

interface Claimable extends Due {
  readonly projectId: string
  readonly worker: string | null
  readonly fencingToken: number
}

/** What a claim of one kind of record needs. */
interface Claiming<A> {
  readonly records: HashMap.HashMap<string, A>
  /** Whether the claim may take the record, if no worker with a live lease has it. */
  readonly isCandidate: (record: A) => boolean
  /** Chooses from the records that the claim may take. */
  readonly choose: (records: ReadonlyArray<A>) => ReadonlyArray<A>
  readonly withRecords: (records: HashMap.HashMap<string, A>) => Partial<State>
}

/** Whether no worker with a live lease has claimed the record. */
export const isUnclaimed = (state: State, worker: string | null, now: number): boolean =>
  worker === null || (lookUp(state.leases, worker)?.leaseUntil ?? now) <= now

const evaluateClaim = <A extends Claimable>(
  state: State,
  { now, worker, leaseUntil }: Pick<Claim, "now" | "worker" | "leaseUntil">,
  { records, isCandidate, choose, withRecords }: Claiming<A>
): readonly [ReadonlyArray<A>, State] => {
  const claimable = [...HashMap.values(records)].filter(
    (one) => isCandidate(one) && isUnclaimed(state, one.worker, now)
  )
  const claimed = choose(claimable).map((one): A => ({ ...one, worker, fencingToken: one.fencingToken + 1 }))
  if (claimed.length === 0) return [claimed, state]
  const updated = claimed.reduce((map, one) => HashMap.set(map, keyOf(one), one), records)
  const leases = HashMap.set(state.leases, worker, { worker, renewedAt: now, leaseUntil })
  return [claimed, { ...state, ...withRecords(updated), leases }]
}

export const claimDeliveries = (state: State, claim: Claim): readonly [ReadonlyArray<Delivery>, State] => {
  const { kind, now, limit, rotation } = claim
  return evaluateClaim(state, claim, {
    records: state.deliveries,
    isCandidate: (one) => one.status === claimKinds[kind] && isDue(one, now),
    choose: (due) => roundRobin(due, limit, rotation),
    withRecords: (deliveries) => ({ deliveries })
  })
}

export const claimEventDeliveries = (
  state: State,
  claim: EventDeliveryClaim
): readonly [ReadonlyArray<EventDelivery>, State] => {
  const { subscriber, now, limit } = claim
  return evaluateClaim(state, claim, {
    records: state.eventDeliveries,
    isCandidate: (one) => one.subscriber === subscriber && one.dueAt !== null && one.dueAt <= now,
    choose: (due) => due.toSorted(longestDueFirst).slice(0, limit),
    withRecords: (eventDeliveries) => ({ eventDeliveries })
  })
}
