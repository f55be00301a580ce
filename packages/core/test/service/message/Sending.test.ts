/**
 * Tests sends: recipients, idempotency keys, refusals and the limits of a plan.
 */
import {
  delivery,
  detail,
  expectBalanced,
  project,
  send,
  sendInput,
  start,
  stores,
  summaries,
  withTestMail
} from "@mailkeep/test-support"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { dayMillis, hourMillis } from "../../../src/domain/value/Instant.ts"
import { Access, ApiKeys, Contacts, Domains, Sending, Suppressions } from "../../../src/index.ts"
import { at, many } from "./sendOptions.ts"

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

  it("allows names in addresses, a Date, undefined fields and no idempotency key from a program", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const sending = yield* Sending
        const scheduledAt = new Date(start + hourMillis)
        const input = {
          ...sendInput({ from: "Shop <hello@example.com>", to: ['"Lovelace, Ada" <ada@example.org>'] }),
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
        const [first, second] = [yield* sending.send(project, sendInput()), yield* sending.send(project, sendInput())]
        expect(second.replayed).toBe(false)
        expect(second.messageId).not.toBe(first.messageId)
        expect(yield* summaries).toHaveLength(2)
        const { message } = yield* detail(first.deliveryIds[0]!)
        expect(message.idempotencyKey).toBeNull()
      })
    ))

  it("refuses names in addresses from the principal of an API key, as the wire does", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { secret } = yield* (yield* ApiKeys).create(project, { permissions: ["email.send"] })
        const principal = yield* (yield* Access).authenticate(Redacted.value(secret))
        const refused = (yield* Sending).send(principal, sendInput({ to: "Ada <ada@example.org>" }))
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
        const wrong = { ...sendInput(), to: "nonsense" }
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

  it("refuses shown recipients that need SMTPUTF8 when the transport does not support it", () =>
    withTestMail(store, { stub: { capabilities: { smtpUtf8: false } } })(
      Effect.gen(function* () {
        const shownRecipients = { to: ["ada@bücher.example"], cc: ["bob@example.org", "ω@example.org"] }
        expect(yield* Effect.flip(send("k", {}, { shownRecipients }))).toMatchObject({
          argument: "options",
          issues: [{ path: ["shownRecipients", "cc", 1], code: "invalid_value" }]
        })
        yield* send("k", {}, { shownRecipients: { to: ["ada@bücher.example"] } })
      })
    ))
})

describe("over a synchronous store", () => {
  it("runs a send without a yield over a synchronous store", () =>
    withTestMail(stores[0])(
      Effect.gen(function* () {
        const sending = yield* Sending
        expect(Effect.runSync(sending.send(project, sendInput())).replayed).toBe(false)
      })
    ))
})
