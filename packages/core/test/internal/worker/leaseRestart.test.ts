import { settableClock } from "@mailkeep/test-support/settableClock"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import type { Change } from "../../../src/domain/store/Change.ts"
import { minuteMillis, secondMillis } from "../../../src/domain/value/Instant.ts"
import { StoreUnavailable } from "../../../src/index.ts"
import { makeClockJumpDetector } from "../../../src/internal/worker/clockJumpDetector.ts"
import { makeLeaseRestart } from "../../../src/internal/worker/leaseRestart.ts"
import type { MailStoreShape } from "../../../src/port/MailStore.ts"
import { now } from "../../decide/fixtures.ts"

/** A store with one lease that was set a minute after `now`. */
const makeStore = () => {
  const reads: Array<number> = []
  const committed: Array<Change> = []
  let failure: StoreUnavailable | null = null
  const lease = { worker: "w", renewedAt: now + minuteMillis, leaseUntil: now + minuteMillis + 30 * secondMillis }
  const shape = {
    read: ([query]: ReadonlyArray<{ readonly now: number }>) =>
      Effect.suspend(() => {
        reads.push(query!.now - now)
        return failure === null ? Effect.succeed([[lease]]) : Effect.fail(failure)
      }),
    commit: (changes: ReadonlyArray<Change>) => Effect.sync(() => void committed.push(...changes))
  } as unknown as MailStoreShape
  return { shape, reads, committed, fail: (by: StoreUnavailable | null) => void (failure = by) }
}

it("looks for leases of the future at first, after an interval, when the clock was set back, and again after a failure", () => {
  const { shape, reads, committed, fail } = makeStore()
  const restart = makeLeaseRestart(shape, makeClockJumpDetector(10_000), minuteMillis)
  return Effect.gen(function* () {
    yield* TestClock.setTime(now)
    const { byClock, shiftTo } = yield* settableClock
    const readsOf = (act: Effect.Effect<unknown>) =>
      Effect.map(Effect.andThen(act, byClock(restart)), () => reads.splice(0))
    expect(yield* readsOf(Effect.void)).toEqual([secondMillis])
    expect(committed.splice(0)).toEqual([
      { _tag: "RenewLease", worker: "w", renewedAt: now, leaseUntil: now + 30 * secondMillis }
    ])
    expect(yield* readsOf(TestClock.adjust("59 seconds"))).toEqual([])
    expect(yield* readsOf(TestClock.adjust("1 second"))).toEqual([61 * secondMillis])
    expect(yield* readsOf(Effect.andThen(TestClock.adjust("1 second"), shiftTo(-2 * secondMillis)))).toEqual([
      60 * secondMillis
    ])
    fail(new StoreUnavailable({ reason: "locked" }))
    expect(yield* readsOf(TestClock.adjust("60 seconds"))).toHaveLength(1)
    fail(null)
    expect(yield* readsOf(Effect.void)).toHaveLength(1)
    expect(yield* readsOf(Effect.void)).toEqual([])
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)
})
