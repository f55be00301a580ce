/**
 * What the erasure of a person leaves of messages that others got too.
 */
import { events, expectBalanced, project, send, start, stores, tick, withTestMail } from "@mailkeep/test-support"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { DeliveryLog, Feedback, Sending } from "../../../src/index.ts"
import { email, erase, populate, recordsOf, recordsWith } from "./erasedPerson.ts"

describe.each(stores)("Contacts.erase, over $name", (store) => {
  it("suppresses nothing and stores no text when a bounce of a shared message arrives after the person was erased", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { deliveryIds } = yield* send("s", { to: [email, "bob@example.org"] })
        yield* tick
        yield* erase
        const suppressions = yield* recordsOf("Suppression")
        const bounce = { kind: "bounced", enhancedCode: "5.1.1", text: `<${email}>: user unknown` } as const
        expect(yield* (yield* Feedback).report(project, deliveryIds[0]!, bounce)).toMatchObject({ status: "bounced" })
        yield* (yield* Feedback).report(project, deliveryIds[0]!, { ...bounce, kind: "complained" })
        expect(yield* recordsOf("Suppression")).toEqual(suppressions)
        expect(yield* recordsWith(email)).toEqual([])
        yield* (yield* Feedback).report(project, deliveryIds[1]!, bounce)
        expect(yield* recordsOf("Suppression")).toHaveLength(suppressions.length + 1)
      })
    ))

  it("lets a shared message be rescheduled and canceled after the person was erased", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const sending = yield* Sending
        const at = new Date(start + 3_600_000).toISOString()
        const { messageId, deliveryIds } = yield* send("s", { to: [email, "bob@example.org"], scheduledAt: at })
        yield* erase
        yield* sending.reschedule(project, messageId, start + 7_200_000)
        yield* TestClock.adjust("1 hour")
        yield* tick
        const canceled = yield* sending.cancel(project, messageId)
        expect(canceled).toEqual({ messageId, canceledAt: start + 3_600_000, deliveryIds })
        expect(yield* sending.cancel(project, messageId)).toEqual(canceled)
        yield* expectBalanced
        yield* TestClock.adjust("2 hours")
        yield* tick
        expect((yield* (yield* DeliveryLog).list(project)).items.map(({ status }) => status)).toEqual([
          "canceled",
          "canceled"
        ])
      })
    ))

  it("sends a shared message to the others after the person was erased", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const at = new Date(start + 3_600_000).toISOString()
        const { deliveryIds } = yield* send("s", { to: [email, "bob@example.org"], scheduledAt: at })
        yield* erase
        yield* TestClock.adjust("2 hours")
        yield* tick
        const log = yield* DeliveryLog
        expect(yield* log.get(project, deliveryIds[0]!)).toMatchObject({
          status: "canceled",
          recipient: "erased@erased.invalid"
        })
        expect(yield* log.get(project, deliveryIds[1]!)).toMatchObject({
          status: "delivered",
          recipient: "bob@example.org"
        })
        yield* expectBalanced
      })
    ))

  it("keeps events of deliveries without the person, and deletes those of the contact", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* populate
        yield* erase
        const all = yield* events
        expect(all.filter(({ kind }) => kind === "contact.created")).toHaveLength(1)
        expect(all.filter(({ kind }) => kind === "contact.deleted")).toHaveLength(1)
        const canceled = all.find(({ kind }) => kind === "email.canceled")
        expect(canceled).toMatchObject({ data: { recipient: "erased@erased.invalid", contactId: null } })
      })
    ))
})
