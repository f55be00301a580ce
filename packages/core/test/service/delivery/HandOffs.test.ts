import type { StubAct } from "@mailkeep/smtp"
import { StubTransport } from "@mailkeep/smtp"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import {
  delivery,
  detail,
  events,
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

const always = (...acts: readonly [StubAct, ...Array<StubAct>]) => ({ stub: { script: [{ acts }] } })

const taken = Effect.map(StubTransport.StubTransport, (stub) => stub.captured())

/** Lets other fibers run until the hand-off of the delivery is under way. */
const untilTaken = (id: string) =>
  Effect.gen(function* () {
    while ((yield* delivery(id)).status !== "sending") yield* Effect.yieldNow
    for (let i = 0; i < 50; i++) yield* Effect.yieldNow
  })

describe.each(stores)("a hand-off, over $name", (store) => {
  it.each<[StubAct, object]>([
    [{ act: "deliver" }, { status: "delivered", reason: null, acceptedAt: start, deliveredAt: start }],
    [{ act: "accept" }, { status: "accepted", reason: null, acceptedAt: start, deliveredAt: null }],
    [{ act: "refuse" }, { status: "bounced", reason: "hard_bounce", bounceType: "hard", bouncedAt: start }],
    [
      { act: "refuse", enhancedCode: "5.2.2", smtpCode: 554 },
      { status: "bounced", reason: "recipient_blocked" }
    ],
    [
      { act: "refuse", enhancedCode: "5.7.1" },
      { status: "failed", reason: "message_blocked", failedAt: start }
    ],
    [
      { act: "refuse", stage: "mail" },
      { status: "failed", reason: "sending_failed" }
    ],
    [
      { act: "refuse", stage: "endOfData", enhancedCode: "5.6.0" },
      { status: "failed", reason: "message_blocked" }
    ],
    [{ act: "defer" }, { status: "queued", reason: null, deferrals: 1 }],
    [
      { act: "defer", smtpCode: 421 },
      { status: "queued", deferrals: 0 }
    ],
    [{ act: "disconnect" }, { status: "queued", deferrals: 0, ambiguousAttempts: 0 }],
    [{ act: "loseReply" }, { status: "queued", ambiguousAttempts: 1, dueAt: start + 10 * minuteMillis }]
  ])("sets the status of a delivery after the act %j of the relay", (act, expected) =>
    withTestMail(
      store,
      always(act)
    )(
      Effect.gen(function* () {
        const id = yield* sendOne
        yield* tick
        const state = yield* delivery(id)
        expect(state).toMatchObject(expected)
        expect(state.worker).toBeNull()
        yield* expectBalanced
      })
    )
  )

  it("appends the event in the commit of its transition", () =>
    withTestMail(
      store,
      always({ act: "refuse" })
    )(
      Effect.gen(function* () {
        const id = yield* sendOne
        yield* tick
        expect(yield* events).toMatchObject([
          {
            kind: "email.bounced",
            occurredAt: start,
            data: {
              deliveryId: id,
              recipient: "ada@example.org",
              status: "bounced",
              previousStatus: "sending",
              reason: "hard_bounce",
              sequence: 1,
              bounce: { type: "hard", smtpCode: 550, enhancedCode: "5.1.1" }
            }
          }
        ])
      })
    ))

  it("suppresses an address after a hard bounce, and no other address", () =>
    withTestMail(store, {
      stub: {
        script: [
          { recipient: "dead@example.org", acts: [{ act: "refuse" }] },
          { recipient: "full@example.org", acts: [{ act: "refuse", smtpCode: 554, enhancedCode: "5.2.2" }] }
        ]
      }
    })(
      Effect.gen(function* () {
        yield* send("a", { to: ["dead@example.org", "full@example.org"] })
        yield* tick
        const result = yield* send("b", { to: ["dead@example.org", "full@example.org"] })
        expect(result.totalQueued).toBe(1)
        expect(yield* delivery(result.deliveryIds[0]!)).toMatchObject({ status: "suppressed", reason: "hard_bounce" })
      })
    ))

  it("records every attempt with the reply of the relay", () =>
    withTestMail(
      store,
      always({ act: "defer", smtpCode: 450, enhancedCode: "4.2.0", text: "greylisted" }, { act: "deliver" })
    )(
      Effect.gen(function* () {
        const id = yield* sendOne
        yield* tick
        yield* TestClock.adjust("2 minutes")
        yield* tick
        const { attempts, status } = yield* detail(id)
        expect(attempts).toMatchObject([
          {
            number: 1,
            outcome: "deferred",
            smtpCode: 450,
            enhancedCode: "4.2.0",
            statusMessage: "greylisted"
          },
          { number: 2, outcome: "delivered", smtpCode: 250 }
        ])
        expect(status).toBe("delivered")
        yield* expectBalanced
      })
    ))

  it("hands over the same Message-ID and date on every attempt", () =>
    withTestMail(
      store,
      always({ act: "loseReply" }, { act: "loseReply" }, { act: "deliver" })
    )(
      Effect.gen(function* () {
        const id = yield* sendOne
        for (let attempt = 0; attempt < 3; attempt++) {
          yield* tick
          yield* TestClock.adjust("10 minutes")
        }
        const messages = (yield* taken).map(({ message }) => message)
        expect(messages).toHaveLength(3)
        for (const message of messages) expect(message).toEqual(messages[0])
        expect(messages[0]!.messageIdHeader).toBe(`<${id}@example.com>`)
      })
    ))

  it("hands each of several recipients a separate copy, and shows cc but not bcc in the headers", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* send("a", { to: ["a@example.org", "b@example.org"] })
        yield* send("b", { to: "c@example.org", cc: "d@example.org", bcc: "e@example.org" })
        yield* tick
        const shown = (yield* taken).map(({ envelope, message }) => [envelope.to, message.to, message.cc])
        expect(shown).toEqual([
          ["a@example.org", ["a@example.org"], []],
          ["b@example.org", ["b@example.org"], []],
          ["c@example.org", ["c@example.org"], ["d@example.org"]],
          ["d@example.org", ["c@example.org"], ["d@example.org"]],
          ["e@example.org", ["c@example.org"], ["d@example.org"]]
        ])
      })
    ))

  it("gives separate copies a Message-ID each, and the copies with cc and bcc that of the first delivery", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const separate = yield* send("a", { to: ["a@example.org", "b@example.org"] })
        const copies = yield* send("b", { to: "c@example.org", cc: "d@example.org", bcc: "e@example.org" })
        yield* tick
        const [first] = copies.deliveryIds
        const ids = [...separate.deliveryIds, first, first, first]
        expect((yield* taken).map(({ message }) => message.messageIdHeader)).toEqual(
          ids.map((id) => `<${id}@example.com>`)
        )
      })
    ))

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

  it("hands over the header fields of the send on every attempt", () =>
    withTestMail(
      store,
      always({ act: "loseReply" }, { act: "deliver" })
    )(
      Effect.gen(function* () {
        const headers = { "List-Unsubscribe": "<https://shop.example/u/7>", "X-Order": "Nº 7" }
        yield* send("k", {}, { headers })
        expect(yield* Effect.flip(send("k", {}, { headers: { "X-Order": "8" } }))).toMatchObject({
          issues: [{ code: "idempotency_key_reused" }]
        })
        yield* tick
        yield* TestClock.adjust("10 minutes")
        yield* tick
        expect((yield* taken).map(({ message }) => message.headers)).toEqual([headers, headers])
        expect(yield* Effect.flip(send("k2", {}, { headers: { Bcc: "eve@example.org" } }))).toMatchObject({
          argument: "options",
          issues: [{ path: ["headers", "Bcc"], code: "not_allowed_here" }]
        })
      })
    ))

  it("does not hand over a delivery after the expiry time of its send", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const result = yield* send("k", {}, { expiresAt: start + 1000 })
        yield* TestClock.adjust("1 second")
        yield* tick
        expect(yield* delivery(result.deliveryIds[0]!)).toMatchObject({ status: "failed", reason: "temporary_failure" })
        expect(yield* taken).toEqual([])
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
        expect(yield* taken).toEqual([])
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
        expect(yield* taken).toHaveLength(1)
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

  it("fails a message that is larger than the transport takes, without a charge", () =>
    withTestMail(store, { stub: { capabilities: { maxMessageBytes: 10_000 } } })(
      Effect.gen(function* () {
        const result = yield* send("k", { text: "x".repeat(10_000) })
        yield* tick
        expect(yield* delivery(result.deliveryIds[0]!)).toMatchObject({
          status: "failed",
          reason: "message_blocked",
          chargedAt: null
        })
        yield* expectBalanced
      })
    ))
})
