import { StubTransport } from "@mailkeep/smtp"
import { Clock, Effect, Layer, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import {
  Access,
  ApiKeys,
  Contacts,
  Domains,
  formatInstant,
  PlanSource,
  Sending,
  StoreUnavailable,
  Suppressions
} from "../../../src/index.ts"
import { noLimits } from "../../../src/domain/plan/Plan.ts"
import { dayMillis, hourMillis } from "../../../src/domain/value/Instant.ts"
import {
  delivery,
  detail,
  events,
  expectBalanced,
  withTestMail,
  project,
  send,
  sendBody,
  start,
  stores,
  summaries,
  tick
} from "@mailkeep/testing"

const at = (instant: number) => ({ scheduledAt: formatInstant(instant) })
const many = (count: number) => Array.from({ length: count }, (_, i) => `r${i}@example.org`)

describe.each(stores)("sending, over $name", (store) => {
  it("records one delivery for each recipient, in the order to, cc, bcc", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const result = yield* send("k", { to: "a@example.org", cc: ["c@example.org"], bcc: "b@example.org" })
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

  it("creates one delivery for an address that is given twice", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const result = yield* send("k", {
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

  it("returns the same answer for the same idempotency key and request, and charges once", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const first = yield* send("k", { to: many(3) })
        const again = yield* send("k", { to: many(3) })
        expect(again).toEqual({ ...first, replayed: true })
        expect(yield* summaries).toHaveLength(3)
        yield* expectBalanced
      })
    ))

  it("refuses a used idempotency key with another request", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* send("k")
        const refused = yield* Effect.flip(send("k", { subject: "Other" }))
        expect(refused).toMatchObject({
          _tag: "InvalidArgument",
          argument: "options",
          issues: [{ path: ["idempotencyKey"], code: "idempotency_key_reused" }]
        })
      })
    ))

  it("creates one message when concurrent sends have one idempotency key", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const answers = yield* Effect.all([send("k"), send("k"), send("k")], { concurrency: "unbounded" })
        expect(new Set(answers.map(({ messageId }) => messageId)).size).toBe(1)
        expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1)
        expect(yield* summaries).toHaveLength(1)
        yield* expectBalanced
      })
    ))

  it("replays a scheduled send until 30 days after its scheduled time", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const scheduledAt = start + 20 * dayMillis
        const first = yield* send("k", at(scheduledAt))
        yield* TestClock.setTime(scheduledAt + 30 * dayMillis - 1)
        expect(yield* send("k", at(scheduledAt))).toEqual({ ...first, replayed: true })
        yield* TestClock.setTime(scheduledAt + 30 * dayMillis)
        const late = yield* Effect.flip(send("k", at(scheduledAt)))
        expect(late).toMatchObject({ issues: [{ path: ["scheduledAt"], code: "not_in_future" }] })
      })
    ))

  it("keeps the idempotency key of a rescheduled send for 30 days after its new time", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const first = yield* send("k", at(start + hourMillis))
        const later = start + 29 * dayMillis
        yield* (yield* Sending).reschedule(project, first.messageId, later)
        yield* TestClock.setTime(later + 29 * dayMillis)
        expect((yield* send("k", at(start + hourMillis))).replayed).toBe(true)
      })
    ))

  it("accepts names in addresses, a Date, undefined fields and no idempotency key from a program", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const sending = yield* Sending
        const scheduledAt = new Date(start + hourMillis)
        const input = {
          ...sendBody({ from: "Shop <hello@example.com>", to: ['"Lovelace, Ada" <ada@example.org>'] }),
          html: undefined,
          scheduledAt
        }
        const sent = yield* sending.send(project, input)
        expect(sent).toMatchObject({ totalQueued: 1, scheduledAt: scheduledAt.getTime(), replayed: false })
        const shown = yield* detail(sent.deliveryIds[0]!)
        expect(shown).toMatchObject({
          recipient: "ada@example.org",
          message: { from: "hello@example.com", fromName: "Shop" }
        })
        const later = new Date(start + 2 * hourMillis)
        const rescheduled = yield* sending.reschedule(project, sent.messageId, later)
        expect(rescheduled.scheduledAt).toBe(later.getTime())
      })
    ))

  it("sends each time when there is no idempotency key", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const sending = yield* Sending
        const [first, second] = [yield* sending.send(project, sendBody()), yield* sending.send(project, sendBody())]
        expect(second.replayed).toBe(false)
        expect(second.messageId).not.toBe(first.messageId)
        expect(yield* summaries).toHaveLength(2)
      })
    ))

  it("refuses names in addresses from the principal of an API key, as the wire does", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { secret } = yield* (yield* ApiKeys).create(project, { permissions: ["email.send"] })
        const principal = yield* (yield* Access).authenticate(Redacted.value(secret))
        const refused = (yield* Sending).send(principal, sendBody({ to: "Ada <ada@example.org>" }))
        expect(yield* Effect.flip(refused)).toMatchObject({
          argument: "input",
          issues: [{ path: ["to"], code: "invalid_value" }]
        })
      })
    ))

  it("refuses wrong options before a wrong input, and a wrong project id before both", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const sending = yield* Sending
        const wrong = { ...sendBody(), to: "nonsense" }
        expect(yield* Effect.flip(sending.send("a b", wrong, { idempotencyKey: "" }))).toMatchObject({
          argument: "ids",
          issues: [{ path: ["projectId"] }]
        })
        expect(yield* Effect.flip(sending.send(project, wrong, { idempotencyKey: "" }))).toMatchObject({
          argument: "options",
          issues: [{ path: ["idempotencyKey"] }]
        })
        expect(yield* Effect.flip(sending.send(project, wrong))).toMatchObject({
          argument: "input",
          issues: [{ path: ["to"] }]
        })
      })
    ))

  it("does not record the idempotency key of a refused send", () =>
    withTestMail(store, { plan: { dailySends: 1 } })(
      Effect.gen(function* () {
        yield* Effect.flip(send("k", { to: many(2) }))
        expect((yield* send("k", { to: many(1) })).replayed).toBe(false)
      })
    ))

  it.each([
    [0, "not_in_future"],
    [-1, "not_in_future"],
    [30 * dayMillis + 1, "too_far_ahead"]
  ])("refuses a scheduled time %s ms ahead with %s", (ahead, code) =>
    withTestMail(store)(
      Effect.gen(function* () {
        const refused = yield* Effect.flip(send("k", at(start + ahead)))
        expect(refused).toMatchObject({ argument: "input", issues: [{ path: ["scheduledAt"], code }] })
      })
    )
  )

  it("refuses a template that is not published", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const refused = yield* Effect.flip(send("k", { templateId: "tpl_x" }))
        expect(refused).toMatchObject({ issues: [{ path: ["templateId"], code: "unknown_template" }] })
      })
    ))

  it("refuses a sender domain that is unknown or not verified", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* (yield* Domains).create(project, { domain: "pending.example" })
        for (const from of ["a@unknown.example", "a@pending.example", "a@sub.example.com"])
          expect(yield* Effect.flip(send("k", { from }))).toMatchObject({ _tag: "SenderDomainNotVerified" })
      })
    ))

  it("records a delivery for a suppressed recipient, and does not count it", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* (yield* Suppressions).addReason(project, "A@example.org", "complaint")
        const result = yield* send("k", { to: ["a@example.org", "b@example.org"] })
        expect(result).toMatchObject({ totalQueued: 1 })
        expect(result.deliveryIds).toHaveLength(2)
        expect(yield* delivery(result.deliveryIds[0]!)).toMatchObject({ status: "suppressed", reason: "complaint" })
        yield* expectBalanced
      })
    ))

  it("stores the id of the contact with the recipient's address", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const contact = yield* (yield* Contacts).create(project, { email: "ADA@example.org" })
        const result = yield* send("k", { to: ["ada@example.org", "bob@example.org"] })
        expect((yield* delivery(result.deliveryIds[0]!)).contactId).toBe(contact.id)
        expect((yield* delivery(result.deliveryIds[1]!)).contactId).toBeNull()
      })
    ))

  it("refuses SMTPUTF8 mailboxes when the transport does not support them", () =>
    withTestMail(store, { stub: { capabilities: { smtpUtf8: false } } })(
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
  it("refuses a whole send when the plan permits only a part of it", () =>
    withTestMail(store, { plan: { dailySends: 3 } })(
      Effect.gen(function* () {
        yield* send("a", { to: many(2) })
        expect(yield* Effect.flip(send("b", { to: many(2) }))).toMatchObject({ code: "daily_sending_limit_exceeded" })
        yield* send("c", { to: many(1) })
        yield* TestClock.setTime(start + dayMillis)
        yield* send("d", { to: many(3) })
        yield* expectBalanced
      })
    ))

  it("counts a scheduled send on its scheduled day", () =>
    withTestMail(store, { plan: { dailySends: 1 } })(
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

  it("refuses an immediate send over the allowance, and accepts a scheduled send", () =>
    withTestMail(store, { plan: { sendingAllowance: 1 } })(
      Effect.gen(function* () {
        yield* send("a")
        expect(yield* Effect.flip(send("b"))).toMatchObject({
          code: "sending_allowance_exceeded",
          kind: "too_many_requests"
        })
        yield* send("c", at(start + hourMillis))
      })
    ))

  it("limits the recipients of scheduled messages", () =>
    withTestMail(store, { plan: { scheduledRecipients: 2 } })(
      Effect.gen(function* () {
        const result = yield* send("a", { to: many(2), ...at(start + hourMillis) })
        expect(yield* Effect.flip(send("b", at(start + hourMillis)))).toMatchObject({
          code: "scheduled_recipient_limit_exceeded"
        })
        yield* (yield* Sending).cancel(project, result.messageId)
        yield* send("c", at(start + hourMillis))
        yield* expectBalanced
      })
    ))

  it.each(["dailySends", "sendingAllowance"] as const)(
    "accepts one of several concurrent sends when the limit %s is 1",
    (limit) =>
      withTestMail(store, { plan: { [limit]: 1 } })(
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

  it("counts usage when no limit is set", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* send("a", { to: many(5) })
        yield* send("b", { to: many(2), ...at(start + hourMillis) })
        expect(yield* summaries).toHaveLength(7)
        yield* expectBalanced
      })
    ))
})

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
        expect(yield* tick).toMatchObject({ scheduled: 0, queued: 0 })
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
          const handed = stub.taken().some(({ deliveryId }) => deliveryId === result.deliveryIds[0])
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
        expect(yield* due).toMatchObject({ scheduled: 1, queued: 1 })
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
        expect(yield* tick).toMatchObject({ scheduled: 0, queued: 0 })
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
            const sent = yield* sending.send(principal, sendBody(at(start + hourMillis)), { idempotencyKey: key })
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
        expect(yield* Effect.flip((yield* Sending).send(principal, sendBody()))).toMatchObject({
          kind: "unauthorized"
        })
      })
    ))
})

describe("over a synchronous store", () => {
  it("runs a send without a yield over a synchronous store", () =>
    withTestMail(stores[0])(
      Effect.gen(function* () {
        const sending = yield* Sending
        expect(Effect.runSync(sending.send(project, sendBody())).replayed).toBe(false)
      })
    ))
})
