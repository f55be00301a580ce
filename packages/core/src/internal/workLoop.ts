/**
 * Repeats the turns of a worker under a lease, until it is interrupted.
 */
import type { Scope } from "effect"
import { Clock, Effect, Stream } from "effect"
import { secondMillis } from "../domain/Instant.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import { defectName } from "./defectName.ts"
import type { WorkerLease } from "./workerLease.ts"

/** At most one log line for each reason in this time. */
const logEveryMillis = 10 * secondMillis

/** Logs the first failure of each reason at once. Then logs the number of failures, at most every 10 s for each reason. */
const makeFailureLog = () => {
  const reasons = new Map<string, { readonly loggedNanos: bigint; readonly unlogged: number }>()
  return (message: string, reason: string, log: typeof Effect.logWarning): Effect.Effect<void> =>
    Effect.flatMap(Clock.monotonicTimeNanos, (nanos) => {
      const logKey = `${message} ${reason}`
      const last = reasons.get(logKey)
      const count = (last?.unlogged ?? 0) + 1
      if (last !== undefined && nanos - last.loggedNanos < BigInt(logEveryMillis) * 1_000_000n) {
        reasons.set(logKey, { ...last, unlogged: count })
        return Effect.void
      }
      reasons.set(logKey, { loggedNanos: nanos, unlogged: 0 })
      return log(message, count === 1 ? { reason } : { reason, failures: count })
    })
}

/** Repeats `turn` for ever. After a failure or a defect the next turn starts 1 s later. `workerName` begins each log message. */
export const undeterred = (workerName: string, turn: Effect.Effect<void, StoreUnavailable>): Effect.Effect<never> =>
  Effect.suspend(() => {
    const logFailure = makeFailureLog()
    return turn.pipe(
      Effect.catch(({ reason }) =>
        Effect.delay(logFailure(`${workerName} waits for the store.`, reason, Effect.logWarning), "1 second")
      ),
      Effect.catchDefect((defect) =>
        Effect.delay(logFailure(`${workerName} failed and continues.`, defectName(defect), Effect.logError), "1 second")
      ),
      Effect.forever
    )
  })

/** Renews the lease while the loop runs, wakes the loop after a commit of another process, and ends the lease with the loop. */
export const underLease = (
  { lease, store }: { readonly lease: WorkerLease; readonly store: MailStoreShape },
  notify: Effect.Effect<void>,
  loop: Effect.Effect<never, never, Scope.Scope>
): Effect.Effect<never> =>
  Effect.gen(function* () {
    yield* Effect.addFinalizer(() => lease.release)
    yield* Effect.forkScoped(lease.heartbeat)
    yield* Effect.forkScoped(Stream.runForEach(store.changes, () => notify))
    return yield* Effect.scoped(loop)
  }).pipe(Effect.scoped)
