/**
 * The relay limiter of one process: what it lets start, what it logs and what its health says. The rules are those of `relayLimitState`.
 */
import { Deferred, Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import type { HandOffResult } from "../../../src/decide/delivery/handOffResult.ts"
import { makeRelayLimiter } from "../../../src/internal/delivery/relayLimiter.ts"

const accepted: HandOffResult = {
  _tag: "Accepted",
  reply: { stage: "endOfData", smtpCode: 250, enhancedCode: null, text: "Ok" }
}
const busy: HandOffResult = {
  _tag: "Refused",
  reply: { stage: "greeting", smtpCode: 421, enhancedCode: null, text: "Slow down" }
}
const lost: HandOffResult = { _tag: "NoReply", why: "The connection was lost." }

const withLog = <A>(test: (lines: ReadonlyArray<unknown>) => Effect.Effect<A>) => {
  const lines: Array<unknown> = []
  const logger = Logger.make(({ message }) => void lines.push(message))
  return test(lines).pipe(Effect.provide([TestClock.layer(), Logger.layer([logger])]), Effect.runPromise)
}

it("lets fewer hand-offs start after a busy relay, and as many as before after its answers", () =>
  withLog(() =>
    Effect.gen(function* () {
      const limiter = makeRelayLimiter()
      yield* limiter.setLimit(4)
      expect(yield* limiter.free(1)).toBe(3)
      yield* limiter.record(busy)
      expect(yield* limiter.free(0)).toBe(0)
      expect(yield* limiter.health).toMatchObject({ circuit: "throttled", lastFault: { text: "Slow down" } })
      for (let n = 0; n < 5; n++) yield* limiter.record(accepted)
      expect(yield* limiter.free(0)).toBe(4)
      expect(yield* limiter.health).toMatchObject({ circuit: "closed", pausedUntil: null })
    })
  ))

it("logs one line when no mail leaves any more, and one when the relay takes mail again", () =>
  withLog((lines) =>
    Effect.gen(function* () {
      const limiter = makeRelayLimiter()
      yield* limiter.record(accepted)
      for (let n = 0; n < 9; n++) yield* limiter.record(lost)
      expect(lines.flat()).toEqual(["The relay cannot be reached. Mail waits in the queue."])
      yield* limiter.record(accepted)
      expect(lines.flat().slice(1)).toEqual(["The relay takes mail again."])
    })
  ))

it("counts a hand-off until it ends, also by an interruption", () =>
  withLog(() =>
    Effect.gen(function* () {
      const limiter = makeRelayLimiter()
      const inFlight = Effect.map(limiter.health, (health) => health.inFlight)
      const end = yield* Deferred.make<void>()
      const ended = yield* Effect.forkChild(limiter.duringHandOff(Deferred.await(end)))
      const interrupted = yield* Effect.forkChild(limiter.duringHandOff(Effect.never))
      yield* Effect.yieldNow
      expect(yield* inFlight).toBe(2)
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(ended)
      expect(yield* inFlight).toBe(1)
      yield* Fiber.interrupt(interrupted)
      expect(yield* inFlight).toBe(0)
    })
  ))
