/**
 * Wakes the loops that wait for work. A wake-up carries no data: the loop then reads the store.
 */
import { Clock, Context, Effect, Latch, Layer } from "effect"
import { minuteMillis } from "../../domain/value/Instant.ts"
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

/** A program that calls `tick` of the dispatcher from a timer does so at least this often. */
const betweenTicksMillisMax = minuteMillis

/** Wakes the dispatcher and the event sender of this process. */
export class WakeUp extends Context.Service<
  WakeUp,
  {
    /** There may be a due delivery. */
    readonly deliveries: WakeUpChannel
    /** An event was appended, or an event delivery is due. */
    readonly events: WakeUpChannel
    /** Runs the dispatcher of this process, or one tick of it, and records that it is at work. */
    readonly whileDispatching: <A, E, R>(dispatcher: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Whether a dispatcher of this process is at work, or was in the last minute. */
    readonly isDispatching: Effect.Effect<boolean>
    /** Whether a dispatcher of this process has ever started. */
    readonly dispatcherHasStarted: Effect.Effect<boolean>
  }
>()("@mailkeep/core/service/WakeUp") {
  /** Wake-ups between the services that share this layer. */
  static readonly layer: Layer.Layer<WakeUp> = Layer.sync(WakeUp, () => {
    let dispatched = false
    let atWork = 0
    let endedAt = Number.NEGATIVE_INFINITY
    const end = Effect.map(Clock.currentTimeMillis, (now) => {
      atWork--
      endedAt = now
    })
    return {
      deliveries: makeChannel(),
      events: makeChannel(),
      whileDispatching: (dispatcher) =>
        Effect.suspend(() => {
          dispatched = true
          atWork++
          return Effect.ensuring(dispatcher, end)
        }),
      isDispatching: Effect.map(
        Clock.currentTimeMillis,
        (now) => atWork > 0 || Math.abs(now - endedAt) < betweenTicksMillisMax
      ),
      dispatcherHasStarted: Effect.sync(() => dispatched)
    }
  })
}
