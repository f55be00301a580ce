/**
 * Tests how long a request waits for a rate limiter.
 */
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { boundedRateLimiter } from "../../../src/internal/plan/boundedRateLimiter.ts"
import { bucket, decision } from "../../port/rateDecision.ts"

/** A limiter that answers each call after `seconds`. */
const answeringAfter = (seconds: number) => {
  const answer = Effect.as(Effect.sleep(seconds * 1000), decision)
  return boundedRateLimiter({ take: () => answer, takeMore: () => answer })
}

const afterTenSeconds = <A, E>(call: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const calling = yield* Effect.forkChild(call)
    yield* TestClock.adjust("10 seconds")
    return yield* Fiber.await(calling)
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)

it("returns a decision that arrives before 10 s", async () => {
  const limiter = answeringAfter(9)
  for (const call of [limiter.take([bucket], 0), limiter.takeMore([bucket], 1, 0)])
    expect(await afterTenSeconds(call)).toMatchObject({ _tag: "Success", value: decision })
})

it("fails with StoreUnavailable after 10 s without a decision", async () => {
  const limiter = answeringAfter(11)
  for (const call of [limiter.take([bucket], 0), limiter.takeMore([bucket], 1, 0)])
    expect(await afterTenSeconds(Effect.flip(call))).toMatchObject({
      _tag: "Success",
      value: { _tag: "StoreUnavailable", reason: "unreachable", message: expect.stringContaining("rate limiter") }
    })
})
