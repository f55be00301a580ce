/**
 * Runs a worker turn after turn under a lease, until it is interrupted.
 */
import type { Scope } from "effect"
import { Clock, Effect, Stream } from "effect"
import { secondMillis } from "../domain/Instant.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import { defectName } from "./defectName.ts"
import type { WorkerLease } from "./workerLease.ts"

/** At most one line for each reason in this time. */
const logEveryMillis = 10 * secondMillis

/** Logs the first failure of a reason at once, and then how many there were, at most every 10 s for each reason. */
const makeFailureLog = () => {
  const reasons = new Map<string, { readonly loggedNanos: bigint; readonly unlogged: number }>()
  return (message: string, reason: string, log: typeof Effect.logWarning): Effect.Effect<void> =>
    Effect.flatMap(Clock.monotonicTimeNanos, (nanos) => {
      const key = `${message} ${reason}`
      const last = reasons.get(key)
      const count = (last?.unlogged ?? 0) + 1
      if (last !== undefined && nanos - last.loggedNanos < BigInt(logEveryMillis) * 1_000_000n) {
        reasons.set(key, { ...last, unlogged: count })
        return Effect.void
      }
      reasons.set(key, { loggedNanos: nanos, unlogged: 0 })
      return log(message, count === 1 ? { reason } : { reason, failures: count })
    })
}

/** A turn that failed is followed by the next one after 1 s, whatever it failed with. `who` begins the sentence of the log. */
export const undeterred = (who: string, turn: Effect.Effect<void, StoreUnavailable>): Effect.Effect<never> =>
  Effect.suspend(() => {
    const logFailure = makeFailureLog()
    return turn.pipe(
      Effect.catch(({ reason }) =>
        Effect.delay(logFailure(`${who} waits for the store.`, reason, Effect.logWarning), "1 second")
      ),
      Effect.catchDefect((defect) =>
        Effect.delay(logFailure(`${who} failed and goes on.`, defectName(defect), Effect.logError), "1 second")
      ),
      Effect.forever
    )
  })

/** Keeps the lease alive while the loop runs, wakes it when another process has written, and gives the lease back at the end. */
export const underLease = (
  { lease, store }: { readonly lease: WorkerLease; readonly store: MailStoreShape },
  notify: Effect.Effect<void>,
  loop: Effect.Effect<never, never, Scope.Scope>
): Effect.Effect<never> =>
  Effect.gen(function* () {
    yield* Effect.addFinalizer(() => lease.giveBack)
    yield* Effect.forkScoped(lease.heartbeat)
    yield* Effect.forkScoped(Stream.runForEach(store.changes, () => notify))
    return yield* Effect.scoped(loop)
  }).pipe(Effect.scoped)
