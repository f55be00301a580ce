import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { BucketLimit } from "../../../src/domain/plan/TokenBucket.ts"
import { drawMore, drawToken, fullBucket } from "../../../src/domain/plan/TokenBucket.ts"

const limits = fc.record({
  requests: fc.integer({ min: 1, max: 50 }),
  windowMillis: fc.integer({ min: 1, max: 600_000 })
})

describe("a token bucket", () => {
  it("allows a full window of requests at once, then refuses with a wait", () => {
    const limit: BucketLimit = { requests: 3, windowMillis: 3000 }
    let bucket = fullBucket(limit, 0)
    for (const remaining of [2, 1, 0]) {
      const drawn = drawToken(bucket, limit, 0, 1)
      expect(drawn).toMatchObject({ allowed: true, remaining, retryAfterSeconds: 0 })
      bucket = drawn.bucket
    }
    expect(drawToken(bucket, limit, 0, 1)).toMatchObject({ allowed: false, retryAfterSeconds: 1 })
    expect(drawToken(bucket, limit, 999, 1).allowed).toBe(false)
    expect(drawToken(bucket, limit, 1000, 1).allowed).toBe(true)
  })

  it("allows at most its size and the refilled tokens over any span", () => {
    fc.assert(
      fc.property(limits, fc.array(fc.nat(5000), { maxLength: 200, size: "max" }), (limit, gaps) => {
        let bucket = fullBucket(limit, 0)
        let now = 0
        let allowed = 0
        for (const gap of gaps) {
          now += gap
          const drawn = drawToken(bucket, limit, now, 1)
          bucket = drawn.bucket
          if (drawn.allowed) allowed++
        }
        // Each draw may round up by less than the tokens of one millisecond.
        const rounding = (gaps.length * limit.requests) / limit.windowMillis
        expect(allowed).toBeLessThanOrEqual(
          limit.requests + (now * limit.requests) / limit.windowMillis + Math.min(rounding, gaps.length)
        )
      })
    )
  })

  it("allows a request after retryAfterSeconds", () => {
    fc.assert(
      fc.property(limits, fc.array(fc.nat(2000), { minLength: 1, maxLength: 100, size: "max" }), (limit, gaps) => {
        let bucket = fullBucket(limit, 0)
        let now = 0
        for (const gap of gaps) {
          now += gap
          const drawn = drawToken(bucket, limit, now, 1)
          bucket = drawn.bucket
          if (!drawn.allowed) {
            expect(drawn.retryAfterSeconds).toBeGreaterThanOrEqual(1)
            expect(drawToken(bucket, limit, now + drawn.retryAfterSeconds * 1000, 0).allowed).toBe(true)
          }
        }
      })
    )
  })

  it("refuses and refills correctly when the clock steps back", () => {
    const limit: BucketLimit = { requests: 1, windowMillis: 1000 }
    const { bucket } = drawToken(fullBucket(limit, 10_000), limit, 10_000, 1)
    expect(drawToken(bucket, limit, 5000, 1).allowed).toBe(false)
    expect(drawToken(drawToken(bucket, limit, 5000, 1).bucket, limit, 11_000, 1).allowed).toBe(true)
  })

  it("refuses for at most one window after the clock jumps in either direction", () => {
    const jump = fc.integer({ min: -400 * 86_400_000, max: 400 * 86_400_000 })
    fc.assert(
      fc.property(
        limits,
        fc.array(fc.tuple(jump, fc.nat(60)), { minLength: 1, maxLength: 20, size: "max" }),
        (limit, jumps) => {
          const start = 1_800_000_000_000
          let bucket = fullBucket(limit, start)
          let now = start
          for (const [millis, requests] of jumps) {
            now += millis
            for (let request = 0; request <= requests; request++) bucket = drawToken(bucket, limit, now, 1).bucket
          }
          expect(drawToken(bucket, limit, now + limit.windowMillis, 1).allowed).toBe(true)
          const { resetSeconds, retryAfterSeconds } = drawToken(bucket, limit, now, 0)
          const windowSeconds = Math.ceil(limit.windowMillis / 1000)
          expect(resetSeconds).toBeLessThanOrEqual(windowSeconds)
          expect(retryAfterSeconds).toBeLessThanOrEqual(Math.max(1, windowSeconds))
        }
      )
    )
  })

  it("refills within one window after the clock was set back by a day", () => {
    const limit: BucketLimit = { requests: 1, windowMillis: 60_000 }
    const { bucket } = drawToken(fullBucket(limit, 86_400_000), limit, 86_400_000, 1)
    const refused = drawToken(bucket, limit, 0, 1)
    expect(refused).toMatchObject({ allowed: false, retryAfterSeconds: 60 })
    expect(drawToken(refused.bucket, limit, 60_000, 1).allowed).toBe(true)
  })

  it("takes more tokens than it has for a batch, and then refills from below zero", () => {
    const limit: BucketLimit = { requests: 4, windowMillis: 4000 }
    const first = drawToken(fullBucket(limit, 0), limit, 0, 1)
    const batch = drawMore(first.bucket, limit, 0, 9)
    expect(batch).toMatchObject({ allowed: true, remaining: 0, resetSeconds: 10, retryAfterSeconds: 0 })
    expect(drawMore(batch.bucket, limit, 5999, 1)).toMatchObject({ allowed: false, remaining: 0, retryAfterSeconds: 2 })
    expect(drawMore(batch.bucket, limit, 6000, 1).allowed).toBe(true)
    expect(drawToken(batch.bucket, limit, 6000, 1)).toMatchObject({ allowed: false, retryAfterSeconds: 1 })
    expect(drawToken(batch.bucket, limit, 7000, 1).allowed).toBe(true)
  })

  it("allows over any span at most its size, the refilled tokens and one batch", () => {
    fc.assert(
      fc.property(
        limits,
        fc.array(fc.record({ gap: fc.nat(5000), count: fc.integer({ min: 1, max: 100 }) }), {
          maxLength: 200,
          size: "max"
        }),
        (limit, requests) => {
          let bucket = fullBucket(limit, 0)
          let now = 0
          let sent = 0
          for (const { gap, count } of requests) {
            now += gap
            const drawn = drawToken(bucket, limit, now, 1)
            bucket = drawn.bucket
            if (!drawn.allowed) continue
            const more = drawMore(bucket, limit, now, count - 1)
            expect(more.remaining).toBeGreaterThanOrEqual(0)
            bucket = more.bucket
            if (more.allowed) sent += count
          }
          const rounding = (requests.length * limit.requests) / limit.windowMillis
          expect(sent).toBeLessThanOrEqual(
            limit.requests + (now * limit.requests) / limit.windowMillis + Math.min(rounding, requests.length) + 99
          )
        }
      )
    )
  })
})
