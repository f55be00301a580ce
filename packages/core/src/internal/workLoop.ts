/**
 * Runs a worker turn after turn under a lease, until it is interrupted.
 */
import type { Scope } from "effect"
import { Effect, Stream } from "effect"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import { defectName } from "./defectName.ts"
import type { WorkerLease } from "./workerLease.ts"

/** A turn that failed is followed by the next one, whatever it failed with. `who` begins the sentence of the log. */
export const undeterred = (who: string, turn: Effect.Effect<void, StoreUnavailable>): Effect.Effect<never> =>
  turn.pipe(
    Effect.catch(({ reason }) => Effect.delay(Effect.logWarning(`${who} waits for the store.`, reason), "1 second")),
    Effect.catchDefect((defect) =>
      Effect.delay(Effect.logError(`${who} failed and goes on.`, defectName(defect)), "1 second")
    ),
    Effect.forever
  )

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
