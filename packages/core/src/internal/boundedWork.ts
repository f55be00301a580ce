/**
 * Bounds work that is costly by itself, whoever asks for it.
 */
import { Effect, Semaphore } from "effect"
import { StoreUnavailable } from "../port/MailStore.ts"

/**
 * Runs at most `atOnce` effects at a time and lets `waitingMax` more wait for their turn. Beyond that it fails with `StoreUnavailable`
 * (`overloaded`), which a caller may retry.
 */
export const boundedWork = ({ atOnce, waitingMax }: { readonly atOnce: number; readonly waitingMax: number }) => {
  const turns = Semaphore.makeUnsafe(atOnce)
  let under = 0
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreUnavailable, R> =>
    Effect.acquireUseRelease(
      Effect.suspend(() =>
        under >= atOnce + waitingMax
          ? Effect.fail(new StoreUnavailable({ reason: "overloaded" }))
          : Effect.sync(() => under++)
      ),
      () => turns.withPermit(effect),
      () => Effect.sync(() => under--)
    )
}
