/**
 * Makes one event delivery for each event and each subscriber of its kind. Source: decision 0016.
 */
import type { Change } from "../domain/Change.ts"
import type { ResourceOf } from "../domain/Resource.ts"
import type { EventDelivery } from "../domain/EventDelivery.ts"
import type { IdBlock } from "../domain/Id.ts"
import { idAt } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import type { MailEvent } from "../domain/MailEvent.ts"
import type { Decision } from "./Decision.ts"

export type Subscriber = ResourceOf<"webhook"> | ResourceOf<"subscription">

export interface DistributionFacts {
  readonly now: Instant
  readonly ids: IdBlock
  /** Returns the subscribers of a project, including the subscriptions, which apply to all projects. */
  readonly subscribersOf: (projectId: string) => ReadonlyArray<Subscriber>
}

/**
 * Whether a subscriber receives an event. A new subscriber also receives older events that are not distributed yet.
 * Times are not compared, because a clock that moved backwards would hide events.
 */
const receives = (subscriber: Subscriber, { kind }: MailEvent): boolean =>
  subscriber.content.events.includes(kind) &&
  (subscriber.kind === "subscription" || subscriber.content.status === "enabled")

/** Makes the event deliveries. The answer is their number. */
export const distributeEvents = (
  events: ReadonlyArray<MailEvent>,
  { now, ids, subscribersOf }: DistributionFacts
): Decision<number> => {
  const eventDeliveries = events
    .flatMap((event) =>
      subscribersOf(event.projectId)
        .filter((subscriber) => receives(subscriber, event))
        .map((subscriber) => ({ event, subscriber }))
    )
    .map(({ event, subscriber }, n): EventDelivery => ({
      id: idAt(ids, "evd", n),
      projectId: event.projectId,
      subscriber: subscriber.id,
      eventId: event.id,
      eventKind: event.kind,
      createdAt: now,
      status: "pending",
      dueAt: now,
      worker: null,
      fencingToken: 0,
      attempts: 0,
      latestAttempts: [],
      settledAt: null
    }))
  return {
    answer: eventDeliveries.length,
    changes: [
      ...events.map(({ id }): Change => ({ _tag: "DistributeEvent", id })),
      ...eventDeliveries.map((eventDelivery): Change => ({ _tag: "InsertEventDelivery", eventDelivery }))
    ]
  }
}
