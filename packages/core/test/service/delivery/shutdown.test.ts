/**
 * A shutdown waits one grace period for all work under way. The next process then waits for nothing.
 */
import { delivery, withTestMail, project, sendEvents, send, stores } from "@mailkeep/test-support"
import { eventLoopTurns } from "@mailkeep/test-support/eventLoop"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { EventSinkShape } from "../../../src/port/EventSink.ts"
import type { SinkOutcome } from "../../../src/domain/event/EventDelivery.ts"
import { MailCore, Webhooks } from "../../../src/index.ts"

/** Interrupts the loop, and returns the milliseconds until its end. */
const stopping = (loop: Fiber.Fiber<never>) =>
  Effect.gen(function* () {
    const from = yield* Clock.currentTimeMillis
    const ending = yield* Effect.forkChild(Fiber.interrupt(loop), { startImmediately: true })
    while (ending.pollUnsafe() === undefined) {
      yield* eventLoopTurns()
      if (ending.pollUnsafe() === undefined) yield* TestClock.adjust("100 millis")
    }
    return (yield* Clock.currentTimeMillis) - from
  })

/** A sink that hangs until `answers`, and then accepts event deliveries. */
const switchable = () => {
  let hangs = true
  let got = 0
  const sink: EventSinkShape = {
    capabilities: { carriesHeaders: true },
    send: () =>
      Effect.suspend((): Effect.Effect<SinkOutcome> => {
        got++
        return hangs ? Effect.never : Effect.succeed({ _tag: "Accepted", status: 200 })
      })
  }
  return { sink, got: () => got, answers: Effect.sync(() => void (hangs = false)) }
}

describe.each(stores)("a shutdown, over $name", (store) => {
  it.each([
    ["the one configured grace period", { graceMillis: 3000 }, 3000],
    [
      "the longer of two grace periods, not their sum",
      { dispatcher: { graceMillis: 2000 }, events: { graceMillis: 1000 } },
      2000
    ],
    ["no time when the grace period is 0", { graceMillis: 0 }, 0]
  ])("waits %s for a hanging hand-off and a hanging webhook", (_, options, millis) => {
    const { sink, got, answers } = switchable()
    const script = [{ recipient: "slow@example.org", acts: [{ act: "hang" }] as const }]
    return withTestMail(store, { ...options, sink, stub: { script } })(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const { webhook } = yield* webhooks.create(project, { url: "https://hooks.example.net/a" })
        const loop = yield* Effect.forkChild(MailCore.run)
        const result = yield* send("slow", { to: "slow@example.org" })
        yield* send("k")
        for (let n = 0; n < 100 && got() === 0; n++) yield* eventLoopTurns()
        expect(got()).toBe(1)
        const took = yield* stopping(loop)
        expect(took).toBeGreaterThanOrEqual(millis)
        expect(took).toBeLessThanOrEqual(millis + 100)
        expect(yield* delivery(result.deliveryIds[0]!)).toMatchObject({
          status: "queued",
          workerDeaths: 0,
          worker: null
        })
        expect((yield* webhooks.listEventDeliveries(project, webhook.id)).items).toMatchObject([
          { status: "pending", attemptCount: 0, attempts: [] }
        ])
        yield* answers
        yield* sendEvents
        expect((yield* webhooks.listEventDeliveries(project, webhook.id)).items).toMatchObject([
          { status: "delivered" }
        ])
      })
    )
  })
})
