import { StubTransport } from "@mailkeep/smtp"
import { Clock, Effect, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import {
  Access,
  ApiKeys,
  Contacts,
  dayMillis,
  Domains,
  embedder,
  formatInstant,
  hourMillis,
  parseSend,
  Sending,
  Suppressions
} from "../../src/index.ts"
import {
  delivery,
  events,
  expectBalanced,
  inHouse,
  project,
  send,
  sendBody,
  start,
  stores,
  summaries,
  tick
} from "@mailkeep/proving"

const at = (instant: number) => ({ scheduledAt: formatInstant(instant) })
const many = (count: number) => Array.from({ length: count }, (_, i) => `r${i}@example.org`)

describe.each(stores)("sending, over $name", (store) => {
  it("records one delivery for each recipient, in the order to, cc, bcc", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const { result } = yield* send("k", { to: "a@example.org", cc: ["c@example.org"], bcc: "b@example.org" })
        expect(result).toMatchObject({ totalQueued: 3, scheduledAt: null })
        const deliveries = yield* Effect.forEach(result.deliveryIds, delivery)
        expect(deliveries.map(({ kind, recipient, status }) => [kind, recipient, status])).toEqual([
          ["to", "a@example.org", "queued"],
          ["cc", "c@example.org", "queued"],
          ["bcc", "b@example.org", "queued"]
        ])
        yield* expectBalanced
      })
    ))

  it("makes one delivery of an address given twice", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const { result } = yield* send("k", {
          to: "A@example.org",
          cc: ["a@EXAMPLE.org", "c@example.org"],
          bcc: "C@example.org"
        })
        const deliveries = yield* Effect.forEach(result.deliveryIds, delivery)
        expect(deliveries.map(({ kind, recipient }) => [kind, recipient])).toEqual([
          ["to", "A@example.org"],
          ["cc", "c@example.org"]
        ])
      })
    ))

  it("answers the same key and request the same, and charges once", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const first = yield* send("k", { to: many(3) })
        const again = yield* send("k", { to: many(3) })
        expect(again).toEqual({ result: first.result, replayed: true })
        expect(yield* summaries).toHaveLength(3)
        yield* expectBalanced
      })
    ))

  it("refuses the same key for another request", () =>
    inHouse(store)(
      Effect.gen(function* () {
        yield* send("k")
        const refused = yield* Effect.flip(send("k", { subject: "Other" }))
        expect(refused).toMatchObject({
          _tag: "InvalidArgument",
          context: "headers",
          issues: [{ path: ["idempotency-key"], code: "idempotency_key_reused" }]
        })
      })
    ))

  it("makes one message of two sends at once with one key", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const answers = yield* Effect.all([send("k"), send("k"), send("k")], { concurrency: "unbounded" })
        expect(new Set(answers.map(({ result }) => result.messageId)).size).toBe(1)
        expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1)
        expect(yield* summaries).toHaveLength(1)
        yield* expectBalanced
      })
    ))

  it("replays a scheduled send after its time, and for 30 days after that", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const scheduledAt = start + 20 * dayMillis
        const first = yield* send("k", at(scheduledAt))
        yield* TestClock.setTime(scheduledAt + 30 * dayMillis - 1)
        expect(yield* send("k", at(scheduledAt))).toEqual({ result: first.result, replayed: true })
        yield* TestClock.setTime(scheduledAt + 30 * dayMillis)
        const late = yield* Effect.flip(send("k", at(scheduledAt)))
        expect(late).toMatchObject({ issues: [{ path: ["scheduledAt"], code: "not_in_future" }] })
      })
    ))

  it("keeps a rescheduled send's key for 30 days after its new time", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const first = yield* send("k", at(start + hourMillis))
        const later = start + 29 * dayMillis
        yield* (yield* Sending).reschedule(project, first.result.messageId, later)
        yield* TestClock.setTime(later + 29 * dayMillis)
        expect((yield* send("k", at(start + hourMillis))).replayed).toBe(true)
      })
    ))

  it("does not use up a key by a refused send", () =>
    inHouse(store, { plan: { dailySends: 1 } })(
      Effect.gen(function* () {
        yield* Effect.flip(send("k", { to: many(2) }))
        expect((yield* send("k", { to: many(1) })).replayed).toBe(false)
      })
    ))

  it.each([
    [0, "not_in_future"],
    [-1, "not_in_future"],
    [30 * dayMillis + 1, "too_far_ahead"]
  ])("refuses a time %s ms ahead: %s", (ahead, code) =>
    inHouse(store)(
      Effect.gen(function* () {
        const refused = yield* Effect.flip(send("k", at(start + ahead)))
        expect(refused).toMatchObject({ context: "body", issues: [{ path: ["scheduledAt"], code }] })
      })
    )
  )

  it("refuses a template: none is published", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const refused = yield* Effect.flip(send("k", { templateId: "tpl_x" }))
        expect(refused).toMatchObject({ issues: [{ path: ["templateId"], code: "unknown_template" }] })
      })
    ))

  it("refuses a sender domain that is unknown or not verified", () =>
    inHouse(store)(
      Effect.gen(function* () {
        yield* (yield* Domains).add(project, { domain: "pending.example", verified: false })
        for (const from of ["a@unknown.example", "a@pending.example", "a@sub.example.com"])
          expect(yield* Effect.flip(send("k", { from }))).toMatchObject({ _tag: "SenderDomainNotVerified" })
      })
    ))

  it("records what a suppressed recipient would have got, and counts it nowhere", () =>
    inHouse(store)(
      Effect.gen(function* () {
        yield* (yield* Suppressions).add(project, "A@example.org", "complaint")
        const { result } = yield* send("k", { to: ["a@example.org", "b@example.org"] })
        expect(result).toMatchObject({ totalQueued: 1 })
        expect(result.deliveryIds).toHaveLength(2)
        expect(yield* delivery(result.deliveryIds[0]!)).toMatchObject({ status: "suppressed", reason: "complaint" })
        yield* expectBalanced
      })
    ))

  it("stores the contact that has the address at acceptance", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const contact = yield* (yield* Contacts).create(project, { email: "ADA@example.org" })
        const { result } = yield* send("k", { to: ["ada@example.org", "bob@example.org"] })
        expect((yield* delivery(result.deliveryIds[0]!)).contactId).toBe(contact.id)
        expect((yield* delivery(result.deliveryIds[1]!)).contactId).toBeNull()
      })
    ))

  it("refuses SMTPUTF8 mailboxes where the transport lacks it", () =>
    inHouse(store, { stub: { capabilities: { smtpUtf8: false } } })(
      Effect.gen(function* () {
        const refused = yield* Effect.flip(
          send("k", { to: ["a@example.org", "ω@example.org"], replyTo: "ω@example.org" })
        )
        expect(refused).toMatchObject({
          issues: [
            { path: ["to", 1], code: "invalid_value" },
            { path: ["replyTo"], code: "invalid_value" }
          ]
        })
      })
    ))
})

describe.each(stores)("plan limits, over $name", (store) => {
  it("hold all or nothing for a send", () =>
    inHouse(store, { plan: { dailySends: 3 } })(
      Effect.gen(function* () {
        yield* send("a", { to: many(2) })
        expect(yield* Effect.flip(send("b", { to: many(2) }))).toMatchObject({ code: "daily_sending_limit_exceeded" })
        yield* send("c", { to: many(1) })
        yield* TestClock.setTime(start + dayMillis)
        yield* send("d", { to: many(3) })
        yield* expectBalanced
      })
    ))

  it("count a scheduled send on the day it is scheduled for", () =>
    inHouse(store, { plan: { dailySends: 1 } })(
      Effect.gen(function* () {
        yield* send("tomorrow", at(start + dayMillis))
        yield* send("today")
        expect(yield* Effect.flip(send("also tomorrow".replaceAll(" ", "-"), at(start + dayMillis + 1)))).toMatchObject(
          {
            code: "daily_sending_limit_exceeded"
          }
        )
      })
    ))

  it("refuse an immediate send over the allowance, and let a scheduled one be accepted", () =>
    inHouse(store, { plan: { sendingAllowance: 1 } })(
      Effect.gen(function* () {
        yield* send("a")
        expect(yield* Effect.flip(send("b"))).toMatchObject({
          code: "sending_allowance_exceeded",
          kind: "too_many_requests"
        })
        yield* send("c", at(start + hourMillis))
      })
    ))

  it("bound the recipients waiting in scheduled messages", () =>
    inHouse(store, { plan: { scheduledRecipients: 2 } })(
      Effect.gen(function* () {
        const { result } = yield* send("a", { to: many(2), ...at(start + hourMillis) })
        expect(yield* Effect.flip(send("b", at(start + hourMillis)))).toMatchObject({
          code: "scheduled_recipient_limit_exceeded"
        })
        yield* (yield* Sending).cancel(project, result.messageId)
        yield* send("c", at(start + hourMillis))
        yield* expectBalanced
      })
    ))

  it.each(["dailySends", "sendingAllowance"] as const)("of one (%s) cannot be passed by two at once", (limit) =>
    inHouse(store, { plan: { [limit]: 1 } })(
      Effect.gen(function* () {
        const answers = yield* Effect.all(
          many(8).map((to, i) => Effect.result(send(`k${i}`, { to }))),
          { concurrency: "unbounded" }
        )
        expect(answers.filter(Result.isSuccess)).toHaveLength(1)
        yield* expectBalanced
      })
    )
  )

  it("count usage when no limit is set", () =>
    inHouse(store)(
      Effect.gen(function* () {
        yield* send("a", { to: many(5) })
        yield* send("b", { to: many(2), ...at(start + hourMillis) })
        yield* expectBalanced
      })
    ))
})

describe.each(stores)("a scheduled message, over $name", (store) => {
  const scheduled = (to = many(2)) => send("k", { to, ...at(start + hourMillis) })

  it("is canceled whole, and again with the same answer", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const sending = yield* Sending
        const { result } = yield* scheduled()
        const canceled = yield* sending.cancel(project, result.messageId)
        expect(canceled).toEqual({ messageId: result.messageId, canceledAt: start, deliveryIds: result.deliveryIds })
        yield* TestClock.adjust("5 minutes")
        expect(yield* sending.cancel(project, result.messageId)).toEqual(canceled)
        expect(yield* delivery(result.deliveryIds[0]!)).toMatchObject({ status: "canceled", reason: "canceled" })
        yield* TestClock.adjust("2 hours")
        expect(yield* tick).toMatchObject({ released: 0, handedOver: 0 })
        yield* expectBalanced
      })
    ))

  it("is neither canceled nor rescheduled once a delivery has left", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const sending = yield* Sending
        const { result } = yield* scheduled()
        yield* TestClock.adjust("1 hour")
        yield* tick
        const later = (yield* Clock.currentTimeMillis) + hourMillis
        expect(yield* Effect.flip(sending.cancel(project, result.messageId))).toMatchObject({ kind: "conflict" })
        expect(yield* Effect.flip(sending.reschedule(project, result.messageId, later))).toMatchObject({
          kind: "conflict"
        })
      })
    ))

  it("moves to another time and day", () =>
    inHouse(store, { plan: { dailySends: 2 } })(
      Effect.gen(function* () {
        const sending = yield* Sending
        const { result } = yield* scheduled()
        const later = start + 2 * dayMillis
        yield* sending.reschedule(project, result.messageId, later)
        yield* expectBalanced
        yield* send("fills-today", { to: many(2) })
        expect(yield* Effect.flip(sending.reschedule(project, result.messageId, start + hourMillis))).toMatchObject({
          code: "daily_sending_limit_exceeded"
        })
        yield* TestClock.setTime(start + 3 * hourMillis)
        expect((yield* tick).released).toBe(0)
        yield* TestClock.setTime(later)
        expect((yield* tick).released).toBe(2)
        yield* expectBalanced
      })
    ))

  it("is not moved past the time when the send would be too late", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const { result } = yield* send("k", at(start + hourMillis), { expiresAt: start + 2 * hourMillis })
        const move = (time: number) =>
          Effect.flatMap(Sending, (sending) => sending.reschedule(project, result.messageId, time))
        expect(yield* Effect.flip(move(start + 2 * hourMillis))).toMatchObject({
          issues: [{ path: ["scheduledAt"], code: "too_far_ahead" }]
        })
        yield* move(start + 2 * hourMillis - 1)
      })
    ))

  it("judges the new time before it looks the message up", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const sending = yield* Sending
        expect(yield* Effect.flip(sending.reschedule(project, "msg_x", start))).toMatchObject({
          issues: [{ path: ["scheduledAt"], code: "not_in_future" }]
        })
        expect(yield* Effect.flip(sending.reschedule(project, "msg_x", start + 1))).toMatchObject({ kind: "not_found" })
        expect(yield* Effect.flip(sending.cancel(project, "msg_x"))).toMatchObject({ kind: "not_found" })
      })
    ))

  it("that was canceled is never handed over, however close the race", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const sending = yield* Sending
        const stub = yield* StubTransport.StubTransport
        for (let round = 0; round < 20; round++) {
          const scheduledAt = (yield* Clock.currentTimeMillis) + 1000
          const { result } = yield* send(`k${round}`, at(scheduledAt))
          yield* TestClock.setTime(scheduledAt)
          const [canceled] = yield* Effect.all([Effect.result(sending.cancel(project, result.messageId)), tick], {
            concurrency: "unbounded"
          })
          const { status } = yield* delivery(result.deliveryIds[0]!)
          expect(status).toBe(Result.isSuccess(canceled) ? "canceled" : "delivered")
          const handed = stub.taken().some(({ deliveryId }) => deliveryId === result.deliveryIds[0])
          expect(handed).toBe(Result.isFailure(canceled))
        }
        yield* expectBalanced
      })
    ))

  it("is canceled or moved once when both are asked at once, and the counters agree", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const sending = yield* Sending
        const { result } = yield* scheduled()
        yield* Effect.all(
          [
            Effect.result(sending.cancel(project, result.messageId)),
            Effect.result(sending.reschedule(project, result.messageId, start + 2 * dayMillis)),
            Effect.result(sending.reschedule(project, result.messageId, start + 3 * dayMillis))
          ],
          { concurrency: "unbounded" }
        )
        yield* expectBalanced
      })
    ))
})

describe.each(stores)("a scheduled delivery that is due, over $name", (store) => {
  const due = Effect.andThen(TestClock.adjust("1 hour"), tick)

  it("is charged and sent", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const { result } = yield* send("k", at(start + hourMillis))
        expect((yield* delivery(result.deliveryIds[0]!)).chargedAt).toBeNull()
        expect(yield* due).toMatchObject({ released: 1, handedOver: 1 })
        expect(yield* delivery(result.deliveryIds[0]!)).toMatchObject({
          status: "delivered",
          chargedAt: start + hourMillis
        })
        yield* expectBalanced
      })
    ))

  it("is never sent before its time", () =>
    inHouse(store)(
      Effect.gen(function* () {
        yield* send("k", at(start + hourMillis))
        yield* TestClock.setTime(start + hourMillis - 1)
        expect(yield* tick).toMatchObject({ released: 0, handedOver: 0 })
      })
    ))

  it("fails with quota_exceeded when the allowance is used up, and charges nothing", () =>
    inHouse(store, { plan: { sendingAllowance: 1 } })(
      Effect.gen(function* () {
        const { result } = yield* send("k", { to: many(2), ...at(start + hourMillis) })
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

  it("is suppressed when its recipient is by then", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const { result } = yield* send("k", { to: "a@example.org", ...at(start + hourMillis) })
        expect(result.totalQueued).toBe(1)
        yield* (yield* Suppressions).add(project, "a@example.org", "manual")
        yield* due
        expect(yield* delivery(result.deliveryIds[0]!)).toMatchObject({ status: "suppressed", reason: "manual" })
        yield* expectBalanced
      })
    ))

  it("fails when its key was revoked, but not when it merely expired", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const access = yield* Access
        const sending = yield* Sending
        const sendWith = (expiresAt: number | undefined, key: string) =>
          Effect.gen(function* () {
            const issued = yield* keys.issue(project, {
              permissions: ["email.send"],
              ...(expiresAt === undefined ? {} : { expiresAt })
            })
            const principal = yield* access.authenticate(Redacted.value(issued.printed))
            const request = Result.getOrThrow(parseSend(sendBody(at(start + hourMillis))))
            return { issued, ...(yield* sending.send(principal, request, key)) }
          })
        const revoked = yield* sendWith(undefined, "a")
        const expired = yield* sendWith(start + 1000, "b")
        yield* keys.revoke(revoked.issued.key.id)
        yield* due
        expect(yield* delivery(revoked.result.deliveryIds[0]!)).toMatchObject({
          status: "failed",
          reason: "api_key_revoked"
        })
        expect((yield* delivery(expired.result.deliveryIds[0]!)).status).toBe("delivered")
        yield* expectBalanced
      })
    ))

  it("is refused at acceptance to a key that was revoked meanwhile", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const issued = yield* keys.issue(project, { permissions: ["email.send"] })
        const principal = yield* (yield* Access).authenticate(Redacted.value(issued.printed))
        yield* keys.revoke(issued.key.id)
        const request = Result.getOrThrow(parseSend(sendBody()))
        expect(yield* Effect.flip((yield* Sending).send(principal, request, "k"))).toMatchObject({
          kind: "unauthorized"
        })
      })
    ))
})

describe("over a synchronous store", () => {
  it("a send forces no yield from load to commit", () =>
    inHouse(stores[0])(
      Effect.gen(function* () {
        const sending = yield* Sending
        const request = Result.getOrThrow(parseSend(sendBody()))
        expect(Effect.runSync(sending.send(embedder(project), request, "k")).replayed).toBe(false)
      })
    ))
})
