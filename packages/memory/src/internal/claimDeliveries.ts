/**
 * Pure functions for claims and sweeps of the state.
 */
import type {
  Claim,
  Delivery,
  Due,
  EventDelivery,
  EventDeliveryClaim,
  Message,
  MessageSweep,
  Sweep,
  SweptCount,
  SweptMessages
} from "@mailkeep/core/adapter"
import {
  claimKinds,
  evaluateMessagesBefore,
  evaluateMessageSweep,
  isDue,
  longestDueFirst,
  sweptCounts,
  roundRobin
} from "@mailkeep/core/adapter"
import { HashMap } from "effect"
import type { State } from "./State.ts"
import { keyOf, lookUp, within } from "./State.ts"

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

/** The keys of the contents of these messages to which no other message refers. */
export const unusedContents = (messages: State["messages"], deleted: ReadonlyArray<Message>): ReadonlyArray<string> => {
  const contentsOf = ({ projectId, attachments }: Message) => attachments.map(({ hash }) => within(projectId, hash))
  const used = new Set([...HashMap.values(messages)].flatMap(contentsOf))
  return deleted.flatMap(contentsOf).filter((key) => !used.has(key))
}

/** Deletes messages with everything that belongs only to them. */
export const sweepMessages = (state: State, sweep: MessageSweep): readonly [SweptMessages, State] => {
  const deliveriesOf = ({ id, projectId }: Message) =>
    [...HashMap.values(state.deliveries)].filter((one) => one.messageId === id && one.projectId === projectId)
  const examined = evaluateMessagesBefore([...HashMap.values(state.messages)], sweep)
  const { ended, next } = evaluateMessageSweep(examined, deliveriesOf, sweep)
  const deliveries = ended.flatMap(deliveriesOf)
  const deliveryKeys = deliveries.map(keyOf)
  const messages = without(state.messages, ended.map(keyOf))
  return [
    { deleted: ended.length, next },
    {
      ...state,
      messages,
      deliveries: without(state.deliveries, deliveryKeys),
      attempts: without(state.attempts, deliveryKeys),
      contents: without(state.contents, unusedContents(messages, ended)),
      counters: sweptCounts(deliveries).reduce(addToCounter, state.counters)
    }
  ]
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

const addToCounter = (counters: State["counters"], { projectId, name, by }: SweptCount): State["counters"] => {
  const key = within(projectId, name)
  return HashMap.set(counters, key, (lookUp(counters, key) ?? 0) + by)
}

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
      const ended = HashMap.filter(state.eventDeliveries, ({ endedAt }) => endedAt !== null)
      const gone = oldest(
        ended,
        ({ endedAt }) => endedAt!,
        ({ id }) => [id],
        sweep
      )
      return [gone.length, { ...state, eventDeliveries: without(state.eventDeliveries, gone) }]
    }
    case "leases": {
      const waiting = [...HashMap.values(state.deliveries), ...HashMap.values(state.eventDeliveries)].filter(
        ({ dueAt }) => dueAt !== null
      )
      const claimingWorkers = new Set(waiting.map(({ worker }) => worker))
      const idle = HashMap.filter(state.leases, (_, worker) => !claimingWorkers.has(worker))
      const gone = oldest(
        idle,
        ({ leaseUntil }) => leaseUntil,
        (_, worker) => [worker],
        sweep
      )
      return [gone.length, { ...state, leases: without(state.leases, gone) }]
    }
  }
}
