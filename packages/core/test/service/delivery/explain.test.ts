/**
 * The story of a delivery from a store. Source: decision 0049.
 */
import { project, send, sendEvents, sendOne, start, stores, tick, withTestMail } from "@mailkeep/test-support"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { hourMillis, minuteMillis } from "../../../src/domain/value/Instant.ts"
import type { DeliveryStory } from "../../../src/index.ts"
import {
  Access,
  ApiKeys,
  DeliveryLog,
  EventSender,
  Feedback,
  Projects,
  Sending,
  Suppressions
} from "../../../src/index.ts"

const explain = (id: string) => Effect.flatMap(DeliveryLog, (log) => log.explain(project, id))

const entriesOf = ({ entries }: DeliveryStory) =>
  entries.map(({ kind, at }) => [kind, at === null ? null : (at - start) / 1000])

/** The seconds between two entries are exact, except those of retries, which have jitter. */
const kindsOf = ({ entries }: DeliveryStory) => entries.map(({ kind }) => kind)

describe.each(stores)("the story of a delivery, over $name", (store) => {
  it("shows a refusal, a retry, a delivery by the relay and the events with their subscribers", () =>
    withTestMail(store, { stub: { script: [{ acts: [{ act: "defer", text: "Try later" }, { act: "deliver" }] }] } })(
      Effect.gen(function* () {
        yield* (yield* EventSender).subscribe("audit", () => Effect.void)
        const id = yield* sendOne
        expect((yield* explain(id)).now.waitsFor).toBe("dispatcher")
        yield* tick
        const waiting = yield* explain(id)
        expect(waiting.now).toMatchObject({ waitsFor: "retry", until: expect.any(Number) })
        expect(entriesOf(waiting)).toEqual([
          ["accepted", 0],
          ["queued", 0],
          ["attempt_started", 0],
          ["attempt_ended", 0],
          ["retry", 0],
          ["event", 0]
        ])
        yield* TestClock.setTime(waiting.now.until!)
        yield* tick
        yield* sendEvents
        const story = yield* explain(id)
        expect(kindsOf(story).slice(6)).toEqual(["attempt_started", "attempt_ended", "status_changed", "event"])
        expect(story.entries[4]).toMatchObject({ kind: "retry", attempt: 2, dueAt: waiting.now.until })
        const events = story.entries.flatMap((entry) => (entry.kind === "event" ? [entry] : []))
        expect(events.map(({ eventKind, eventDeliveries }) => [eventKind, eventDeliveries])).toEqual(
          ["email.delayed", "email.delivered"].map((kind) => [
            kind,
            [expect.objectContaining({ name: "audit", status: "delivered", attemptCount: 1, nextAttemptAt: null })]
          ])
        )
        expect(story).toMatchObject({ status: "delivered", now: { waitsFor: "report" } })
      })
    ))

  it("shows an ambiguous attempt with the policy that applied", () =>
    withTestMail(store, { stub: { script: [{ acts: [{ act: "loseReply" }] }] } })(
      Effect.gen(function* () {
        yield* (yield* Projects).update(project, { onAmbiguous: "fail" })
        const id = yield* sendOne
        yield* tick
        const story = yield* explain(id)
        expect(story.entries.find(({ kind }) => kind === "attempt_ended")).toMatchObject({
          outcome: "ambiguous",
          onAmbiguous: { policy: "fail", from: "project" }
        })
        expect(kindsOf(story)).toEqual([
          "accepted",
          "queued",
          "attempt_started",
          "attempt_ended",
          "status_changed",
          "event"
        ])
        expect(story).toMatchObject({ status: "failed", reason: "delivery_uncertain", now: { waitsFor: null } })
      })
    ))

  it("shows the API key, the reports of a bounce and of a complaint, and each event once", () =>
    withTestMail(store, {
      stub: { script: [{ acts: [{ act: "deliver" }] }], capabilities: { confirmsDelivery: false } }
    })(
      Effect.gen(function* () {
        const { secret } = yield* (yield* ApiKeys).create(project, { name: "shop", permissions: ["email.send"] })
        const principal = yield* (yield* Access).authenticate(Redacted.value(secret))
        const input = { from: "hello@example.com", to: "ada@example.org", subject: "the-subject", text: "the-text" }
        const sent = yield* (yield* Sending).send(principal, input, { idempotencyKey: "k" })
        const id = sent.deliveryIds[0]!
        yield* tick
        yield* TestClock.adjust("1 hour")
        const feedback = yield* Feedback
        yield* feedback.report(project, id, { kind: "bounced", smtpCode: 550, enhancedCode: "5.1.1", text: "Unknown" })
        yield* TestClock.adjust("1 hour")
        yield* feedback.report(project, id, { kind: "complained" })
        const story = yield* explain(id)
        expect(story.entries[0]).toMatchObject({ source: "api", apiKey: { name: "shop" }, idempotencyKey: "k" })
        const reports = story.entries.flatMap((entry) =>
          entry.kind === "report_received" ? [[entry.report, entry.at! - start]] : []
        )
        expect(reports).toEqual(
          expect.arrayContaining([
            ["bounced", hourMillis],
            ["complained", 2 * hourMillis]
          ])
        )
        const kinds = story.entries.flatMap((entry) => (entry.kind === "event" ? [entry.eventKind] : []))
        expect(kinds.slice(-2)).toEqual(["email.bounced", "email.complained"])
        expect(new Set(kinds).size).toBe(kinds.length)
        expect(JSON.stringify(story)).not.toMatch(/the-subject|the-text/)
      })
    ))

  it("shows for a scheduled message the wait, a new time, a suppressed recipient and the cancellation", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const sending = yield* Sending
        const sent = yield* send("k", { to: ["ada@example.org", "bob@example.org"], scheduledAt: start + hourMillis })
        const [ada, bob] = sent.deliveryIds as [string, string]
        yield* sending.reschedule(project, sent.messageId, start + 2 * hourMillis)
        yield* (yield* Suppressions).addReason(project, "bob@example.org", "manual")
        expect(yield* explain(ada)).toMatchObject({
          entries: [{ kind: "accepted", scheduledAt: start + 2 * hourMillis }],
          now: { waitsFor: "scheduled_time", until: start + 2 * hourMillis }
        })
        expect((yield* explain(bob)).now.text).toContain("suppressed now (manual)")
        yield* TestClock.adjust("3 hours")
        yield* tick
        expect(entriesOf(yield* explain(bob))).toEqual([
          ["accepted", 0],
          ["suppressed", 3 * 3600],
          ["event", 3 * 3600]
        ])
        const other = yield* send("l", { scheduledAt: start + 4 * hourMillis })
        yield* TestClock.adjust(minuteMillis)
        yield* sending.cancel(project, other.messageId)
        expect(entriesOf(yield* explain(other.deliveryIds[0]!))).toEqual([
          ["accepted", 3 * 3600],
          ["canceled", 3 * 3600 + 60],
          ["event", 3 * 3600 + 60]
        ])
      })
    ))

  it("fails with DeliveryNotFound for an unknown delivery, and for one of another project", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const id = yield* sendOne
        const log = yield* DeliveryLog
        expect((yield* Effect.flip(log.explain(project, "del_x")))._tag).toBe("DeliveryNotFound")
        expect((yield* Effect.flip(log.explain("prj_other", id)))._tag).toBe("DeliveryNotFound")
      })
    ))
})
