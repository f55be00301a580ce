/**
 * Wakes the loops that wait for work. A wake-up carries no data: the loop then reads the store.
 */
import { Context, Effect, Latch, Layer } from "effect"
import type { WakeUpChannel } from "../../internal/workLoop.ts"

const makeChannel = (): WakeUpChannel => {
  const latches = new Set<Latch.Latch>()
  return {
    notify: Effect.sync(() => {
      for (const latch of latches) latch.openUnsafe()
    }),
    subscribe: Effect.acquireRelease(
      Effect.sync(() => {
        const latch = Latch.makeUnsafe(true)
        latches.add(latch)
        return latch
      }),
      (latch) => Effect.sync(() => latches.delete(latch))
    )
  }
}

/** Wakes the dispatcher and the event sender of this process. */
export class WakeUp extends Context.Service<
  WakeUp,
  {
    /** There may be a due delivery. */
    readonly deliveries: WakeUpChannel
    /** An event was appended, or an event delivery is due. */
    readonly events: WakeUpChannel
    /** Records that a dispatcher of this process has started. */
    readonly recordDispatcher: Effect.Effect<void>
    /** Whether a dispatcher of this process has ever started. */
    readonly dispatcherHasStarted: Effect.Effect<boolean>
  }
>()("@mailkeep/core/service/WakeUp") {
  /** Wake-ups between the services that share this layer. */
  static readonly layer: Layer.Layer<WakeUp> = Layer.sync(WakeUp, () => {
    let dispatched = false
    return {
      deliveries: makeChannel(),
      events: makeChannel(),
      recordDispatcher: Effect.sync(() => {
        dispatched = true
      }),
      dispatcherHasStarted: Effect.sync(() => dispatched)
    }
  })
}
