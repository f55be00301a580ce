/**
 * Ends the event deliveries that no process attempts: no process has the handler of their subscription, or an event sink for webhooks. Without an
 * end, no sweep would delete them, and they would take space for ever. Source: decisions 0016 and 0051.
 */
import { Effect, Result } from "effect"
import { endUnattempted } from "../../decide/event/endUnattempted.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { Crypto } from "../../port/Crypto.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import { makeCommit } from "../store/commit.ts"
import { countEnded } from "./eventDeliveryAttempt.ts"
import { randomHex } from "../randomHex.ts"

/**
 * Ends up to `limit` event deliveries of each subscriber that have been due since before `before`, the time before which events are deleted. Returns
 * whether more are left.
 */
export const makeEndUnattempted = (store: MailStoreShape, crypto: Crypto["Service"]) => {
  const commit = makeCommit(store)
  const worker = randomHex(crypto, 8)
  return (before: Instant, now: Instant, limit: number): Effect.Effect<boolean, StoreUnavailable> =>
    Effect.gen(function* () {
      const [pending] = yield* store.read([{ _tag: "PendingEventDeliveries", now: before }])
      const waiting = pending.filter(({ dueAt }) => dueAt < before)
      const counts = yield* Effect.forEach(waiting, ({ subscriber }) =>
        Effect.gen(function* () {
          // Claimed as of `before`: this takes no event delivery that became due later, or whose worker has had a lease since. The lease has ended
          // already, and the fencing token protects the commit.
          const claim = { subscriber, now: before - 1, limit, worker, leaseUntil: before }
          const claimed = yield* store.claimEventDeliveries(claim)
          const ended = yield* commit(Effect.void, () => Result.succeed(endUnattempted(claimed, now)), "once").pipe(
            // Another worker has claimed one of them since.
            Effect.catchTag("Conflict", () => Effect.succeed([]))
          )
          yield* Effect.forEach(ended, countEnded, { discard: true })
          return ended.length
        })
      )
      return counts.includes(limit)
    })
}
