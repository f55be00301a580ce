/**
 * Deletes what has outlived its use, in bounded batches, by a clock that has run steadily for a while. Source: decision 0035.
 */
import { Effect } from "effect"
import { sweepKinds } from "../domain/Claim.ts"
import { dayMillis, hourMillis, minuteMillis } from "../domain/Instant.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import type { ClockReading } from "./clockWatch.ts"

const eventRetentionMillis = 30 * dayMillis
const everyMillis = 10 * minuteMillis
const batchMax = 500

/** A process does not sweep before it has watched its clock for so long: a clock that is wrong at start is set right soon. */
const watchedMillisMin = 10 * minuteMillis
/** Nor for so long after the wall clock jumped ahead: what seems to have expired has not, if the clock returns. */
const doubtMillis = dayMillis

/** One batch of each kind, when it is time; answers whether more is left. */
export const makeSweeping = (
  store: MailStoreShape,
  readClock: Effect.Effect<ClockReading>
): Effect.Effect<boolean, StoreUnavailable> => {
  let lastMillis = Number.NEGATIVE_INFINITY
  return Effect.gen(function* () {
    const { now, monotonicMillis, sinceJumpMillis, watchedMillis } = yield* readClock
    if (watchedMillis < watchedMillisMin || sinceJumpMillis < doubtMillis) return false
    if (monotonicMillis - lastMillis < everyMillis) return false
    const before = {
      events: now - eventRetentionMillis,
      idempotency: now,
      leases: now - hourMillis,
      pushes: now - eventRetentionMillis
    }
    const counts = yield* Effect.forEach(sweepKinds, (kind) =>
      store.sweep({ kind, before: before[kind], limit: batchMax })
    )
    const more = counts.some((count) => count === batchMax)
    if (!more) lastMillis = monotonicMillis
    return more
  })
}
