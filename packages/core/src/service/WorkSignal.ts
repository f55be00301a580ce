/**
 * Tells whoever waits for work that there may be some. Says nothing about what.
 */
import type { Latch } from "effect"
import { Context, Effect, Latch as L, Layer } from "effect"
import type { Scope } from "effect"

const channel = () => {
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

export class WorkSignal extends Context.Service<
  WorkSignal,
  {
    readonly notify: Effect.Effect<void>
    /** Tells whoever waits for events that some were appended. */
    readonly notifyOfEvents: Effect.Effect<void>
    readonly subscribeToEvents: Effect.Effect<Latch.Latch, never, Scope.Scope>
    /** A latch that each `notify` opens, while the scope lasts. Close it before looking for work. */
    readonly subscribe: Effect.Effect<Latch.Latch, never, Scope.Scope>
    /** Notes that a dispatcher of this process looks for work. */
    readonly noteDispatcher: Effect.Effect<void>
    /** Whether a dispatcher of this process has ever looked for work. */
    readonly hasDispatched: Effect.Effect<boolean>
  }
>()("@mailkeep/core/service/WorkSignal") {
  static readonly layer: Layer.Layer<WorkSignal> = Layer.sync(WorkSignal, () => {
    const [work, events] = [channel(), channel()]
    let dispatched = false
    return {
      notify: work.notify,
      subscribe: work.subscribe,
      notifyOfEvents: events.notify,
      subscribeToEvents: events.subscribe,
      noteDispatcher: Effect.sync(() => {
        dispatched = true
      }),
      hasDispatched: Effect.sync(() => dispatched)
    }
  })
}
