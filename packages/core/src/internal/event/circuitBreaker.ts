/**
 * One circuit breaker for each subscriber, in the memory of this process. A subscriber that keeps failing gets single attempts with pauses
 * between them, so it does not slow down the other subscribers.
 */
import type { Instant } from "../../domain/value/Instant.ts"
import { pauseEnd, pauseMillis } from "../worker/circuitPause.ts"

/** Failures in a row after which a subscriber is paused. */
const failuresInRowMax = 10

interface SubscriberState {
  readonly underWay: number
  /** Failures since the last success. */
  readonly failures: number
  /** Pauses since the last success. */
  readonly pauses: number
  readonly pausedUntil: Instant
  /** Whether the latest event delivery succeeded, and others are under way since. */
  readonly accepts: boolean
}

const initialState: SubscriberState = { underWay: 0, failures: 0, pauses: 0, pausedUntil: 0, accepts: false }

export interface CircuitBreakers {
  /** How many more event deliveries may start when `atOnce` may run. A subscriber that keeps failing gets one at a time. */
  readonly capacity: (subscriber: string, atOnce: number) => number
  /**
   * The same for event deliveries that wait for the end of earlier ones, at most `ahead` of them. They may start only while the subscriber
   * accepts, and only `atOnce` or more together, so that they share a claim.
   */
  readonly capacityAhead: (subscriber: string, atOnce: number, ahead: number) => number
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
  const capacity = (subscriber: string, atOnce: number): number => {
    const { underWay, failures } = stateOf(subscriber)
    return (failures >= failuresInRowMax ? 1 : atOnce) - underWay
  }
  return {
    capacity,
    capacityAhead: (subscriber, atOnce, ahead) => {
      const { underWay, accepts } = stateOf(subscriber)
      if (!accepts) return capacity(subscriber, atOnce)
      const free = atOnce + ahead - underWay
      return free < atOnce ? 0 : free
    },
    pausedUntil: (subscriber, now) => pauseEnd(stateOf(subscriber).pausedUntil, now),
    acquire: (subscriber) => setState(subscriber, { underWay: stateOf(subscriber).underWay + 1 }),
    release: (subscriber) => setState(subscriber, { underWay: stateOf(subscriber).underWay - 1 }),
    recordSuccess: (subscriber) => setState(subscriber, { failures: 0, pauses: 0, pausedUntil: 0, accepts: true }),
    recordFailure: (subscriber, now) => {
      const before = stateOf(subscriber)
      const failures = before.failures + 1
      // The requests that were under way when a pause began often fail all at once, and do not lengthen it.
      const begins = failures >= failuresInRowMax && pauseEnd(before.pausedUntil, now) === 0
      const pauses = before.pauses + (begins ? 1 : 0)
      setState(subscriber, {
        failures,
        accepts: false,
        pauses,
        pausedUntil: begins ? now + pauseMillis(pauses - 1) : before.pausedUntil
      })
    }
  }
}
