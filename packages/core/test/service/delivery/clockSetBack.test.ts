/**
 * The wall clock is set back in every phase of a delivery. No delivery waits longer than a lease for it, and none is sent before its time.
 */
import {
  delivery,
  detail,
  project,
  runOver,
  send,
  sendOne,
  start,
  stopped,
  stores,
  tickOver,
  withTestMail
} from "@mailkeep/test-support"
import { eventLoopTurns } from "@mailkeep/test-support/eventLoop"
import { settableClock } from "@mailkeep/test-support/settableClock"
import { StubTransport } from "@mailkeep/smtp"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { deliveryState, freshAttempt } from "../../../src/domain/delivery/Delivery.ts"
import { wholeRotation } from "../../../src/domain/store/Rotation.ts"
import { dayMillis, hourMillis, minuteMillis, secondMillis } from "../../../src/domain/value/Instant.ts"
import { Dispatcher, formatInstant, MailStore } from "../../../src/index.ts"

/** A worker claims the delivery and dies, before or after it began an attempt. */
const claimedByDeadWorker = (phase: "claimed" | "started" | "finalizing") =>
  Effect.gen(function* () {
    const id = yield* sendOne
    const store = yield* MailStore
    const now = yield* Clock.currentTimeMillis
    const claim = { now, limit: 9, worker: "dead", leaseUntil: now + 30_000, rotation: wholeRotation } as const
    const [claimed] = yield* store.claim({ kind: "dueQueued", ...claim })
    if (phase === "claimed") return id
    const sending = { ...deliveryState(claimed!), status: "sending", attemptCount: 1, fencingToken: 2 } as const
    yield* store.commit([
      {
        _tag: "InsertAttempt",
        attempt: { ...freshAttempt, projectId: project, deliveryId: id, number: 1, startedAt: start, phase }
      },
      {
        _tag: "TransitionDelivery",
        projectId: project,
        id,
        from: "queued",
        fencingToken: claimed!.fencingToken,
        next: sending
      }
    ])
    return id
  })

/** The phase of a delivery when the clock is set back, and its status afterwards. */
const phases = {
  queued: { prepare: sendOne, status: "delivered" },
  claimed: { prepare: claimedByDeadWorker("claimed"), status: "delivered" },
  started: { prepare: claimedByDeadWorker("started"), status: "delivered" },
  finalizing: { prepare: claimedByDeadWorker("finalizing"), status: "queued" }
} as const

const jumps = [secondMillis, 10 * secondMillis, minuteMillis, hourMillis, dayMillis, 10 * dayMillis] as const

/** Lets the time pass in seconds until the delivery has the status. Returns the number of seconds, at most `max`. */
const secondsUntil = (id: string, status: string, max: number) =>
  Effect.gen(function* () {
    yield* eventLoopTurns()
    for (let seconds = 0; seconds <= max; seconds++) {
      if ((yield* delivery(id)).status === status) return seconds
      yield* TestClock.adjust("1 second")
      yield* eventLoopTurns()
    }
    return Number.POSITIVE_INFINITY
  })

const run = Effect.flatMap(Dispatcher, (dispatcher) => dispatcher.run)

/** A dispatcher that queues scheduled deliveries and hands over none. */
const queueOnly = Effect.flatMap(MailStore, (store) =>
  tickOver({
    ...store,
    claim: (claim) => (claim.kind === "dueQueued" ? Effect.succeed([]) : store.claim(claim))
  })
)

/** The longest lease, the longest sleep of a dispatcher, and a turn. */
const lapseSecondsMax = 46

describe.each(stores)("a wall clock that is set back, over $name", (store) => {
  const cases = Object.entries(phases).flatMap(([name, phase]) =>
    (store.name === "memory" ? jumps : [minuteMillis, dayMillis]).map((jump) => ({ name, jump, ...phase }))
  )

  it.each(cases)(
    "delays a delivery that is $name by a lease at most, $jump ms back, before a start",
    ({ jump, ...phase }) =>
      withTestMail(store)(
        Effect.gen(function* () {
          const { byClock, shiftTo } = yield* settableClock
          const id = yield* phase.prepare
          yield* shiftTo(-jump)
          const running = yield* Effect.forkChild(byClock(run))
          expect(yield* secondsUntil(id, phase.status, 60)).toBeLessThanOrEqual(lapseSecondsMax)
          yield* stopped(running)
        })
      )
  )

  it.each(cases)(
    "delays a delivery that is $name by a lease at most, $jump ms back, while it runs",
    ({ jump, ...phase }) =>
      withTestMail(store)(
        Effect.gen(function* () {
          const { byClock, shiftTo } = yield* settableClock
          // Does not learn of the delivery, but wakes after its longest sleep.
          const running = yield* Effect.forkChild(byClock(runOver(yield* MailStore)))
          yield* eventLoopTurns()
          yield* TestClock.adjust("1 second")
          const id = yield* phase.prepare
          yield* shiftTo(-jump)
          expect(yield* secondsUntil(id, phase.status, 60)).toBeLessThanOrEqual(lapseSecondsMax)
          yield* stopped(running)
        })
      )
  )

  it("retries an ambiguous delivery of a worker that died before the clock was set back", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { byClock, shiftTo } = yield* settableClock
        const id = yield* phases.finalizing.prepare
        yield* shiftTo(-dayMillis)
        const running = yield* Effect.forkChild(byClock(run))
        yield* secondsUntil(id, "queued", 60)
        expect((yield* detail(id)).attempts).toMatchObject([{ outcome: "ambiguous" }])
        expect(yield* secondsUntil(id, "delivered", 660)).toBeLessThanOrEqual(600)
        yield* stopped(running)
      })
    ))

  it.each([
    ["1 s", secondMillis, 31],
    ["30 s", 30 * secondMillis, 60],
    // Longer than the part of the wait that has passed, the difference that clocks may have, and the sleep of the dispatcher.
    ["90 s", 90 * secondMillis, 15],
    ["1 day", dayMillis, 15]
  ])("retries after %s back and 30 s of a wait of a minute, within %d ms and %d s", (_, jump, secondsMax) =>
    withTestMail(store, { stub: { script: [{ acts: [{ act: "defer" }, { act: "deliver" }] }] } })(
      Effect.gen(function* () {
        const { byClock, shiftTo } = yield* settableClock
        const id = yield* sendOne
        const running = yield* Effect.forkChild(byClock(run))
        while ((yield* delivery(id)).deferrals === 0) yield* eventLoopTurns()
        const { dueAt } = yield* delivery(id)
        yield* TestClock.setTime(dueAt! - 30 * secondMillis)
        yield* shiftTo(-jump)
        expect(yield* secondsUntil(id, "delivered", 120)).toBeLessThanOrEqual(secondsMax)
        yield* stopped(running)
      })
    )
  )

  it("sends a scheduled delivery at its time by the clock that was set back, and not before", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { byClock, shiftTo } = yield* settableClock
        const result = yield* send("k", { scheduledAt: formatInstant(start + minuteMillis) })
        const id = result.deliveryIds[0]!
        const running = yield* Effect.forkChild(byClock(run))
        yield* eventLoopTurns()
        yield* TestClock.adjust("30 seconds")
        yield* shiftTo(-2 * minuteMillis)
        yield* eventLoopTurns()
        const seconds = yield* secondsUntil(id, "delivered", 200)
        expect(seconds).toBeGreaterThanOrEqual(150)
        expect(seconds).toBeLessThanOrEqual(151)
        yield* stopped(running)
      })
    ))

  it("hands over no queued delivery before its scheduled time when the clock is set back behind this time", () =>
    withTestMail(store, { stub: { script: [{ acts: [{ act: "deliver" }] }] } })(
      Effect.gen(function* () {
        const { byClock, shiftTo } = yield* settableClock
        const result = yield* send("k", { scheduledAt: formatInstant(start + minuteMillis) })
        const id = result.deliveryIds[0]!
        yield* TestClock.adjust("61 seconds")
        yield* queueOnly
        expect((yield* delivery(id)).status).toBe("queued")
        yield* shiftTo(-hourMillis)
        const running = yield* Effect.forkChild(byClock(run))
        expect(yield* secondsUntil(id, "delivered", 100)).toBe(Number.POSITIVE_INFINITY)
        expect((yield* StubTransport.StubTransport).captured()).toEqual([])
        yield* shiftTo(0)
        expect(yield* secondsUntil(id, "delivered", 20)).toBeLessThanOrEqual(16)
        yield* stopped(running)
      })
    ))

  it("keeps the claims of a live worker when the clock is set back", () =>
    withTestMail(store, {
      dispatcher: { graceMillis: 1 },
      stub: { script: [{ acts: [{ act: "hang", whileFinalizing: true }] }] }
    })(
      Effect.gen(function* () {
        const { byClock, shiftTo } = yield* settableClock
        const id = yield* sendOne
        const own = yield* Effect.forkChild(byClock(run))
        yield* eventLoopTurns()
        expect((yield* delivery(id)).status).toBe("sending")
        const other = yield* Effect.forkChild(byClock(runOver(yield* MailStore)))
        yield* eventLoopTurns()
        yield* shiftTo(-dayMillis)
        // Wakes both dispatchers before any lease is renewed.
        yield* send("wakes", { to: "bob@example.org" })
        for (let second = 0; second < 60; second++) {
          yield* TestClock.adjust("1 second")
          yield* eventLoopTurns()
        }
        expect(yield* delivery(id)).toMatchObject({ status: "sending", workerDeaths: 0, ambiguousAttempts: 0 })
        yield* stopped(own)
        yield* stopped(other)
      })
    ))

  it("hands over each delivery once when the clock is set back and then forward again", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { byClock, shiftTo } = yield* settableClock
        const id = yield* claimedByDeadWorker("started")
        const running = yield* Effect.forkChild(byClock(run))
        for (const shift of [-dayMillis, 0, -hourMillis, 0]) {
          yield* shiftTo(shift)
          for (let second = 0; second < 5; second++) {
            yield* TestClock.adjust("1 second")
            yield* eventLoopTurns()
          }
        }
        expect(yield* secondsUntil(id, "delivered", 60)).toBeLessThanOrEqual(lapseSecondsMax)
        expect(yield* delivery(id)).toMatchObject({ attemptCount: 2, workerDeaths: 1 })
        expect((yield* StubTransport.StubTransport).captured()).toHaveLength(1)
        yield* stopped(running)
      })
    ))
})
