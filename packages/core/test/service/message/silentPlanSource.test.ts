/**
 * Tests a plan source that does not answer: its calls fail after a while, and later calls are answered again.
 */
import { delivery, expectBalanced, project, send, start, stopped, stores, withTestMail } from "@mailkeep/test-support"
import { eventLoopTurns } from "@mailkeep/test-support/eventLoop"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Contacts, Dispatcher, PlanSource, Sending } from "../../../src/index.ts"
import { at, many } from "./sendOptions.ts"

/** The plans of a product's function whose promises stay pending while `silence` is on. */
const silentPlans = () => {
  let isSilent = false
  return {
    plans: PlanSource.layerFromPromises(() => (isSilent ? new Promise<never>(() => {}) : {})),
    silence: (silent: boolean) => void (isSilent = silent)
  }
}

/** Keeps the lines of the log. */
const logLines = () => {
  const lines: Array<unknown> = []
  return { lines, layer: Logger.layer([Logger.make(({ message }) => void lines.push(message))]) }
}

/** Runs a call while the clock advances by 10 s. Returns its failure. */
const failureOf = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const calling = yield* Effect.forkChild(Effect.flip(call))
    yield* eventLoopTurns(20)
    yield* TestClock.adjust("10 seconds")
    yield* eventLoopTurns(20)
    return calling.pollUnsafe()
  })

describe.each(stores)("a plan source that does not answer, over $name", (store) => {
  it("fails each call that needs the plan after 10 s, and logs the project", () => {
    const { plans, silence } = silentPlans()
    const log = logLines()
    return withTestMail(store, { plans })(
      Effect.gen(function* () {
        const sending = yield* Sending
        const { messageId } = yield* send("k", at(start + 3_600_000))
        silence(true)
        const unavailable = {
          value: { _tag: "StoreUnavailable", reason: "unreachable", detail: expect.stringContaining("plan") }
        }
        expect(yield* failureOf(send("late"))).toMatchObject(unavailable)
        expect(yield* failureOf(sending.reschedule(project, messageId, start + 7_200_000))).toMatchObject(unavailable)
        expect(yield* failureOf((yield* Contacts).create(project, { email: "ada@example.org" }))).toMatchObject(
          unavailable
        )
        expect(log.lines[0]).toEqual(["The plan source did not answer in time.", { projectId: project }])
        silence(false)
        yield* send("late")
        yield* expectBalanced
      }).pipe(Effect.provide(log.layer))
    )
  })

  it("releases scheduled mail when the plan source answers again", () => {
    const { plans, silence } = silentPlans()
    return withTestMail(store, { plans })(
      Effect.gen(function* () {
        const { deliveryIds } = yield* send("k", { to: many(50), ...at(start + 1000) })
        silence(true)
        const running = yield* Effect.forkChild(Effect.flatMap(Dispatcher, ({ run }) => run))
        yield* TestClock.adjust("2 seconds")
        yield* eventLoopTurns(100)
        silence(false)
        const statuses = yield* Effect.gen(function* () {
          yield* TestClock.adjust("5 seconds")
          yield* eventLoopTurns(100)
          return yield* Effect.forEach(deliveryIds, delivery)
        }).pipe(Effect.repeat({ times: 20 }))
        expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set(["delivered"]))
        yield* expectBalanced
        yield* stopped(running)
      }).pipe(Effect.provide(logLines().layer))
    )
  })
})
