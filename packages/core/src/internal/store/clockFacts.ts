/**
 * The time of a decision, and the ids that it may use.
 */
import { Clock, Effect } from "effect"
import type { EventId, IdBlock } from "../../domain/value/Id.ts"
import { idAt } from "../../domain/value/Id.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { IdSource } from "../../port/IdSource.ts"

export interface ClockFacts {
  readonly now: Instant
  readonly ids: IdBlock
}

/** Reads the clock and reserves `count` ids. */
export const clockFacts = (ids: IdSource["Service"], count: number): Effect.Effect<ClockFacts> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.map(ids.reserve(now, count), (block) => ({ now, ids: block }))
  )

/** The facts of a decision that appends at most one event and makes no other record. */
interface EventClockFacts {
  readonly now: Instant
  readonly eventId: EventId
}

/** Reads the clock and reserves the id of one event. */
export const eventClockFacts = (ids: IdSource["Service"]): Effect.Effect<EventClockFacts> =>
  Effect.map(clockFacts(ids, 1), ({ now, ids: block }) => ({ now, eventId: idAt(block, "evt", 0) }))
