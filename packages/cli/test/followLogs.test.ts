/**
 * Which changes `mailkeep logs --follow` reports when many deliveries change between two reads.
 */
import type { DeliverySummary } from "@mailkeep/core"
import { DeliveryLog, StoreUnavailable } from "@mailkeep/core"
import { project, send, stores, tick, withTestMail } from "@mailkeep/test-support"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { following } from "../src/commands/logs.ts"

const recipients = (name: string) => Array.from({ length: 50 }, (_, n) => `${name}${n}@example.org`)
const sendMany = (name: string, count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, n) => `${name}${n}x`),
    (key) => send(key, { to: recipients(key) })
  )

it("reports every delivery of a burst, and the end of each one, in the order of their creation", () =>
  withTestMail(stores[0]!)(
    Effect.gen(function* () {
      const reported: Array<DeliverySummary> = []
      yield* sendMany("early", 1)
      yield* Effect.forkChild(following(project, {}, 100, (one) => Effect.sync(() => void reported.push(one))))
      const next = Effect.gen(function* () {
        reported.length = 0
        yield* TestClock.adjust("1 second")
        return reported.map(({ recipient, status }) => `${recipient} ${status}`)
      })
      yield* next
      yield* sendMany("burst", 6)
      const burst = [0, 1, 2, 3, 4, 5].flatMap((n) => recipients(`burst${n}x`))
      expect((yield* next).toSorted()).toEqual(burst.map((one) => `${one} queued`).toSorted())
      for (let n = 0; n < 60; n++) yield* tick
      const ended = [...recipients("early0x"), ...burst]
      expect((yield* next).toSorted()).toEqual(ended.map((one) => `${one} delivered`).toSorted())
      expect(reported.map(({ id }) => id)).toEqual(reported.map(({ id }) => id).toSorted())
      expect(yield* next).toEqual([])
    })
  ))

it("begins with so many deliveries as the limit says, and reports each change of the others", () =>
  withTestMail(stores[0]!)(
    Effect.gen(function* () {
      const reported: Array<DeliverySummary> = []
      yield* sendMany("early", 1)
      yield* Effect.forkChild(following(project, {}, 2, (one) => Effect.sync(() => void reported.push(one))))
      yield* TestClock.adjust("1 second")
      expect(reported.map(({ recipient }) => recipient)).toEqual(recipients("early0x").slice(-2))
      for (let n = 0; n < 10; n++) yield* tick
      yield* TestClock.adjust("1 second")
      expect(reported.slice(2).map(({ recipient }) => recipient)).toEqual(recipients("early0x"))
    })
  ))

/** Follows a store that fails with `fault.reason` while a reason is set. Returns the recipients that were reported since the last call. */
const followFaultyStore = (warnings: Array<unknown>) =>
  Effect.gen(function* () {
    const log = yield* DeliveryLog
    const fault: { reason?: StoreUnavailable["reason"] } = {}
    const faulty: typeof log = {
      ...log,
      list: (...args) =>
        Effect.suspend(() =>
          fault.reason === undefined ? log.list(...args) : Effect.fail(new StoreUnavailable({ reason: fault.reason }))
        )
    }
    const reported: Array<string> = []
    const follower = yield* following(project, {}, 100, (one) =>
      Effect.sync(() => void reported.push(one.recipient))
    ).pipe(
      Effect.provideService(DeliveryLog, faulty),
      Effect.provide(Logger.layer([Logger.make(({ message }) => void warnings.push(message))])),
      Effect.exit,
      Effect.forkChild
    )
    const next = Effect.map(TestClock.adjust("1 second"), () => reported.splice(0))
    return { fault, follower, next }
  })

it("continues after the store was unreachable for some seconds, and warns once", () =>
  withTestMail(stores[0]!)(
    Effect.gen(function* () {
      const warnings: Array<unknown> = []
      const { fault, next } = yield* followFaultyStore(warnings)
      yield* next
      fault.reason = "unreachable"
      yield* send("meanwhile", { to: ["meanwhile@example.org"] })
      for (let second = 0; second < 3; second++) expect(yield* next).toEqual([])
      delete fault.reason
      expect(yield* next).toEqual(["meanwhile@example.org"])
      expect(warnings).toEqual([
        ["The store does not answer. The changes follow after it answers.", { reason: "unreachable" }]
      ])
    })
  ))

it("ends when the store was moved, because no later read can succeed", () =>
  withTestMail(stores[0]!)(
    Effect.gen(function* () {
      const { fault, follower, next } = yield* followFaultyStore([])
      yield* next
      fault.reason = "moved"
      yield* next
      expect(yield* Fiber.join(follower)).toMatchObject({ _tag: "Failure" })
    })
  ))
