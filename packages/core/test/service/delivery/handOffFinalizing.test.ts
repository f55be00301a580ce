/**
 * Hand-offs that end in the phase finalizing or just before it.
 */
import { StubTransport } from "@mailkeep/smtp"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import {
  captured,
  delivery,
  detail,
  expectBalanced,
  withTestMail,
  project,
  send,
  sendOne,
  start,
  stores,
  tick,
  tickWith
} from "@mailkeep/test-support"
import { hourMillis, minuteMillis } from "../../../src/domain/value/Instant.ts"
import { Feedback, Suppressions } from "../../../src/index.ts"
import { MailStore } from "../../../src/port/MailStore.ts"
import { TransportUnavailable } from "../../../src/port/Transport.ts"
import { always } from "./scriptedStub.ts"

/** Lets other fibers run until the hand-off of the delivery is under way. */
const untilTaken = (id: string) =>
  Effect.gen(function* () {
    while ((yield* delivery(id)).status !== "sending") yield* Effect.yieldNow
    for (let i = 0; i < 50; i++) yield* Effect.yieldNow
  })

describe.each(stores)("a hand-off, over $name", (store) => {
  it("ends a hand-off at its deadline, as ambiguous only while finalizing", () =>
    withTestMail(store, {
      ...always({ act: "hang" }, { act: "hang", whileFinalizing: true }),
      handOff: { deadlineMillis: 1000 }
    })(
      Effect.gen(function* () {
        const id = yield* sendOne
        for (const expected of [{ ambiguousAttempts: 0 }, { ambiguousAttempts: 1 }]) {
          const ticking = yield* Effect.forkChild(tick)
          yield* untilTaken(id)
          yield* TestClock.adjust("1 second")
          yield* Fiber.join(ticking)
          expect(yield* delivery(id)).toMatchObject({ status: "queued", ...expected })
          yield* TestClock.adjust("10 minutes")
        }
      })
    ))

  it("stops before finalizing when the recipient is suppressed during the attempt", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const id = yield* sendOne
        const suppressions = yield* Suppressions
        const stub = yield* StubTransport.StubTransport
        // The suppression is committed between the start of the attempt and its finalizing.
        const suppressing = {
          ...stub,
          handOff: (handOff: Parameters<typeof stub.handOff>[0]) =>
            Effect.andThen(
              Effect.orDie(suppressions.addReason(project, "ada@example.org", "complaint")),
              stub.handOff(handOff)
            )
        }
        yield* tickWith(suppressing)
        const state = yield* delivery(id)
        expect(state).toMatchObject({ status: "suppressed", reason: "complaint", chargedAt: null })
        expect(yield* captured).toEqual([])
        expect((yield* detail(id)).attempts).toMatchObject([{ outcome: "suppressed" }])
        yield* expectBalanced
      })
    ))

  it("does not count an attempt as ambiguous when the relay has certainly not accepted the message", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { deliveryIds } = yield* send("k", {}, { onAmbiguous: "fail" })
        yield* tickWith({
          ...StubTransport.make(),
          handOff: ({ beforeFinalize }) =>
            Effect.andThen(
              beforeFinalize,
              Effect.fail(new TransportUnavailable({ reason: "The connection was lost.", certainlyNotAccepted: true }))
            )
        })
        expect(yield* delivery(deliveryIds[0]!)).toMatchObject({ status: "queued", ambiguousAttempts: 0, deferrals: 0 })
        expect((yield* detail(deliveryIds[0]!)).attempts).toMatchObject([{ outcome: "no_reply" }])
      })
    ))

  it("commits the phase finalizing before the hand-off when the transport cannot signal it", () =>
    withTestMail(store, {
      stub: { capabilities: { signalsFinalize: false }, script: [{ acts: [{ act: "disconnect" }] }] }
    })(
      Effect.gen(function* () {
        const id = yield* sendOne
        yield* tick
        expect(yield* delivery(id)).toMatchObject({ status: "queued", ambiguousAttempts: 1 })
      })
    ))

  it("fails and refunds a delivery when a transport that cannot signal finalizing never reached the relay", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { deliveryIds } = yield* send("k", {}, { expiresAt: start + hourMillis })
        const stub = StubTransport.make()
        const unreachable = {
          capabilities: { ...stub.capabilities, signalsFinalize: false },
          handOff: () => Effect.fail(new TransportUnavailable({ reason: "refused", certainlyNotAccepted: true }))
        }
        yield* tickWith(unreachable)
        expect(yield* delivery(deliveryIds[0]!)).toMatchObject({ status: "queued", reachedRelay: false })
        yield* TestClock.adjust("59 minutes")
        yield* tickWith(unreachable)
        expect(yield* delivery(deliveryIds[0]!)).toMatchObject({
          status: "failed",
          reason: "temporary_failure",
          chargedAt: null
        })
        yield* expectBalanced
      })
    ))

  it("begins the attempt in the phase finalizing in one commit when the transport cannot signal it", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const id = yield* sendOne
        const stub = yield* StubTransport.StubTransport
        const mailStore = yield* MailStore
        const phases: Array<string | undefined> = []
        const observing = {
          ...stub,
          capabilities: { ...stub.capabilities, signalsFinalize: false },
          handOff: (handOff: Parameters<typeof stub.handOff>[0]) =>
            Effect.andThen(
              Effect.map(
                Effect.orDie(mailStore.read([{ _tag: "Attempts", projectId: project, deliveryId: id }])),
                ([attempts]) => phases.push(attempts.at(-1)?.phase)
              ),
              stub.handOff(handOff)
            )
        }
        yield* tickWith(observing)
        expect(phases).toEqual(["finalizing"])
        expect(yield* delivery(id)).toMatchObject({ status: "delivered", ambiguousAttempts: 0 })
      })
    ))

  it("queues a delivery without an ambiguous attempt after a lost reply when the relay drops duplicates", () =>
    withTestMail(store, {
      stub: { capabilities: { idempotentHandOff: true }, script: [{ acts: [{ act: "loseReply" }] }] }
    })(
      Effect.gen(function* () {
        const id = yield* sendOne
        yield* tick
        expect(yield* delivery(id)).toMatchObject({ status: "queued", ambiguousAttempts: 1 })
        expect((yield* detail(id)).attempts).toMatchObject([{ outcome: "no_reply" }])
      })
    ))

  it("fails as uncertain when no hand-off follows a lost reply to a relay that drops duplicates, until a report decides", () =>
    withTestMail(store, {
      stub: { capabilities: { idempotentHandOff: true }, script: [{ acts: [{ act: "loseReply" }, { act: "defer" }] }] }
    })(
      Effect.gen(function* () {
        const { deliveryIds } = yield* send("k", {}, { expiresAt: start + 2 * minuteMillis })
        const id = deliveryIds[0]!
        yield* tick
        yield* TestClock.adjust("2 minutes")
        yield* tick
        expect(yield* captured).toHaveLength(1)
        expect(yield* delivery(id)).toMatchObject({ status: "failed", reason: "delivery_uncertain", chargedAt: start })
        const feedback = yield* Feedback
        expect(yield* feedback.report(project, id, { kind: "complained" })).toEqual({
          outcome: "recorded",
          status: "complained"
        })
        expect((yield* (yield* Suppressions).list(project)).items).toMatchObject([{ reason: "complaint" }])
        yield* expectBalanced
      })
    ))
})
