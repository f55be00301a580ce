import { StubTransport } from "@mailkeep/smtp"
import {
  delivery,
  events,
  expectBalanced,
  openTestMail,
  project,
  send,
  sendOne,
  stores,
  tick,
  tickWith,
  withTestMail
} from "@mailkeep/test-support"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { DeliveryReport } from "../../../src/index.ts"
import { dayMillis, minuteMillis } from "../../../src/domain/value/Instant.ts"
import { Contacts, Feedback, Sending, Suppressions } from "../../../src/index.ts"

/** The relay accepts everything, and bounces go to the operator's domain. */
const relay = {
  stub: { script: [{ acts: [{ act: "accept" }] }] },
  handOff: { bounceDomain: "bounces.host.example" }
} as const

const unknownMailbox: DeliveryReport = { kind: "bounced", smtpCode: 550, enhancedCode: "5.1.1", text: "User unknown" }

/** Hands over one message, and returns the delivery and its return path. */
const handedOver = Effect.gen(function* () {
  const id = yield* sendOne
  yield* tick
  const taken = (yield* StubTransport.StubTransport).captured()
  return { id, returnPath: taken.at(-1)!.envelope.from }
})

const receive = (returnPath: string, report: DeliveryReport) =>
  Effect.flatMap(Feedback, (feedback) => feedback.receive(returnPath, report))

describe.each(stores)("Feedback, over $name", (store) => {
  it("hands the mail over when a report comes before the relay can have it, and records a report while it finalizes", () =>
    withTestMail(
      store,
      relay
    )(
      Effect.gen(function* () {
        const id = yield* sendOne
        const feedback = yield* Feedback
        const stub = yield* StubTransport.StubTransport
        const outcomes: Array<string> = []
        const reported = Effect.map(
          Effect.orDie(feedback.report(project, id, { kind: "delivered" })),
          ({ outcome, status }) => outcomes.push(`${outcome}: ${status}`)
        )
        yield* tickWith({
          ...stub,
          handOff: (one) =>
            Effect.andThen(
              reported,
              stub.handOff({ ...one, beforeFinalize: Effect.andThen(one.beforeFinalize, reported) })
            )
        })
        expect(outcomes).toEqual(["unchanged: sending", "recorded: delivered"])
        expect(stub.captured()).toHaveLength(1)
        yield* expectBalanced
      })
    ))

  it("records a bounce that came to the return path: status, event, suppression and contact", () =>
    withTestMail(
      store,
      relay
    )(
      Effect.gen(function* () {
        const contacts = yield* Contacts
        const { id: contactId } = yield* contacts.create(project, { email: "ada@example.org" })
        const { id, returnPath } = yield* handedOver
        expect(returnPath).toMatch(/^b\+[0-9a-z]{26}\.[0-9a-f]{20}@bounces\.host\.example$/)
        expect(yield* receive(returnPath, unknownMailbox)).toEqual({
          outcome: "recorded",
          status: "bounced",
          projectId: project,
          deliveryId: id
        })
        expect(yield* delivery(id)).toMatchObject({ status: "bounced", reason: "hard_bounce", bounceType: "hard" })
        expect((yield* events).map(({ kind }) => kind)).toEqual(
          expect.arrayContaining(["email.accepted", "email.bounced"])
        )
        const { items } = yield* (yield* Suppressions).list(project)
        expect(items).toMatchObject([{ email: "ada@example.org", reason: "hard_bounce" }])
        expect(yield* contacts.get(project, contactId)).toMatchObject({ blockReason: "hard_bounce" })
        const next = yield* send("next")
        expect(yield* delivery(next.deliveryIds[0]!)).toMatchObject({ status: "suppressed", reason: "hard_bounce" })
        yield* expectBalanced
      })
    ))

  it("leaves a send uncertain that expired after an ambiguous attempt, until a complaint settles it", () =>
    withTestMail(store, { stub: { script: [{ acts: [{ act: "loseReply" }] }] } })(
      Effect.gen(function* () {
        const expiresAt = (yield* Clock.currentTimeMillis) + 5 * minuteMillis
        const id = (yield* send("code", {}, { expiresAt })).deliveryIds[0]!
        yield* tick
        yield* TestClock.adjust("11 minutes")
        yield* tick
        expect(yield* delivery(id)).toMatchObject({ status: "failed", reason: "delivery_uncertain" })
        yield* (yield* Feedback).report(project, id, { kind: "complained" })
        expect(yield* delivery(id)).toMatchObject({ status: "complained", reason: "complaint" })
        expect((yield* (yield* Suppressions).list(project)).items).toMatchObject([{ reason: "complaint" }])
        yield* expectBalanced
      })
    ))

  it("changes nothing for a forged, an expired and a foreign address", () =>
    withTestMail(
      store,
      relay
    )(
      Effect.gen(function* () {
        const { id, returnPath } = yield* handedOver
        const forged = returnPath.replace(/\.(.)/, (_, digit) => `.${digit === "0" ? "1" : "0"}`)
        for (const address of [forged, "ada@example.org", "b+@x", ""])
          expect(yield* receive(address, unknownMailbox)).toEqual({ outcome: "unmatched" })
        yield* TestClock.adjust("61 days")
        expect(yield* receive(returnPath, unknownMailbox)).toEqual({ outcome: "unmatched" })
        expect(yield* delivery(id)).toMatchObject({ status: "accepted" })
        expect((yield* (yield* Suppressions).list(project)).items).toEqual([])
      })
    ))

  it("records a bounce of a message that was rescheduled until 88 days after its acceptance", () =>
    withTestMail(
      store,
      relay
    )(
      Effect.gen(function* () {
        const sending = yield* Sending
        const inThirtyDays = Effect.map(Clock.currentTimeMillis, (now) => now + 30 * dayMillis)
        const { messageId, deliveryIds } = yield* send("k", {
          scheduledAt: new Date(yield* inThirtyDays).toISOString()
        })
        for (const _ of [1, 2]) {
          yield* TestClock.adjust("29 days")
          yield* sending.reschedule(project, messageId, yield* inThirtyDays)
        }
        yield* TestClock.adjust("30 days")
        yield* tick
        const { from } = (yield* StubTransport.StubTransport).captured()[0]!.envelope
        const feedback = yield* Feedback
        yield* TestClock.adjust("5 days")
        expect(yield* feedback.isReturnPath(from)).toBe(true)
        expect(yield* feedback.receive(from, unknownMailbox)).toMatchObject({ outcome: "recorded", status: "bounced" })
        expect(yield* delivery(deliveryIds[0]!)).toMatchObject({ reason: "hard_bounce" })
        yield* TestClock.adjust("25 days")
        expect(yield* feedback.isReturnPath(from)).toBe(false)
        expect(yield* feedback.receive(from, unknownMailbox)).toEqual({ outcome: "unmatched" })
      })
    ))

  it("sends the mail of a delivery that was reported before its first attempt", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const id = yield* sendOne
        expect(yield* (yield* Feedback).report(project, id, { kind: "delivered" })).toEqual({
          outcome: "unchanged",
          status: "queued"
        })
        yield* tick
        expect((yield* StubTransport.StubTransport).captured()).toHaveLength(1)
      })
    ))

  it("records a report of a trusted source by the id of the delivery", () =>
    withTestMail(
      store,
      relay
    )(
      Effect.gen(function* () {
        const { id } = yield* handedOver
        const feedback = yield* Feedback
        expect(yield* feedback.report(project, id, { kind: "complained" })).toEqual({
          outcome: "recorded",
          status: "complained"
        })
        expect(yield* feedback.report(project, id, { kind: "complained" })).toEqual({
          outcome: "unchanged",
          status: "complained"
        })
        const foreign = yield* Effect.flip(feedback.report("prj_other", id, { kind: "complained" }))
        expect(foreign).toMatchObject({ _tag: "DeliveryNotFound" })
      })
    ))

  it("refuses a report that is not valid and names the field", () =>
    withTestMail(
      store,
      relay
    )(
      Effect.gen(function* () {
        const { id } = yield* handedOver
        const report = { kind: "bounced", enhancedCode: "five", smtpCode: 99 } as unknown as DeliveryReport
        const refused = yield* Effect.flip((yield* Feedback).report(project, id, report))
        expect(refused).toMatchObject({ _tag: "InvalidArgument" })
        expect(refused).toHaveProperty("issues.length", 2)
      })
    ))

  it("sends from the domain for bounces in A-labels when the option has it in Unicode", () =>
    withTestMail(store, { ...relay, handOff: { bounceDomain: "Bounces.Bücher.example" } })(
      Effect.map(handedOver, ({ returnPath }) => expect(returnPath).toMatch(/@bounces\.xn--bcher-kva\.example$/))
    ))

  it("sends from the sender's address when there is no domain for bounces", () =>
    withTestMail(store, { stub: relay.stub })(
      Effect.map(handedOver, ({ returnPath }) => expect(returnPath).toBe("hello@example.com"))
    ))
})

describe("Feedback, with reports in any order", () => {
  it("agrees on the status over both stores, however the reports arrive", async () => {
    const reports = fc.constantFrom<DeliveryReport>(
      { kind: "delivered" },
      { kind: "complained" },
      unknownMailbox,
      { kind: "bounced", enhancedCode: "4.4.1" },
      { kind: "bounced", enhancedCode: "5.7.1" }
    )
    const opened = await Promise.all(stores.map((store) => openTestMail(store, relay)))
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(reports, { minLength: 1, maxLength: 5 }), async (sequence) => {
        run += 1
        const to = `r${run}@example.org`
        const statuses = await Promise.all(
          opened.map((mail) =>
            mail.runPromise(
              Effect.gen(function* () {
                const { deliveryIds } = yield* send(`k${run}`, { to })
                yield* tick
                for (const report of sequence) yield* (yield* Feedback).report(project, deliveryIds[0]!, report)
                return (yield* delivery(deliveryIds[0]!)).status
              })
            )
          )
        )
        const strongest = sequence.some(({ kind }) => kind === "complained")
          ? "complained"
          : sequence.some(({ kind }) => kind === "bounced")
            ? "bounced"
            : "delivered"
        expect(statuses).toEqual([strongest, strongest])
      }),
      { numRuns: 30 }
    )
    await Promise.all(opened.map((mail) => mail.dispose()))
  })
})
