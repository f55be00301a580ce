/**
 * Tests scheduled messages: cancel, reschedule, and the deliveries that become due.
 */
import { StubTransport } from "@mailkeep/smtp"
import {
  delivery,
  events,
  expectBalanced,
  project,
  send,
  sendInput,
  start,
  stores,
  tick,
  withTestMail
} from "@mailkeep/test-support"
import { Clock, Effect, Layer, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { noLimits } from "../../../src/domain/plan/Plan.ts"
import { dayMillis, hourMillis } from "../../../src/domain/value/Instant.ts"
import { Access, ApiKeys, PlanSource, Sending, StoreUnavailable, Suppressions } from "../../../src/index.ts"
import { at, many } from "./sendOptions.ts"

describe.each(stores)("a scheduled message, over $name", (store) => {
  const scheduled = (to = many(2)) => send("k", { to, ...at(start + hourMillis) })

  it("cancels a whole message, and returns the same answer again", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const sending = yield* Sending
        const result = yield* scheduled()
        const canceled = yield* sending.cancel(project, result.messageId)
        expect(canceled).toEqual({ messageId: result.messageId, canceledAt: start, deliveryIds: result.deliveryIds })
        yield* TestClock.adjust("5 minutes")
        expect(yield* sending.cancel(project, result.messageId)).toEqual(canceled)
        expect(yield* delivery(result.deliveryIds[0]!)).toMatchObject({ status: "canceled", reason: "canceled" })
        yield* TestClock.adjust("2 hours")
        expect(yield* tick).toMatchObject({ scheduled: 0, handedOver: 0 })
        yield* expectBalanced
      })
    ))

  it("cancels a message while the plan of its project cannot be read", () => {
    let isPlanReadable = true
    const planOf = () =>
      Effect.suspend(() =>
        isPlanReadable ? Effect.succeed(noLimits) : Effect.fail(new StoreUnavailable({ reason: "unreachable" }))
      )
    return withTestMail(store, { plans: Layer.succeed(PlanSource, { planOf }) })(
      Effect.gen(function* () {
        const sending = yield* Sending
        const { messageId, deliveryIds } = yield* scheduled()
        isPlanReadable = false
        expect(yield* Effect.flip(scheduled())).toMatchObject({ _tag: "StoreUnavailable" })
        expect(yield* sending.cancel(project, messageId)).toEqual({ messageId, canceledAt: start, deliveryIds })
        yield* expectBalanced
      })
    )
  })

  it("refuses to cancel or reschedule a message after the release of a delivery", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const sending = yield* Sending
        const result = yield* scheduled()
        yield* TestClock.adjust("1 hour")
        yield* tick
        const later = (yield* Clock.currentTimeMillis) + hourMillis
        expect(yield* Effect.flip(sending.cancel(project, result.messageId))).toMatchObject({ kind: "conflict" })
        expect(yield* Effect.flip(sending.reschedule(project, result.messageId, later))).toMatchObject({
          kind: "conflict"
        })
      })
    ))

  it("reschedules a message to another time and day", () =>
    withTestMail(store, { plan: { dailySends: 2 } })(
      Effect.gen(function* () {
        const sending = yield* Sending
        const result = yield* scheduled()
        const later = start + 2 * dayMillis
        yield* sending.reschedule(project, result.messageId, later)
        yield* expectBalanced
        yield* send("fills-today", { to: many(2) })
        expect(yield* Effect.flip(sending.reschedule(project, result.messageId, start + hourMillis))).toMatchObject({
          code: "daily_sending_limit_exceeded"
        })
        yield* TestClock.setTime(start + 3 * hourMillis)
        expect((yield* tick).scheduled).toBe(0)
        yield* TestClock.setTime(later)
        expect((yield* tick).scheduled).toBe(2)
        yield* expectBalanced
      })
    ))

  it("refuses to reschedule a message past the expiry time of the send", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const result = yield* send("k", at(start + hourMillis), { expiresAt: start + 2 * hourMillis })
        const move = (time: number) =>
          Effect.flatMap(Sending, (sending) => sending.reschedule(project, result.messageId, time))
        expect(yield* Effect.flip(move(start + 2 * hourMillis))).toMatchObject({
          issues: [{ path: ["scheduledAt"], code: "too_far_ahead" }]
        })
        yield* move(start + 2 * hourMillis - 1)
      })
    ))

  it("validates the new time before it looks up the message", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const sending = yield* Sending
        expect(yield* Effect.flip(sending.reschedule(project, "msg_x", start))).toMatchObject({
          issues: [{ path: ["scheduledAt"], code: "not_in_future" }]
        })
        expect(yield* Effect.flip(sending.reschedule(project, "msg_x", start + 1))).toMatchObject({ kind: "not_found" })
        expect(yield* Effect.flip(sending.cancel(project, "msg_x"))).toMatchObject({ kind: "not_found" })
      })
    ))

  it("hands over no canceled message when a cancel races the release", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const sending = yield* Sending
        const stub = yield* StubTransport.StubTransport
        for (let round = 0; round < 20; round++) {
          const scheduledAt = (yield* Clock.currentTimeMillis) + 1000
          const result = yield* send(`k${round}`, at(scheduledAt))
          yield* TestClock.setTime(scheduledAt)
          const [canceled] = yield* Effect.all([Effect.result(sending.cancel(project, result.messageId)), tick], {
            concurrency: "unbounded"
          })
          const { status } = yield* delivery(result.deliveryIds[0]!)
          expect(status).toBe(Result.isSuccess(canceled) ? "canceled" : "delivered")
          const handed = stub.captured().some(({ deliveryId }) => deliveryId === result.deliveryIds[0])
          expect(handed).toBe(Result.isFailure(canceled))
        }
        yield* expectBalanced
      })
    ))

  it("keeps the counters correct when a cancel and two reschedules run at once", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const sending = yield* Sending
        const result = yield* scheduled()
        yield* Effect.all(
          [
            Effect.result(sending.cancel(project, result.messageId)),
            Effect.result(sending.reschedule(project, result.messageId, start + 2 * dayMillis)),
            Effect.result(sending.reschedule(project, result.messageId, start + 3 * dayMillis))
          ],
          { concurrency: "unbounded" }
        )
        const deliveries = yield* Effect.forEach(result.deliveryIds, delivery)
        expect(new Set(deliveries.map(({ status, dueAt }) => `${status} ${dueAt}`)).size).toBe(1)
        yield* expectBalanced
      })
    ))
})

describe.each(stores)("a scheduled delivery that is due, over $name", (store) => {
  const due = Effect.andThen(TestClock.adjust("1 hour"), tick)

  it("charges and sends a scheduled delivery when it is due", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const result = yield* send("k", at(start + hourMillis))
        expect((yield* delivery(result.deliveryIds[0]!)).chargedAt).toBeNull()
        expect(yield* due).toMatchObject({ scheduled: 1, handedOver: 1 })
        expect(yield* delivery(result.deliveryIds[0]!)).toMatchObject({
          status: "delivered",
          chargedAt: start + hourMillis
        })
        yield* expectBalanced
      })
    ))

  it("sends no delivery before its scheduled time", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* send("k", at(start + hourMillis))
        yield* TestClock.setTime(start + hourMillis - 1)
        expect(yield* tick).toMatchObject({ scheduled: 0, handedOver: 0 })
      })
    ))

  it("fails a due delivery with quota_exceeded when the allowance is used up", () =>
    withTestMail(store, { plan: { sendingAllowance: 1 } })(
      Effect.gen(function* () {
        const result = yield* send("k", { to: many(2), ...at(start + hourMillis) })
        yield* due
        const deliveries = yield* Effect.forEach(result.deliveryIds, delivery)
        expect(deliveries.map(({ status, reason }) => [status, reason])).toEqual([
          ["delivered", null],
          ["failed", "quota_exceeded"]
        ])
        expect((yield* events).map(({ kind }) => kind).toSorted()).toEqual(["email.delivered", "email.failed"])
        yield* expectBalanced
      })
    ))

  it("suppresses a due delivery when its recipient was suppressed meanwhile", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const result = yield* send("k", { to: "a@example.org", ...at(start + hourMillis) })
        expect(result.totalQueued).toBe(1)
        yield* (yield* Suppressions).addReason(project, "a@example.org", "manual")
        yield* due
        expect(yield* delivery(result.deliveryIds[0]!)).toMatchObject({ status: "suppressed", reason: "manual" })
        yield* expectBalanced
      })
    ))

  it("fails a due delivery when its API key was revoked, but not when the key expired", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const access = yield* Access
        const sending = yield* Sending
        const sendWith = (expiresAt: number | undefined, key: string) =>
          Effect.gen(function* () {
            const issued = yield* keys.create(project, {
              permissions: ["email.send"],
              ...(expiresAt === undefined ? {} : { expiresAt })
            })
            const principal = yield* access.authenticate(Redacted.value(issued.secret))
            const sent = yield* sending.send(principal, sendInput(at(start + hourMillis)), { idempotencyKey: key })
            return { issued, ...sent }
          })
        const revoked = yield* sendWith(undefined, "a")
        const expired = yield* sendWith(start + 1000, "b")
        yield* keys.revoke(revoked.issued.apiKey.id)
        yield* due
        expect(yield* delivery(revoked.deliveryIds[0]!)).toMatchObject({
          status: "failed",
          reason: "api_key_revoked"
        })
        expect((yield* delivery(expired.deliveryIds[0]!)).status).toBe("delivered")
        yield* expectBalanced
      })
    ))

  it("refuses a send when its API key was revoked after authentication", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const issued = yield* keys.create(project, { permissions: ["email.send"] })
        const principal = yield* (yield* Access).authenticate(Redacted.value(issued.secret))
        yield* keys.revoke(issued.apiKey.id)
        expect(yield* Effect.flip((yield* Sending).send(principal, sendInput()))).toMatchObject({
          kind: "unauthorized"
        })
      })
    ))
})
