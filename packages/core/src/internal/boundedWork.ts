/**
 * Limits how much costly work this process does at the same time, over all callers.
 */
import { Effect, Semaphore } from "effect"
import { StoreUnavailable } from "../port/MailStore.ts"

/**
 * Runs at most `atOnce` effects at a time and queues at most `waitingMax` more. Each further effect fails with `StoreUnavailable`
 * (`overloaded`). A caller may retry it.
 */
export const boundedWork = ({ atOnce, waitingMax }: { readonly atOnce: number; readonly waitingMax: number }) => {
  const permits = Semaphore.makeUnsafe(atOnce)
  let underWay = 0
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreUnavailable, R> =>
    Effect.acquireUseRelease(
      Effect.suspend(() =>
        underWay >= atOnce + waitingMax
          ? Effect.fail(new StoreUnavailable({ reason: "overloaded" }))
          : Effect.sync(() => underWay++)
      ),
      () => permits.withPermit(effect),
      () => Effect.sync(() => underWay--)
    )
}
