/**
 * Starts leases again after the wall clock was set back. The lease of a dead worker would otherwise last until the clock shows its end again, and
 * its deliveries would wait that long. Source: decision 0044.
 */
import { Effect, Result } from "effect"
import { restartLeases } from "../../decide/store/lease.ts"
import { secondMillis } from "../../domain/value/Instant.ts"
import type { MailStoreShape } from "../../port/MailStore.ts"
import type { ClockReading } from "./clockJumpDetector.ts"
import { makeCommit } from "../store/commit.ts"

/** Two processes read the clock at slightly different times. */
const toleranceMillis = secondMillis

/**
 * Looks for leases that were set later than now: at first, whenever the clock was set back, and every `everyMillis`. Starts them again from now.
 * A failure of the store is not reported, because the next check does the same.
 */
export const makeLeaseRestart = (
  store: MailStoreShape,
  readClock: Effect.Effect<ClockReading>,
  everyMillis: number
): Effect.Effect<void> => {
  const commit = makeCommit(store)
  let last: ClockReading | undefined
  return Effect.gen(function* () {
    const clock = yield* readClock
    const { now, monotonicMillis } = clock
    if (last !== undefined && now >= last.now && monotonicMillis - last.monotonicMillis < everyMillis) return
    const load = Effect.map(store.read([{ _tag: "LeasesSetAfter", now: now + toleranceMillis }]), ([leases]) => ({
      now,
      leases
    }))
    yield* commit(load, (facts) => Result.succeed(restartLeases(facts)), "once")
    last = clock
  }).pipe(Effect.ignore)
}
