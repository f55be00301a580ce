/**
 * Deletes expired records in bounded batches, once the clock has been steady for some time. Source: decision 0035.
 */
import { Effect } from "effect"
import { sweepKinds } from "../domain/store/Claim.ts"
import { dayMillis, hourMillis, minuteMillis } from "../domain/value/Instant.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import type { ClockReading } from "./clockWatch.ts"

const eventRetentionMillis = 30 * dayMillis
const everyMillis = 10 * minuteMillis
const batchMax = 500

/** A process watches its clock for this time before it sweeps. A clock that is wrong at the start is usually corrected soon. */
const watchedMillisMin = 10 * minuteMillis
/** A process does not sweep for this time after the wall clock jumped forward, because the clock may be set back. */
const pauseAfterJumpMillis = dayMillis

/** Deletes one batch of each kind, at most every 10 min. Returns whether more expired records are left. */
export const makeSweeping = (
  store: MailStoreShape,
  readClock: Effect.Effect<ClockReading>
): Effect.Effect<boolean, StoreUnavailable> => {
  let lastMillis = Number.NEGATIVE_INFINITY
  return Effect.gen(function* () {
    const { now, monotonicMillis, sinceJumpMillis, watchedMillis } = yield* readClock
    if (watchedMillis < watchedMillisMin || sinceJumpMillis < pauseAfterJumpMillis) return false
    if (monotonicMillis - lastMillis < everyMillis) return false
    const before = {
      events: now - eventRetentionMillis,
      idempotency: now,
      leases: now - hourMillis,
      eventDeliveries: now - eventRetentionMillis
    }
    const counts = yield* Effect.forEach(sweepKinds, (kind) =>
      store.sweep({ kind, before: before[kind], limit: batchMax })
    )
    const more = counts.some((count) => count === batchMax)
    if (!more) lastMillis = monotonicMillis
    return more
  })
}
