import type { StubAct } from "@mailkeep/smtp"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import {
  delivery,
  detail,
  events,
  expectBalanced,
  withTestMail,
  send,
  sendOne,
  start,
  stores,
  tick
} from "@mailkeep/test-support"
import { minuteMillis } from "../../../src/domain/value/Instant.ts"
import { always } from "./scriptedStub.ts"

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
