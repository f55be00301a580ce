/**
 * Limits how much costly work this process does at the same time, over all callers or for each key.
 */
import { Effect, Semaphore } from "effect"
import { StoreUnavailable } from "../port/MailStore.ts"

/** At most `atOnce` effects run at a time, and at most `waitingMax` more wait. */
export interface WorkBound {
  readonly atOnce: number
  readonly waitingMax: number
}

/** Bounds the work of each key, such as a project, by itself. An effect above the bound fails with `StoreUnavailable` (`overloaded`). */
export const boundedWorkByKey = ({ atOnce, waitingMax }: WorkBound) => {
  const keys = new Map<string, { readonly permits: Semaphore.Semaphore; underWay: number }>()
  return <A, E, R>(key: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreUnavailable, R> =>
    Effect.acquireUseRelease(
      Effect.suspend(() => {
        const work = keys.get(key) ?? { permits: Semaphore.makeUnsafe(atOnce), underWay: 0 }
        if (work.underWay >= atOnce + waitingMax) return Effect.fail(new StoreUnavailable({ reason: "overloaded" }))
        work.underWay++
        keys.set(key, work)
        return Effect.succeed(work)
      }),
      ({ permits }) => permits.withPermit(effect),
      (work) =>
        Effect.sync(() => {
          if (--work.underWay === 0) keys.delete(key)
        })
    )
}

/**
 * At most `atOnce` effects run at a time over all keys. Each key has a bound of its own, so that the work of one key neither refuses nor long delays the
 * work of another. An effect above the bound of its key fails with `StoreUnavailable` (`overloaded`). A caller may retry it.
 */
export const sharedWork = ({ atOnce, ofKey }: { readonly atOnce: number; readonly ofKey: WorkBound }) => {
  const permits = Semaphore.makeUnsafe(atOnce)
  const byKey = boundedWorkByKey(ofKey)
  return <A, E, R>(key: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreUnavailable, R> =>
    // A key waits here for at most `ofKey.atOnce` effects, so that the keys take turns.
    byKey(key, permits.withPermit(effect))
}
