/**
 * Forgets what has outlived its use, in bounded batches.
 */
import { Clock, Effect } from "effect"
import { sweepKinds } from "../domain/Claim.ts"
import { dayMillis, hourMillis, minuteMillis } from "../domain/Instant.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"

const eventRetentionMillis = 30 * dayMillis
const everyMillis = 10 * minuteMillis
const batchMax = 500

/** One batch of each kind, when it is time; answers whether more is left. */
export const makeSweeping = (store: MailStoreShape): Effect.Effect<boolean, StoreUnavailable> => {
  let lastAt = Number.NEGATIVE_INFINITY
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (now - lastAt < everyMillis) return false
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
    if (!more) lastAt = now
    return more
  })
}
