/**
 * A rate limiter of plain async functions: what it is given, the meaning of a rejection, and the effect of an interruption.
 */
import { Context, Effect, Exit, Fiber, Layer } from "effect"
import { expect, it } from "vitest"
import type { PromiseLimiter } from "../../src/adapter.ts"
import { limiterFromPromises, RateLimiter, StoreUnavailable } from "../../src/adapter.ts"
import { bucket, decision } from "./rateDecision.ts"

const limiterOf = (limiter: PromiseLimiter) =>
  Layer.build(limiterFromPromises(limiter)).pipe(
    Effect.map((context) => Context.get(context, RateLimiter)),
    Effect.scoped,
    Effect.runSync
  )

it("passes buckets, tokens and time on, and returns the decision", async () => {
  const calls: Array<unknown> = []
  const limiter = limiterOf({
    take: async (buckets, now) => (calls.push([buckets, now]), decision),
    takeMore: async (buckets, more, now) => (calls.push([buckets, more, now]), { ...decision, remaining: 0 })
  })
  expect(await Effect.runPromise(limiter.take([bucket], 5))).toBe(decision)
  expect(await Effect.runPromise(limiter.takeMore([bucket], 3, 6))).toEqual({ ...decision, remaining: 0 })
  expect(calls).toEqual([
    [[bucket], 5],
    [[bucket], 3, 6]
  ])
})

it("fails when a call rejects with StoreUnavailable", async () => {
  const unavailable = new StoreUnavailable({ reason: "unreachable" })
  const limiter = limiterOf({ take: () => Promise.reject(unavailable), takeMore: () => Promise.reject(unavailable) })
  for (const call of [limiter.take([bucket], 0), limiter.takeMore([bucket], 1, 0)])
    expect(await Effect.runPromise(Effect.flip(call))).toBe(unavailable)
})

it("dies of every other rejection", async () => {
  const defect = new Error("ECONNRESET")
  const limiter = limiterOf({ take: () => Promise.reject(defect), takeMore: () => Promise.reject(defect) })
  for (const call of [limiter.take([bucket], 0), limiter.takeMore([bucket], 1, 0)])
    expect(await Effect.runPromiseExit(call)).toEqual(Exit.die(defect))
})

it("aborts its signal when the request is interrupted", async () => {
  let aborted = 0
  const hang = (signal: AbortSignal) => new Promise<never>(() => signal.addEventListener("abort", () => aborted++))
  const limiter = limiterOf({ take: (_, __, signal) => hang(signal), takeMore: (_, __, ___, signal) => hang(signal) })
  for (const call of [limiter.take([bucket], 0), limiter.takeMore([bucket], 1, 0)])
    await Effect.runPromise(Fiber.interrupt(Effect.runFork(call)))
  expect(aborted).toBe(2)
})
