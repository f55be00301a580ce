/**
 * Makes one event delivery for each event and each subscriber of its kind. Source: decision 0016.
 */
import type { Change } from "../../domain/store/Change.ts"
import type { ResourceOf } from "../../domain/store/Resource.ts"
import type { EventDelivery } from "../../domain/event/EventDelivery.ts"
import type { IdBlock } from "../../domain/value/Id.ts"
import { idAt } from "../../domain/value/Id.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { EventRecord } from "../../domain/event/EventRecord.ts"
import type { Decision } from "../store/Decision.ts"

export type Subscriber = ResourceOf<"webhook"> | ResourceOf<"subscription">

/**
 * An event that is not distributed yet, and the ids of its event deliveries. A subscription gets the events of all projects in the order of these ids.
 */
export interface UndistributedEvent {
  readonly event: EventRecord
  readonly ids: IdBlock
}

export interface DistributionFacts {
  readonly now: Instant
  /** Events of one project, oldest first. */
  readonly events: ReadonlyArray<UndistributedEvent>
  /** The webhooks of the project, and the subscriptions, which apply to all projects. */
  readonly subscribers: ReadonlyArray<Subscriber>
}

/**
 * Whether a subscriber receives an event. Times are not compared, because a clock that moved backwards would hide events. Creating a webhook or a
 * subscription first distributes all events so far, so it gets only later events. Enabling a webhook again distributes nothing: the webhook then
 * also gets the events that are not distributed yet.
 */
const receives = (subscriber: Subscriber, { kind }: EventRecord): boolean =>
  subscriber.content.events.includes(kind) &&
  (subscriber.kind === "subscription" || subscriber.content.status === "enabled")

/** The number of events, and of the event deliveries that were made of them. */
export interface Distributed {
  readonly distributed: number
  readonly eventDeliveries: number
}

/** Makes the event deliveries. */
export const distributeEvents = ({ now, events, subscribers }: DistributionFacts): Decision<Distributed> => {
  const eventDeliveries = events
    .flatMap(({ event, ids }) =>
      subscribers
        .filter((subscriber) => receives(subscriber, event))
        .map((subscriber, n) => ({ event, subscriber, id: idAt(ids, "evd", n) }))
    )
    .map(({ event, subscriber, id }): EventDelivery => ({
      id,
      projectId: event.projectId,
      subscriber: subscriber.id,
      eventId: event.id,
      eventKind: event.kind,
      createdAt: now,
      status: "pending",
      dueAt: now,
      worker: null,
      fencingToken: 0,
      attemptCount: 0,
      latestAttempts: [],
      endedAt: null
    }))
  return {
    answer: { distributed: events.length, eventDeliveries: eventDeliveries.length },
    changes: [
      ...events.map(({ event: { projectId, id } }): Change => ({ _tag: "DistributeEvent", projectId, id })),
      ...eventDeliveries.map((eventDelivery): Change => ({ _tag: "InsertEventDelivery", eventDelivery }))
    ]
  }
}
