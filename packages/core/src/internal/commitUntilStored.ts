/**
 * Commits a fact that must not be lost, such as the outcome of a hand-off. Repeats the read, the decision and the commit until the store
 * has the fact, within bounds. Source: decision 0035.
 */
import { Clock, Data, Duration, Effect } from "effect"
import type { Conflict } from "../domain/Change.ts"
import { hourMillis, secondMillis } from "../domain/Instant.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"

/** The fact was not stored within its bound. The claimed row stays claimed until the lease ends. */
export class NotStored extends Data.TaggedError("NotStored")<{
  readonly reason: StoreUnavailable["reason"]
}> {}

/**
 * How long this process keeps an outcome that only it knows, while the store cannot be reached. Longer than a lease on purpose: no other
 * worker can learn the outcome. If another worker has claimed the row since, the fencing token refuses the commit.
 */
export const outcomeKeptMillis = hourMillis

/** Conflicts in a row that are retried at once. After them the writer pauses. */
const conflictsInRowMax = 64
/** Pauses after conflicts. With 64 commits before each, 512 commits in total. */
const conflictPausesMax = 8
const pauseMillisMin = 50
const pauseMillisMax = 5 * secondMillis

const pauseMillis = (pauses: number): number => Math.min(pauseMillisMax, pauseMillisMin * 2 ** Math.min(pauses, 20))

/**
 * Retries at once after a conflict, and after a pause (50 ms, doubled up to 5 s) while the store is unavailable. Fails with `NotStored`
 * after `boundMillis` of monotonic time, after 512 conflicts, and at once when the store is closed. A failed commit may have been applied, so
 * `once` must read again each time. Only the pauses can be interrupted.
 */
export const commitUntilStored = <A>(
  once: Effect.Effect<A, Conflict | StoreUnavailable>,
  boundMillis: number
): Effect.Effect<A, NotStored> =>
  Effect.gen(function* () {
    const startedNanos = yield* Clock.monotonicTimeNanos
    const boundNanos = BigInt(boundMillis) * 1_000_000n
    let conflictPauses = 0
    const retriedConflicts = Effect.retry(
      Effect.tapErrorTag(once, "Conflict", () => Effect.yieldNow),
      {
        while: ({ _tag }) => _tag === "Conflict",
        times: conflictsInRowMax - 1
      }
    ).pipe(Effect.uninterruptible, Effect.result)
    for (let pauses = 0; ; pauses++) {
      const result = yield* retriedConflicts
      if (result._tag === "Success") return result.success
      const { failure } = result
      const reason = failure._tag === "Conflict" ? "contended" : failure.reason
      if (failure._tag === "Conflict") conflictPauses++
      const elapsedNanos = (yield* Clock.monotonicTimeNanos) - startedNanos
      if (reason === "closed" || conflictPauses >= conflictPausesMax || elapsedNanos >= boundNanos)
        return yield* new NotStored({ reason })
      yield* Effect.interruptible(Effect.sleep(Duration.millis(pauseMillis(pauses))))
    }
  })
