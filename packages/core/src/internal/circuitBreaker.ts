/**
 * One circuit breaker for each subscriber, in the memory of this process. A subscriber that keeps failing gets single attempts with pauses
 * between them, so it does not slow down the other subscribers.
 */
import type { Instant } from "../domain/value/Instant.ts"
import { pauseEnd, pauseMillis } from "./pause.ts"

/** Failures in a row after which a subscriber is paused. */
const failuresInRowMax = 10
interface SubscriberState {
  readonly underWay: number
  /** Failures since the last success. */
  readonly failures: number
  readonly pausedUntil: Instant
}

const initialState: SubscriberState = { underWay: 0, failures: 0, pausedUntil: 0 }

export interface CircuitBreakers {
  /** How many more event deliveries may start when `atOnce` may run. A subscriber that keeps failing gets one at a time. */
  readonly capacity: (subscriber: string, atOnce: number) => number
  /** The end of the pause; 0 without one. */
  readonly pausedUntil: (subscriber: string, now: Instant) => Instant
  /** Counts an event delivery that starts. */
  readonly acquire: (subscriber: string) => void
  /** Counts an event delivery that ended. */
  readonly release: (subscriber: string) => void
  readonly recordSuccess: (subscriber: string) => void
  readonly recordFailure: (subscriber: string, now: Instant) => void
}

export const makeCircuitBreakers = (): CircuitBreakers => {
  const states = new Map<string, SubscriberState>()
  const stateOf = (subscriber: string) => states.get(subscriber) ?? initialState
  const setState = (subscriber: string, next: Partial<SubscriberState>) => {
    const after = { ...stateOf(subscriber), ...next }
    if (after.underWay === 0 && after.failures === 0) states.delete(subscriber)
    else states.set(subscriber, after)
  }
  return {
    capacity: (subscriber, atOnce) => {
      const { underWay, failures } = stateOf(subscriber)
      return (failures >= failuresInRowMax ? 1 : atOnce) - underWay
    },
    pausedUntil: (subscriber, now) => pauseEnd(stateOf(subscriber).pausedUntil, now),
    acquire: (subscriber) => setState(subscriber, { underWay: stateOf(subscriber).underWay + 1 }),
    release: (subscriber) => setState(subscriber, { underWay: stateOf(subscriber).underWay - 1 }),
    recordSuccess: (subscriber) => setState(subscriber, { failures: 0, pausedUntil: 0 }),
    recordFailure: (subscriber, now) => {
      const failures = stateOf(subscriber).failures + 1
      const failuresOverMax = failures - failuresInRowMax
      setState(subscriber, {
        failures,
        pausedUntil: failuresOverMax < 0 ? 0 : now + pauseMillis(failuresOverMax)
      })
    }
  }
}
