/**
 * Pure functions that delete old records from the state.
 */
import type { Message, MessageSweep, Sweep, SweptCount, SweptMessages } from "@mailkeep/core/adapter"
import { evaluateMessagesBefore, evaluateMessageSweep, sweptCounts } from "@mailkeep/core/adapter"
import { HashMap } from "effect"
import type { State } from "./State.ts"
import { keyOf, lookUp, within } from "./State.ts"

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
  const messages = HashMap.removeMany(state.messages, ended.map(keyOf))
  return [
    { deleted: ended.length, next },
    {
      ...state,
      messages,
      deliveries: HashMap.removeMany(state.deliveries, deliveryKeys),
      attempts: HashMap.removeMany(state.attempts, deliveryKeys),
      contents: HashMap.removeMany(state.contents, unusedContents(messages, ended)),
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
        {
          ...state,
          events: HashMap.removeMany(state.events, gone),
          undistributed: HashMap.removeMany(state.undistributed, gone)
        }
      ]
    }
    case "idempotency": {
      const gone = oldest(
        state.idempotency,
        ({ expiresAt }) => expiresAt,
        ({ projectId, key }) => [projectId, key],
        sweep
      )
      return [gone.length, { ...state, idempotency: HashMap.removeMany(state.idempotency, gone) }]
    }
    case "eventDeliveries": {
      const ended = HashMap.filter(state.eventDeliveries, ({ endedAt }) => endedAt !== null)
      const gone = oldest(
        ended,
        ({ endedAt }) => endedAt!,
        ({ id }) => [id],
        sweep
      )
      return [gone.length, { ...state, eventDeliveries: HashMap.removeMany(state.eventDeliveries, gone) }]
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
      return [gone.length, { ...state, leases: HashMap.removeMany(state.leases, gone) }]
    }
  }
}
