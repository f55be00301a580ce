/**
 * Makes a push of each event for each consumer that wants it. Source: decision 0016.
 */
import type { Change } from "../domain/Change.ts"
import type { DefinitionOf } from "../domain/Definition.ts"
import type { EventPush } from "../domain/EventPush.ts"
import type { IdBlock } from "../domain/Id.ts"
import { idAt } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import type { MailEvent } from "../domain/MailEvent.ts"
import type { Decision } from "./Decision.ts"

export type Consumer = DefinitionOf<"webhook"> | DefinitionOf<"subscription">

export interface DistributionFacts {
  readonly now: Instant
  readonly ids: IdBlock
  /** Of the event's project, and those of every project. */
  readonly consumersOf: (projectId: string) => ReadonlyArray<Consumer>
}

/**
 * A consumer gets what is not distributed yet when it comes, of the kinds that it asked for. Clocks are not asked: one that was set back
 * would hide events.
 */
const wants = (consumer: Consumer, { kind }: MailEvent): boolean =>
  consumer.content.events.includes(kind) && (consumer.kind === "subscription" || consumer.content.status === "enabled")

/** Answers with how many pushes were made. */
export const distributeEvents = (
  events: ReadonlyArray<MailEvent>,
  { now, ids, consumersOf }: DistributionFacts
): Decision<number> => {
  const pushes = events
    .flatMap((event) =>
      consumersOf(event.projectId)
        .filter((consumer) => wants(consumer, event))
        .map((consumer) => ({ event, consumer }))
    )
    .map(({ event, consumer }, n): EventPush => ({
      id: idAt(ids, "psh", n),
      projectId: event.projectId,
      consumer: consumer.id,
      eventId: event.id,
      eventKind: event.kind,
      createdAt: now,
      status: "pending",
      dueAt: now,
      worker: null,
      token: 0,
      attempts: 0,
      tries: [],
      settledAt: null
    }))
  return {
    answer: pushes.length,
    changes: [
      ...events.map(({ id }): Change => ({ _tag: "DistributeEvent", id })),
      ...pushes.map((push): Change => ({ _tag: "InsertPush", push }))
    ]
  }
}
