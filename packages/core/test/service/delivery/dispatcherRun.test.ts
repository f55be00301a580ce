/**
 * The dispatcher while it runs: what wakes it, and how it stops.
 */
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import {
  delivery,
  detail,
  withTestMail,
  runOver,
  send,
  sendOne,
  start,
  stores,
  summaries
} from "@mailkeep/test-support"
import { eventLoopTurns } from "@mailkeep/test-support/eventLoop"
import type { MailStoreShape } from "../../../src/port/MailStore.ts"
import { Dispatcher, Domains, formatInstant, MailStore, PlanSource, StoreUnavailable } from "../../../src/index.ts"
import { noLimits } from "../../../src/domain/plan/Plan.ts"
import type { Change } from "../../../src/domain/store/Change.ts"
import { wholeRotation } from "../../../src/domain/store/Rotation.ts"

describe.each(stores)("Dispatcher.run, over $name", (store) => {
  /** Runs the loop. When the scope closes, advances the clock until the grace period is over. */
  const running = Effect.acquireRelease(
    Effect.flatMap(Dispatcher, (dispatcher) => Effect.forkDetach(dispatcher.run)),
    (loop) =>
      Effect.gen(function* () {
        const stopping = yield* Effect.forkDetach(Fiber.interrupt(loop))
        yield* eventLoopTurns(20)
        yield* TestClock.adjust("1 minute")
        yield* Fiber.join(stopping)
      })
  )

  const until = (id: string, status: string, meanwhile: () => Effect.Effect<void> = () => Effect.void) =>
    Effect.gen(function* () {
      for (let i = 0; i < 2000 && (yield* delivery(id)).status !== status; i++) {
        yield* meanwhile()
        yield* eventLoopTurns(1)
      }
      expect((yield* delivery(id)).status).toBe(status)
    })

  it("wakes at once when a send is accepted", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* running
        const id = yield* sendOne
        yield* until(id, "delivered")
        expect((yield* delivery(id)).deliveredAt).toBe(start)
      }).pipe(Effect.scoped)
    ))

  it("wakes soon when a send was interrupted and its commit is applied later", () => {
    let applyLate: Effect.Effect<void, unknown> = Effect.void
    const isSend = ({ _tag }: Change) => _tag === "InsertMessage"
    const layer = Layer.effect(
      MailStore,
      Effect.map(MailStore, (inner) => ({
        ...inner,
        commit: (changes: ReadonlyArray<Change>) =>
          changes.some(isSend)
            ? Effect.callback<never>(() => {
                applyLate = inner.commit(changes)
              })
            : inner.commit(changes)
      }))
    ).pipe(Layer.provide(store.layer))
    return withTestMail({ name: store.name, layer })(
      Effect.gen(function* () {
        yield* running
        yield* eventLoopTurns(100)
        const sending = yield* Effect.forkChild(send("k"))
        yield* eventLoopTurns(100)
        yield* Fiber.interrupt(sending)
        yield* TestClock.adjust("500 millis")
        yield* applyLate
        yield* TestClock.adjust("1 second")
        const [accepted] = yield* summaries
        yield* until(accepted!.id, "delivered")
      }).pipe(Effect.scoped)
    )
  })

  it("wakes when the next delivery is due", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* running
        const result = yield* send("k", { scheduledAt: formatInstant(start + 7000) })
        yield* eventLoopTurns(100)
        yield* TestClock.adjust("6999 millis")
        expect((yield* delivery(result.deliveryIds[0]!)).status).toBe("scheduled")
        yield* TestClock.adjust("1 millis")
        yield* until(result.deliveryIds[0]!, "delivered")
        expect((yield* delivery(result.deliveryIds[0]!)).deliveredAt).toBe(start + 7000)
      }).pipe(Effect.scoped)
    ))

  it("hands over other deliveries while one hand-off hangs", () =>
    withTestMail(store, {
      stub: { script: [{ recipient: "slow@example.org", acts: [{ act: "hang" }] }] },
      dispatcher: { graceMillis: 1 }
    })(
      Effect.gen(function* () {
        yield* running
        yield* send("slow", { to: "slow@example.org" })
        for (const key of ["a", "b", "c"]) {
          const result = yield* send(key)
          yield* until(result.deliveryIds[0]!, "delivered")
        }
      }).pipe(Effect.scoped)
    ))

  it("waits for hand-offs at shutdown, then returns them to the queue and ends its lease", () =>
    withTestMail(store, { stub: { script: [{ acts: [{ act: "hang" }] }] }, dispatcher: { graceMillis: 5000 } })(
      Effect.gen(function* () {
        const loop = yield* running
        const id = yield* sendOne
        yield* until(id, "sending")
        const stopping = yield* Effect.forkChild(Fiber.interrupt(loop), { startImmediately: true })
        yield* TestClock.adjust("4999 millis")
        expect((yield* delivery(id)).status).toBe("sending")
        yield* TestClock.adjust("1 millis")
        yield* Fiber.join(stopping)
        expect(yield* delivery(id)).toMatchObject({ status: "queued", workerDeaths: 0, worker: null })
        expect((yield* detail(id)).attempts).toMatchObject([{ outcome: "stopped" }])
        const [next] = yield* (yield* MailStore).read([{ _tag: "NextDue", worker: "nobody", now: start }])
        expect(next).toBeLessThanOrEqual(start + 5000)
      }).pipe(Effect.scoped)
    ))

  it("ends its lease when it stops", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const mailStore = yield* MailStore
        const nextDue = Effect.map(mailStore.read([{ _tag: "NextDue", worker: "other", now: start }]), ([next]) => next)
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* running
            const id = yield* sendOne
            yield* until(id, "delivered")
            expect(yield* nextDue).toBeGreaterThan(start)
          })
        )
        expect(yield* nextDue).toBeNull()
      })
    ))

  it("continues for all projects while the plan of one project cannot be read", () =>
    withTestMail(store, {
      plans: Layer.sync(PlanSource, () => {
        // The send can read the plan. The later release cannot.
        let reads = 0
        return {
          planOf: (projectId) =>
            projectId === "prj_bad" && reads++ > 0
              ? Effect.fail(new StoreUnavailable({ reason: "unreachable" }))
              : Effect.succeed(noLimits)
        }
      })
    })(
      Effect.gen(function* () {
        yield* (yield* Domains).create("prj_bad", { domain: "example.com", verified: true })
        yield* send("bad", { scheduledAt: formatInstant(start + 1000) }, {}, "prj_bad")
        yield* running
        yield* eventLoopTurns(50)
        yield* TestClock.adjust("1 second")
        yield* eventLoopTurns(50)
        const result = yield* send("good")
        yield* until(result.deliveryIds[0]!, "delivered")
      }).pipe(Effect.scoped)
    ))

  it("stops within its grace period while the store is unavailable", () =>
    withTestMail(store, { stub: { script: [{ acts: [{ act: "hang" }] }] } })(
      Effect.gen(function* () {
        const mailStore = yield* MailStore
        let unavailable = false
        const unavailableStore: MailStoreShape = {
          ...mailStore,
          commit: (changes) =>
            Effect.suspend(() =>
              unavailable ? Effect.fail(new StoreUnavailable({ reason: "unreachable" })) : mailStore.commit(changes)
            )
        }
        const loop = yield* Effect.forkChild(runOver(unavailableStore))
        const id = yield* sendOne
        yield* until(id, "sending", () => TestClock.adjust("1 second"))
        unavailable = true
        const stopping = yield* Effect.forkChild(Fiber.interrupt(loop), { startImmediately: true })
        for (let i = 0; i < 30; i++) {
          yield* TestClock.adjust("1 second")
          yield* eventLoopTurns(5)
        }
        expect(stopping.pollUnsafe()).toBeDefined()
      }).pipe(Effect.scoped)
    ))

  it("releases due deliveries while hand-offs hang", () =>
    withTestMail(store, {
      stub: { script: [{ recipient: "slow@example.org", acts: [{ act: "hang" }] }] },
      dispatcher: { graceMillis: 1, concurrency: 2 }
    })(
      Effect.gen(function* () {
        yield* running
        yield* send("slow", { to: "slow@example.org" })
        const result = yield* send("later", { scheduledAt: formatInstant(start + 1000) })
        yield* eventLoopTurns(50)
        yield* TestClock.adjust("1 second")
        yield* until(result.deliveryIds[0]!, "delivered")
      }).pipe(Effect.scoped)
    ))

  it("renews its lease during a long hand-off", () =>
    withTestMail(store, { stub: { script: [{ acts: [{ act: "hang" }] }] }, dispatcher: { graceMillis: 1 } })(
      Effect.gen(function* () {
        yield* running
        const id = yield* sendOne
        yield* until(id, "sending")
        for (let i = 0; i < 12; i++) {
          yield* TestClock.adjust("10 seconds")
          yield* eventLoopTurns(20)
        }
        const stolen = yield* (yield* MailStore).claim({
          kind: "abandonedSending",
          now: start + 120_000,
          limit: 9,
          worker: "other",
          leaseUntil: start + 150_000,
          rotation: wholeRotation
        })
        expect(stolen).toEqual([])
      }).pipe(Effect.scoped)
    ))
})
