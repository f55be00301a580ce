/**
 * Wakes the loops that wait for work. A wake-up carries at most the project of the work: the loop then reads the store.
 */
import { Clock, Context, Effect, Latch, Layer } from "effect"
import type { ProjectId } from "../../domain/access/Project.ts"
import { minuteMillis } from "../../domain/value/Instant.ts"
import type { News, WakeUpChannel, WakeUpSubscription } from "../../internal/worker/workLoop.ts"

interface Subscriber extends WakeUpSubscription {
  /** Wakes the subscriber, for one project or for `any`. */
  readonly wake: (about: ProjectId | "any") => void
}

const makeSubscriber = (): Subscriber => {
  const latch = Latch.makeUnsafe(true)
  let isAny = true
  let projects = new Set<ProjectId>()
  return {
    latch,
    takeNews: () => {
      const news: News = isAny ? "any" : projects
      isAny = false
      projects = new Set()
      return news
    },
    wake: (about) => {
      if (about === "any") isAny = true
      else projects.add(about)
      latch.openUnsafe()
    }
  }
}

const makeChannel = (): WakeUpChannel => {
  const subscribers = new Set<Subscriber>()
  const wakeAll = (about: ProjectId | "any") =>
    Effect.sync(() => {
      for (const { wake } of subscribers) wake(about)
    })
  return {
    notify: wakeAll("any"),
    notifyOf: wakeAll,
    subscribe: Effect.acquireRelease(
      Effect.sync(() => {
        const subscriber = makeSubscriber()
        subscribers.add(subscriber)
        return subscriber
      }),
      (subscriber) => Effect.sync(() => subscribers.delete(subscriber))
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
