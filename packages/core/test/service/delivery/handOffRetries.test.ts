/**
 * How long a delivery is retried, and what it costs when it ends.
 */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import {
  captured,
  delivery,
  expectBalanced,
  withTestMail,
  send,
  sendOne,
  start,
  stores,
  tick
} from "@mailkeep/test-support"
import { hourMillis, minuteMillis } from "../../../src/domain/value/Instant.ts"
import { always } from "./scriptedStub.ts"

describe.each(stores)("a hand-off, over $name", (store) => {
  it("fails an ambiguous delivery at once when the send says so, and after two retries otherwise", () =>
    withTestMail(
      store,
      always({ act: "loseReply" })
    )(
      Effect.gen(function* () {
        const once = yield* send("a", {}, { onAmbiguous: "fail" })
        yield* tick
        expect(yield* delivery(once.deliveryIds[0]!)).toMatchObject({
          status: "failed",
          reason: "delivery_uncertain"
        })
        const again = yield* send("b")
        for (let i = 0; i < 4; i++) {
          yield* tick
          yield* TestClock.adjust("10 minutes")
        }
        expect(yield* delivery(again.deliveryIds[0]!)).toMatchObject({
          status: "failed",
          reason: "delivery_uncertain",
          attemptCount: 3,
          ambiguousAttempts: 3
        })
        yield* expectBalanced
      })
    ))

  it("uses the default of each retry option that is not set", () =>
    withTestMail(store, { ...always({ act: "loseReply" }), handOff: { retry: { ambiguousRetriesMax: 1 } } })(
      Effect.gen(function* () {
        const id = yield* sendOne
        yield* tick
        expect(yield* delivery(id)).toMatchObject({
          status: "queued",
          ambiguousAttempts: 1,
          dueAt: start + 10 * minuteMillis
        })
        yield* TestClock.adjust("10 minutes")
        yield* tick
        expect(yield* delivery(id)).toMatchObject({ status: "failed", reason: "delivery_uncertain", attemptCount: 2 })
      })
    ))

  it("bounces and charges a deferred delivery after its lifetime", () =>
    withTestMail(
      store,
      always({ act: "defer" })
    )(
      Effect.gen(function* () {
        const id = yield* sendOne
        for (let hour = 0; hour < 73; hour++) {
          yield* tick
          yield* TestClock.adjust("70 minutes")
        }
        const state = yield* delivery(id)
        expect(state).toMatchObject({ status: "bounced", reason: "temporary_failure", bounceType: "soft" })
        expect(state.chargedAt).not.toBeNull()
        yield* expectBalanced
      })
    ))

  it("tries a delivery once after its lifetime when no dispatcher ran before", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const id = yield* sendOne
        yield* TestClock.adjust("5 days")
        yield* tick
        expect(yield* delivery(id)).toMatchObject({ status: "delivered", attemptCount: 1 })
      })
    ))

  it("does not hand over a delivery after the expiry time of its send", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const result = yield* send("k", {}, { expiresAt: start + 1000 })
        yield* TestClock.adjust("1 second")
        yield* tick
        expect(yield* delivery(result.deliveryIds[0]!)).toMatchObject({ status: "failed", reason: "temporary_failure" })
        expect(yield* captured).toEqual([])
        yield* expectBalanced
      })
    ))

  it("refunds the charge when no attempt reached the relay", () =>
    withTestMail(
      store,
      always({ act: "disconnect" })
    )(
      Effect.gen(function* () {
        const result = yield* send("k", {}, { expiresAt: start + hourMillis })
        const id = result.deliveryIds[0]!
        for (let i = 0; i < 80; i++) {
          yield* tick
          yield* TestClock.adjust("1 minute")
        }
        expect(yield* delivery(id)).toMatchObject({
          status: "failed",
          reason: "temporary_failure",
          chargedAt: null,
          countedDay: null
        })
        yield* expectBalanced
      })
    ))
})
