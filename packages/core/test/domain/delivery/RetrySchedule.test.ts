import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { hourMillis, minuteMillis } from "../../../src/domain/value/Instant.ts"
import {
  defaultRetryPolicy,
  relayFaultWaitMillis,
  lifetimeEnd,
  retryWaitMillis
} from "../../../src/domain/delivery/RetrySchedule.ts"
import { jitterOf } from "../../../src/domain/value/Jitter.ts"

describe("the retry schedule", () => {
  it("waits 1 min, then 5 min, then as long as the time in the queue, from 5 min to 4000 s", () => {
    const middleJitter = 0.5
    expect(retryWaitMillis(1, 0, middleJitter)).toBe(minuteMillis)
    expect(retryWaitMillis(2, minuteMillis, middleJitter)).toBe(5 * minuteMillis)
    expect(retryWaitMillis(3, 4 * minuteMillis, middleJitter)).toBe(5 * minuteMillis)
    expect(retryWaitMillis(4, 20 * minuteMillis, middleJitter)).toBe(20 * minuteMillis)
    expect(retryWaitMillis(9, 48 * hourMillis, middleJitter)).toBe(4_000_000)
  })

  it("waits for a relay with a fault a quarter of the time in the queue, from 1 min to 4000 s", () => {
    const middleJitter = 0.5
    expect(relayFaultWaitMillis(0, middleJitter)).toBe(minuteMillis)
    expect(relayFaultWaitMillis(20 * minuteMillis, middleJitter)).toBe(5 * minuteMillis)
    expect(relayFaultWaitMillis(48 * hourMillis, middleJitter)).toBe(4_000_000)
  })

  it("waits 10 min after an ambiguous attempt, and retries after at most 2 of them and 2 dead workers by default", () =>
    expect(defaultRetryPolicy).toMatchObject({
      ambiguousWaitMillis: 10 * minuteMillis,
      ambiguousRetriesMax: 2,
      workerDeathsMax: 3
    }))

  it("varies a wait by at most 15 % in both directions", () => {
    const jitter = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.nat(300_000_000), jitter, (deferrals, queued, jitter) => {
        const middle = retryWaitMillis(deferrals, queued, 0.5)
        expect(Math.abs(retryWaitMillis(deferrals, queued, jitter) - middle)).toBeLessThanOrEqual(middle * 0.15 + 1)
        expect(relayFaultWaitMillis(queued, jitter)).toBeGreaterThan(50_000)
      })
    )
  })

  it("gives the same jitter to the same delivery and attempt, and spreads other deliveries", () => {
    expect(jitterOf("del_a", 1)).toBe(jitterOf("del_a", 1))
    const seen = Array.from({ length: 1000 }, (_, i) => jitterOf(`del_${i}`, 1))
    expect(Math.min(...seen)).toBeLessThan(0.1)
    expect(Math.max(...seen)).toBeGreaterThan(0.9)
  })

  it("ends after the lifetime or at the expiry time of the send", () => {
    expect(lifetimeEnd(defaultRetryPolicy, 0, null)).toBe(72 * hourMillis)
    expect(lifetimeEnd(defaultRetryPolicy, 0, 60_000)).toBe(60_000)
  })
})
