/**
 * Sweeping deletes no record that is still needed after a wrong clock is corrected.
 */
import { events, withTestMail, project, sendEvents, send, start, stores, summaries, tick } from "@mailkeep/test-support"
import { settableClock } from "@mailkeep/test-support/settableClock"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { dayMillis, hourMillis, minuteMillis } from "../../../src/domain/value/Instant.ts"
import { Dispatcher, EventSender, MailStore, StoreUnavailable, Webhooks } from "../../../src/index.ts"

const existingRecord = (key: string) =>
  Effect.flatMap(MailStore, (store) =>
    Effect.map(store.read([{ _tag: "Idempotency", projectId: project, key }]), ([record]) => record)
  )

/** Every event delivery of the store. */
const eventDeliveries = Effect.flatMap(MailStore, (store) =>
  Effect.map(
    store.read([{ _tag: "Records", kind: "EventDelivery", projectId: null, after: null, limit: 1000 }]),
    ([records]) => records.flatMap((one) => (one.kind === "EventDelivery" ? [one.record] : []))
  )
)

describe.each(stores)("sweeping, over $name", (store) => {
  it("ends and deletes the event deliveries that no process attempts, and keeps those that wait for less time", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        // No process has a handler with this name any more, and none has an event sink.
        yield* Effect.scoped((yield* EventSender).subscribe("former", () => {}, ["email.delivered"]))
        yield* (yield* Webhooks).create(project, { url: "https://hooks.example.com/x" })
        const sendAndWait = (key: string, days: number) =>
          Effect.gen(function* () {
            yield* send(key)
            yield* tick
            yield* sendEvents
            yield* TestClock.adjust(days * dayMillis)
            yield* tick
          })
        yield* sendAndWait("a", 29)
        expect(yield* eventDeliveries).toHaveLength(2)
        yield* sendAndWait("b", 2)
        const ended = { status: "failed", dueAt: null, attemptCount: 0, latestAttempts: [{ error: "event_deleted" }] }
        const all = yield* eventDeliveries
        expect(all).toHaveLength(4)
        expect(all.filter(({ createdAt }) => createdAt === start)).toMatchObject([ended, ended])
        expect(all.filter(({ status }) => status === "pending")).toHaveLength(2)
        yield* TestClock.adjust(31 * dayMillis)
        yield* tick
        expect(yield* eventDeliveries).toHaveLength(2)
        yield* TestClock.adjust(31 * dayMillis)
        yield* tick
        expect(yield* eventDeliveries).toEqual([])
      })
    ))

  it("deletes leases an hour after their end, and keeps all messages unless it is asked to delete them", () => {
    const asked: Array<readonly [kind: string, ageMillis: number]> = []
    let messageSweeps = 0
    const recording = Layer.effect(
      MailStore,
      Effect.map(MailStore, (inner) => ({
        ...inner,
        sweep: (sweep: Parameters<typeof inner.sweep>[0]) => {
          asked.push([sweep.kind, start - sweep.before])
          return inner.sweep(sweep)
        },
        sweepMessages: (sweep: Parameters<typeof inner.sweepMessages>[0]) => {
          messageSweeps++
          return inner.sweepMessages(sweep)
        }
      }))
    )
    return withTestMail({ name: store.name, layer: Layer.provide(recording, store.layer) })(
      Effect.gen(function* () {
        yield* (yield* Dispatcher).sweep
        expect(Object.fromEntries(asked)).toEqual({
          events: 30 * dayMillis,
          idempotency: 0,
          leases: hourMillis,
          eventDeliveries: 30 * dayMillis
        })
        expect(messageSweeps).toBe(0)
      })
    )
  })

  it("replays a send after the clock was 40 days ahead and returned", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { byClock, shiftTo } = yield* settableClock
        const first = yield* send("k")
        yield* byClock(tick)
        yield* TestClock.adjust("1 hour")
        yield* byClock(tick)
        yield* shiftTo(40 * dayMillis)
        for (let hour = 0; hour < 23; hour++) {
          yield* byClock(tick)
          yield* TestClock.adjust("1 hour")
        }
        yield* shiftTo(0)
        yield* byClock(tick)
        const again = yield* send("k")
        expect(again).toMatchObject({ replayed: true, messageId: first.messageId })
        expect(yield* summaries).toHaveLength(1)
        expect(yield* events).toHaveLength(1)
      })
    ))

  it("sweeps by a clock that has been ahead for a day", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { byClock, shiftTo } = yield* settableClock
        yield* send("k")
        yield* byClock(tick)
        yield* shiftTo(40 * dayMillis)
        yield* byClock(tick)
        yield* TestClock.adjust("24 hours")
        yield* byClock(tick)
        expect(yield* existingRecord("k")).toBeNull()
      })
    ))

  it("does not sweep in the first 10 minutes of a process", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* send("k")
        yield* TestClock.setTime(start + 40 * dayMillis)
        yield* tick
        yield* TestClock.adjust(10 * minuteMillis - 1)
        yield* tick
        expect(yield* existingRecord("k")).not.toBeNull()
        yield* TestClock.adjust(1)
        yield* tick
        expect(yield* existingRecord("k")).toBeNull()
      })
    ))

  it("sweeps everything at once when asked, also in the first minutes of a process", () =>
    withTestMail(store, { retention: { messagesMillis: dayMillis } })(
      Effect.gen(function* () {
        const { sweep } = yield* Dispatcher
        const count = 120
        for (let n = 0; n < count; n++) yield* send(`old-${n}`)
        while ((yield* tick).handedOver > 0);
        yield* TestClock.setTime(start + 40 * dayMillis)
        yield* send("new")
        yield* sweep
        expect(yield* summaries).toHaveLength(1)
        expect(yield* existingRecord("old-0")).toBeNull()
        expect(yield* existingRecord("new")).not.toBeNull()
        expect(yield* events).toEqual([])
      })
    ))

  it("hands over mail after a sweep that failed, and sweeps again 10 minutes later", () => {
    let failed = 0
    const failing = Layer.effect(
      MailStore,
      Effect.map(MailStore, (inner) => ({
        ...inner,
        sweep: () =>
          Effect.suspend(() => {
            failed++
            return Effect.fail(new StoreUnavailable({ reason: "unreachable" }))
          })
      }))
    )
    return withTestMail({ name: store.name, layer: Layer.provide(failing, store.layer) })(
      Effect.gen(function* () {
        yield* tick
        for (const round of [1, 2]) {
          yield* TestClock.adjust("10 minutes")
          expect(yield* Effect.flip(tick)).toMatchObject({ _tag: "StoreUnavailable" })
          yield* send(`k${round}`)
          expect(yield* tick).toMatchObject({ handedOver: 1 })
          expect(failed).toBe(round)
        }
      })
    )
  })

  it("continues to sweep after the clock was set back", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { byClock, shiftTo } = yield* settableClock
        yield* send("k")
        yield* shiftTo(dayMillis)
        yield* byClock(tick)
        yield* TestClock.adjust(hourMillis)
        yield* byClock(tick)
        yield* shiftTo(-dayMillis)
        yield* byClock(tick)
        yield* TestClock.adjust(32 * dayMillis)
        yield* byClock(tick)
        expect(yield* existingRecord("k")).toBeNull()
        yield* sendEvents
      })
    ))
})
