/**
 * Each kind of record is deleted after its own time, and what is kept stays right.
 */
import {
  detail,
  events,
  expectBalanced,
  project,
  send,
  start,
  stores,
  summaries,
  tick,
  withTestMail
} from "@mailkeep/test-support"
import { settableClock } from "@mailkeep/test-support/settableClock"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { MailStore } from "../../../src/adapter.ts"
import { dayMillis } from "../../../src/domain/value/Instant.ts"
import { DeliveryLog, Suppressions } from "../../../src/index.ts"

const contents = Effect.flatMap(MailStore, (store) =>
  Effect.map(
    store.read([{ _tag: "Records", kind: "Content", projectId: null, after: null, limit: 100 }]),
    ([all]) => all.length
  )
)

const file = { filename: "a.txt", content: new Uint8Array([7]) }

describe.each(stores)("retention, over $name", (store) => {
  it("deletes files, bodies, events and the message, each after its own time", () =>
    withTestMail(store, {
      retention: {
        attachmentsMillis: 2 * dayMillis,
        bodiesMillis: 4 * dayMillis,
        eventsMillis: 6 * dayMillis,
        messagesMillis: 8 * dayMillis
      }
    })(
      Effect.gen(function* () {
        const { byClock } = yield* settableClock
        yield* (yield* Suppressions).addReason(project, "eve@example.org", "complaint")
        const [id] = (yield* send("k", { text: "secret", attachments: [file] })).deliveryIds
        const seen = Effect.gen(function* () {
          yield* byClock(tick)
          yield* expectBalanced
          const found = (yield* summaries).length === 1 ? yield* detail(id!) : null
          return [
            yield* contents,
            found?.message.attachments.length ?? null,
            found?.message.text ?? null,
            (yield* events).length,
            found?.status ?? null
          ]
        })
        expect(yield* seen).toEqual([1, 1, "secret", 1, "delivered"])
        yield* TestClock.adjust("3 days")
        expect(yield* seen).toEqual([0, 0, "secret", 1, "delivered"])
        yield* TestClock.adjust("2 days")
        expect(yield* seen).toEqual([0, 0, null, 1, "delivered"])
        yield* TestClock.adjust("2 days")
        expect(yield* seen).toEqual([0, 0, null, 0, "delivered"])
        yield* TestClock.adjust("2 days")
        expect(yield* seen).toEqual([0, null, null, 0, null])
        const [refused] = (yield* send("again", { to: "eve@example.org" })).deliveryIds
        expect(yield* (yield* DeliveryLog).get(project, refused!)).toMatchObject({ status: "suppressed" })
      })
    ))

  it("keeps a message whose recipient was suppressed late in the queue for the whole time after that", () =>
    withTestMail(store, { retention: { messagesMillis: dayMillis } })(
      Effect.gen(function* () {
        const { byClock } = yield* settableClock
        const [id] = (yield* send("k", { to: "eve@example.org" })).deliveryIds
        yield* TestClock.adjust("2 days")
        yield* (yield* Suppressions).addReason(project, "eve@example.org", "complaint")
        const seen = Effect.andThen(
          byClock(tick),
          Effect.map(summaries, (all) => all.map(({ status }) => status))
        )
        expect(yield* seen).toEqual(["suppressed"])
        const { entries } = yield* (yield* DeliveryLog).explain(project, id!)
        expect(entries.find(({ kind }) => kind === "suppressed")).toMatchObject({ at: start + 2 * dayMillis })
        yield* TestClock.adjust("23 hours")
        expect(yield* seen).toEqual(["suppressed"])
        yield* TestClock.adjust("2 hours")
        expect(yield* seen).toEqual([])
        yield* expectBalanced
      })
    ))

  it("deletes the messages that have ended, however many older ones wait, and those later", () =>
    withTestMail(store, { retention: { messagesMillis: 2 * dayMillis } })(
      Effect.gen(function* () {
        const { byClock } = yield* settableClock
        const later = new Date(start + 10 * dayMillis).toISOString()
        for (let n = 0; n < 230; n++) yield* send(`later${n}`, { scheduledAt: later })
        for (let n = 0; n < 60; n++) yield* send(`now${n}`)
        const log = yield* DeliveryLog
        const delivered = Effect.map(
          log.list(project, { status: "delivered", limit: 100 }),
          ({ items }) => items.length
        )
        const waiting = Effect.map(log.usageAudit(project), ({ scheduledRecipients }) => scheduledRecipients)
        const ticks = Effect.forEach([1, 2, 3, 4], () => byClock(tick))
        yield* ticks
        yield* TestClock.adjust("3 days")
        yield* byClock(tick)
        expect([yield* delivered, yield* waiting]).toEqual([60, 230])
        yield* ticks
        expect([yield* delivered, yield* waiting]).toEqual([0, 230])
        yield* TestClock.adjust("8 days")
        for (let n = 0; n < 12; n++) yield* byClock(tick)
        yield* TestClock.adjust("3 days")
        yield* ticks
        expect(yield* summaries).toEqual([])
        yield* expectBalanced
      })
    ))

  it("deletes bodies over many pages, and later those of a message that ended late", () =>
    withTestMail(store, { retention: { bodiesMillis: 2 * dayMillis } })(
      Effect.gen(function* () {
        const { byClock } = yield* settableClock
        const at = new Date(start + 10 * dayMillis).toISOString()
        const [late] = (yield* send("late", { text: "later", scheduledAt: at })).deliveryIds
        for (let n = 0; n < 45; n++) yield* send(`k${n}`, { text: "now" })
        const bodies = Effect.map(
          Effect.flatMap(summaries, (all) => Effect.forEach(all, ({ id }) => detail(id))),
          (all) => all.filter(({ message }) => message.text !== null).length
        )
        const ticks = Effect.forEach([1, 2, 3, 4], () => byClock(tick))
        yield* ticks
        expect(yield* bodies).toBe(46)
        yield* TestClock.adjust("3 days")
        yield* ticks
        expect(yield* bodies).toBe(1)
        yield* TestClock.adjust("8 days")
        yield* ticks
        expect(yield* detail(late!)).toMatchObject({ status: "delivered", message: { text: "later" } })
        yield* TestClock.adjust("3 days")
        yield* ticks
        expect(yield* bodies).toBe(0)
        yield* expectBalanced
      })
    ))
})
