/**
 * A worker that was frozen, suspended or slow does not send a delivery that another worker claimed. The relay's answer is not lost.
 */
import {
  delivery,
  detail,
  expectBalanced,
  withTestMail,
  runOver,
  send,
  sendOne,
  start,
  stores,
  tick,
  tickOver,
  tickWith
} from "@mailkeep/test-support"
import { eventLoopTurns } from "@mailkeep/test-support/eventLoop"
import { settableClock } from "@mailkeep/test-support/settableClock"
import { StubTransport } from "@mailkeep/smtp"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { Change } from "../../../src/domain/store/Change.ts"
import type { HandOffOutcome, TransportShape } from "../../../src/port/Transport.ts"
import type { MailStoreShape } from "../../../src/port/MailStore.ts"
import { Conflict } from "../../../src/domain/store/Conflict.ts"
import { wholeRotation } from "../../../src/domain/store/Rotation.ts"
import { dayMillis } from "../../../src/domain/value/Instant.ts"
import { Dispatcher, HandOffs, MailStore } from "../../../src/index.ts"
import { always } from "./scriptedStub.ts"

const lapsed = { kind: "abandonedSending", limit: 9, rotation: wholeRotation } as const
const taken = Effect.map(StubTransport.StubTransport, (stub) => stub.captured().length)
const isFinalizing = (changes: ReadonlyArray<Change>) =>
  changes.some((change) => change._tag === "TransitionAttempt" && change.next.phase === "finalizing")

/** Advances the clock in small steps until the fiber ends. */
const advanceUntilEnd = <A, E>(fiber: Fiber.Fiber<A, E>) =>
  Effect.gen(function* () {
    while (fiber.pollUnsafe() === undefined) {
      yield* eventLoopTurns()
      yield* TestClock.adjust("50 millis")
    }
    return yield* Fiber.join(fiber)
  })

describe.each(stores)("the finalizing commit, over $name", (store) => {
  /** A store whose finalizing commits always meet a changed suppression. `commits` counts the finalizing commits. */
  const contended = Effect.map(MailStore, (mailStore) => {
    let commits = 0
    const contendedStore: MailStoreShape = {
      ...mailStore,
      commit: (changes) =>
        Effect.suspend(() => {
          if (!isFinalizing(changes)) return mailStore.commit(changes)
          commits++
          return Effect.fail(new Conflict({ at: 0, change: "Expect", reason: "Stale" }))
        })
    }
    return { contendedStore, commits: () => commits }
  })

  it("tries the finalizing commit 13 times when its guard never holds, then requeues the delivery unsent", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const id = yield* sendOne
        const { contendedStore, commits } = yield* contended
        const ticking = yield* Effect.forkChild(tickOver(contendedStore))
        yield* advanceUntilEnd(ticking)
        expect(commits()).toBe(13)
        expect(yield* taken).toBe(0)
        expect(yield* delivery(id)).toMatchObject({ status: "queued", ambiguousAttempts: 0, worker: null })
        yield* expectBalanced
      })
    ))

  it("ends the tries of the finalizing commit at the deadline of the hand-off", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const id = yield* sendOne
        const { contendedStore, commits } = yield* contended
        const dispatcher = Dispatcher.layerWith().pipe(
          Layer.provide(HandOffs.layerWith({ deadlineMillis: 100 })),
          Layer.provide(Layer.succeed(MailStore, contendedStore)),
          Layer.fresh
        )
        const ticking = yield* Effect.forkChild(Effect.provide(tick, dispatcher))
        yield* advanceUntilEnd(ticking)
        // Three retries at once, then after 10, 20 and 40 ms.
        expect(commits()).toBeLessThanOrEqual(7)
        expect(yield* delivery(id)).toMatchObject({ status: "queued", ambiguousAttempts: 0 })
      })
    ))

  it.each([
    ["stops", 16_000, 0, "queued"],
    ["continues", 14_000, 1, "delivered"]
  ])("%s the hand-off when the finalizing commit takes %d ms of a lease of 30 s", (_, millis, copies, status) =>
    withTestMail(store)(
      Effect.gen(function* () {
        const id = yield* sendOne
        const mailStore = yield* MailStore
        const frozen: MailStoreShape = {
          ...mailStore,
          commit: (changes) =>
            isFinalizing(changes)
              ? Effect.andThen(mailStore.commit(changes), Effect.sleep(millis))
              : mailStore.commit(changes)
        }
        const ticking = yield* Effect.forkChild(tickOver(frozen))
        yield* advanceUntilEnd(ticking)
        expect(yield* taken).toBe(copies)
        expect(yield* delivery(id)).toMatchObject({ status, ambiguousAttempts: 0 })
        yield* expectBalanced
      })
    )
  )

  it("renews the lease so that no other worker claims the delivery before the relay answers", () =>
    withTestMail(
      store,
      always({ act: "deliver" })
    )(
      Effect.gen(function* () {
        yield* sendOne
        const mailStore = yield* MailStore
        const stub = yield* StubTransport.StubTransport
        const stolen: Array<number> = []
        const late: TransportShape = {
          ...stub,
          handOff: (one) =>
            Effect.gen(function* () {
              yield* TestClock.setTime(start + 29_000)
              yield* one.beforeFinalize
              const claim = { ...lapsed, worker: "other", leaseUntil: start + 99_000 } as const
              const rows = yield* Effect.orDie(mailStore.claim({ ...claim, now: start + 58_000 }))
              stolen.push(rows.length)
              return yield* stub.handOff({ ...one, beforeFinalize: Effect.void })
            })
        }
        yield* tickWith(late)
        expect(stolen).toEqual([0])
      })
    ))
})

/** Hands over as the stub does. Another worker recovers the delivery before the answer arrives. */
const seemsDead = (outcome: HandOffOutcome) =>
  Effect.gen(function* () {
    const mailStore = yield* MailStore
    const handOffs = yield* HandOffs
    const stub = yield* StubTransport.StubTransport
    return {
      ...stub,
      handOff: (one) =>
        Effect.gen(function* () {
          yield* stub.handOff(one)
          const claim = { ...lapsed, worker: "other", leaseUntil: start + 99_000 } as const
          const rows = yield* Effect.orDie(mailStore.claim({ ...claim, now: start + 60_000 }))
          for (const row of rows) yield* Effect.orDie(handOffs.recover(row, 30_000))
          return outcome
        })
    } satisfies TransportShape
  }).pipe(Effect.provide(HandOffs.layerWith()))

const reply = { stage: "endOfData", smtpCode: 250, enhancedCode: "2.0.0", text: "Ok" } as const

describe.each(stores)("an answer of the relay after another worker recovered the delivery, over $name", (store) => {
  it.each([
    ["Delivered", "delivered"],
    ["Accepted", "accepted"]
  ] as const)("settles the delivery after a late outcome %s, without another hand-off", (_tag, status) =>
    withTestMail(store)(
      Effect.gen(function* () {
        const id = yield* sendOne
        yield* tickWith(yield* seemsDead({ _tag, reply }))
        expect(yield* delivery(id)).toMatchObject({ status, ambiguousAttempts: 1, worker: null, dueAt: null })
        yield* TestClock.adjust("11 minutes")
        yield* tick
        expect(yield* taken).toBe(1)
        expect((yield* detail(id)).attempts).toMatchObject([{ outcome: "ambiguous" }])
        yield* expectBalanced
      })
    )
  )

  it("settles a delivery that failed as delivery_uncertain when the relay's answer is late", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const result = yield* send("k", {}, { onAmbiguous: "fail" })
        const id = result.deliveryIds[0]!
        yield* tickWith(yield* seemsDead({ _tag: "Delivered", reply }))
        expect(yield* delivery(id)).toMatchObject({ status: "delivered", reason: null })
        yield* expectBalanced
      })
    ))

  it("keeps the next attempt of a delivery after a late refusal", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const id = yield* sendOne
        yield* tickWith(
          yield* seemsDead({ _tag: "Refused", reply: { ...reply, smtpCode: 451, enhancedCode: "4.3.0" } })
        )
        expect(yield* delivery(id)).toMatchObject({ status: "queued", ambiguousAttempts: 1 })
      })
    ))
})

describe.each(stores)("a wall clock that jumps a day ahead, over $name", (store) => {
  it("recovers no delivery under way when the wall clock jumps a day ahead", () =>
    withTestMail(store, { ...always({ act: "hang", whileFinalizing: true }), dispatcher: { graceMillis: 1 } })(
      Effect.gen(function* () {
        const { byClock, shiftTo } = yield* settableClock
        const run = Effect.flatMap(Dispatcher, (dispatcher) => dispatcher.run)
        const another = runOver(yield* MailStore)
        const id = yield* sendOne
        const own = yield* Effect.forkChild(byClock(run))
        yield* eventLoopTurns()
        expect((yield* delivery(id)).status).toBe("sending")
        const other = yield* Effect.forkChild(byClock(another))
        yield* eventLoopTurns()
        yield* shiftTo(dayMillis)
        // Wakes both dispatchers before any lease is renewed.
        yield* send("wakes")
        for (let second = 0; second < 60; second++) {
          yield* TestClock.adjust("1 second")
          yield* eventLoopTurns()
        }
        expect(yield* delivery(id)).toMatchObject({ status: "sending", workerDeaths: 0, ambiguousAttempts: 0 })
        const stopping = yield* Effect.forkChild(Effect.all([Fiber.interrupt(own), Fiber.interrupt(other)]))
        yield* TestClock.adjust("1 minute")
        yield* Fiber.join(stopping)
      })
    ))
})
