/**
 * The time of a decision, and the id of the event that the decision may append.
 */
import { Clock, Effect } from "effect"
import type { EventId } from "../../domain/value/Id.ts"
import { idAt } from "../../domain/value/Id.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { IdSource } from "../../port/IdSource.ts"

export interface ClockFacts {
  readonly now: Instant
  readonly eventId: EventId
}

/** Reads the clock and reserves the id of one event. */
export const clockFacts = (ids: IdSource["Service"]): Effect.Effect<ClockFacts> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    return { now, eventId: idAt(yield* ids.reserve(now, 1), "evt", 0) }
  })
