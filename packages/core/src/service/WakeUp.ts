/**
 * Wakes the loops that wait for work. A wake-up carries no data: the loop then reads the store.
 */
import type { Latch } from "effect"
import { Context, Effect, Latch as L, Layer } from "effect"
import type { Scope } from "effect"

const makeChannel = () => {
  const latches = new Set<Latch.Latch>()
  return {
    notify: Effect.sync(() => {
      for (const latch of latches) latch.openUnsafe()
    }),
    subscribe: Effect.acquireRelease(
      Effect.sync(() => {
        const latch = L.makeUnsafe(true)
        latches.add(latch)
        return latch
      }),
      (latch) => Effect.sync(() => latches.delete(latch))
    )
  }
}

export class WakeUp extends Context.Service<
  WakeUp,
  {
    /** Wakes the subscribers of `subscribe`: there may be a due delivery. */
    readonly notify: Effect.Effect<void>
    /** Wakes the subscribers of `subscribeToEvents`: an event was appended. */
    readonly notifyEvents: Effect.Effect<void>
    /** A latch that each `notifyEvents` opens, while the scope lasts. Close the latch before each read. */
    readonly subscribeToEvents: Effect.Effect<Latch.Latch, never, Scope.Scope>
    /** A latch that each `notify` opens, while the scope lasts. Close the latch before each read. */
    readonly subscribe: Effect.Effect<Latch.Latch, never, Scope.Scope>
    /** Records that a dispatcher of this process has started. */
    readonly recordDispatcher: Effect.Effect<void>
    /** Whether a dispatcher of this process has ever started. */
    readonly hasDispatched: Effect.Effect<boolean>
  }
>()("@mailkeep/core/service/WakeUp") {
  static readonly layer: Layer.Layer<WakeUp> = Layer.sync(WakeUp, () => {
    const [work, events] = [makeChannel(), makeChannel()]
    let dispatched = false
    return {
      notify: work.notify,
      subscribe: work.subscribe,
      notifyEvents: events.notify,
      subscribeToEvents: events.subscribe,
      recordDispatcher: Effect.sync(() => {
        dispatched = true
      }),
      hasDispatched: Effect.sync(() => dispatched)
    }
  })
}
