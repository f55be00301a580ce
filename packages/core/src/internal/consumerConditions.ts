/**
 * How each consumer of events fares in this process: one that is dead is asked now and then, and costs the others nothing.
 */
import type { Instant } from "../domain/Instant.ts"
import { minuteMillis, secondMillis } from "../domain/Instant.ts"

/** After so many failures on end a consumer is left in peace for a while: 1 s, then twice as long each time up to a minute. */
const failuresOnEndMax = 10
const pauseMillisMax = minuteMillis

interface Condition {
  readonly underWay: number
  /** Failures since it last took something. */
  readonly failures: number
  readonly pausedUntil: Instant
}

const unknown: Condition = { underWay: 0, failures: 0, pausedUntil: 0 }

export interface ConsumerConditions {
  /** How many more pushes may begin, of so many at once; of a consumer that is dead, one. */
  readonly room: (consumer: string, atOnce: number) => number
  /** When it is tried again; 0 when nothing speaks against it, and when the clock was set back since it was paused. */
  readonly pausedUntil: (consumer: string, now: Instant) => Instant
  readonly began: (consumer: string) => void
  readonly ended: (consumer: string) => void
  readonly took: (consumer: string) => void
  readonly failed: (consumer: string, now: Instant) => void
}

export const makeConsumerConditions = (): ConsumerConditions => {
  const known = new Map<string, Condition>()
  const of = (consumer: string) => known.get(consumer) ?? unknown
  const become = (consumer: string, next: Partial<Condition>) => {
    const after = { ...of(consumer), ...next }
    if (after.underWay === 0 && after.failures === 0) known.delete(consumer)
    else known.set(consumer, after)
  }
  return {
    room: (consumer, atOnce) => {
      const { underWay, failures } = of(consumer)
      return (failures >= failuresOnEndMax ? 1 : atOnce) - underWay
    },
    pausedUntil: (consumer, now) => {
      const { pausedUntil } = of(consumer)
      return pausedUntil - now > pauseMillisMax ? 0 : pausedUntil
    },
    began: (consumer) => become(consumer, { underWay: of(consumer).underWay + 1 }),
    ended: (consumer) => become(consumer, { underWay: of(consumer).underWay - 1 }),
    took: (consumer) => become(consumer, { failures: 0, pausedUntil: 0 }),
    failed: (consumer, now) => {
      const failures = of(consumer).failures + 1
      const over = failures - failuresOnEndMax
      become(consumer, {
        failures,
        pausedUntil: over < 0 ? 0 : now + Math.min(pauseMillisMax, secondMillis * 2 ** over)
      })
    }
  }
}
