/**
 * The health of a process: its store, its relay and its work. Time is that of the test clock.
 */
import { MemoryMailStore } from "@mailkeep/memory"
import type { TestMailOptions } from "@mailkeep/test-support"
import {
  openTestMail,
  project,
  send,
  sendOne,
  start,
  stopped,
  stores,
  tick,
  withTestMail
} from "@mailkeep/test-support"
import { Effect, Fiber, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { deliveryState } from "../../../src/domain/delivery/Delivery.ts"
import { wholeRotation } from "../../../src/domain/store/Rotation.ts"
import { Dispatcher, Health, MailStore, StoreUnavailable } from "../../../src/index.ts"
import type { TransportShape } from "../../../src/port/Transport.ts"
import { TransportUnavailable } from "../../../src/port/Transport.ts"

const check = Effect.flatMap(Health, (health) => health.check)

describe.each(stores)("Health, over $name", (store) => {
  it("reports an idle process as ok", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        expect(yield* check).toEqual({
          status: "ok",
          reasons: [],
          dispatcherRunning: false,
          store: "ok",
          storeFault: null,
          scheduled: 0,
          queued: 0,
          sending: 0,
          oldestDueAgeMillis: 0,
          stuck: 0,
          eventDeliveriesPending: 0,
          circuit: "closed",
          pausedUntil: null,
          lastFault: null,
          inFlight: 0
        })
      })
    ))

  it("reports deliveries that nobody hands over as stuck after 5 minutes, and again as ok after they are sent", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* sendOne
        yield* TestClock.adjust("4 minutes")
        expect(yield* check).toMatchObject({ status: "ok", queued: 1, stuck: 0, oldestDueAgeMillis: 240_000 })
        yield* TestClock.adjust("1 minute")
        expect(yield* check).toMatchObject({ status: "degraded", reasons: ["deliveries_stuck"], stuck: 1 })
        yield* tick
        expect(yield* check).toMatchObject({ status: "ok", queued: 0, stuck: 0, dispatcherRunning: true })
        yield* TestClock.adjust("1 minute")
        expect((yield* check).dispatcherRunning).toBe(false)
      })
    ))

  it("reports a delivery of a dead worker as stuck when its lease ended a lease ago", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const id = yield* sendOne
        const mailStore = yield* MailStore
        const lease = { worker: "dead", now: start, leaseUntil: start + 30_000 }
        const [claimed] = yield* mailStore.claim({ kind: "dueQueued", limit: 1, rotation: wholeRotation, ...lease })
        expect(claimed?.id).toBe(id)
        yield* mailStore.commit([
          {
            _tag: "TransitionDelivery",
            projectId: project,
            id,
            from: "queued",
            fencingToken: claimed!.fencingToken,
            next: { ...deliveryState(claimed!), status: "sending" }
          }
        ])
        yield* TestClock.adjust("59 seconds")
        expect(yield* check).toMatchObject({ status: "ok", sending: 1, stuck: 0 })
        yield* TestClock.adjust("1 second")
        expect(yield* check).toMatchObject({ status: "degraded", reasons: ["deliveries_stuck"], stuck: 1 })
      })
    ))
})

const memory = stores[0]

describe("Health", () => {
  const unreachable: TestMailOptions = { stub: { script: [{ acts: [{ act: "disconnect" }] }] } }

  it("reports a relay that cannot be reached, without its words", () =>
    withTestMail(
      memory,
      unreachable
    )(
      Effect.gen(function* () {
        for (const key of ["a", "b", "c", "d", "e"]) yield* send(key, { to: `${key}@example.org` })
        yield* tick
        const report = yield* check
        expect(report).toMatchObject({
          status: "degraded",
          reasons: ["relay_unreachable"],
          circuit: "open",
          pausedUntil: start + 1000,
          lastFault: { at: start, kind: "unreachable", wrongSetting: null, smtpCode: null, enhancedCode: null }
        })
        expect(report.lastFault).not.toHaveProperty("text")
      })
    ))

  it("names the setting that keeps the transport from the relay after the first hand-off", () => {
    const reason = "The certificate of the relay is not accepted (CERT_HAS_EXPIRED)."
    const transport: TransportShape = {
      capabilities: {
        confirmsDelivery: false,
        signalsFinalize: true,
        idempotentHandOff: false,
        maxMessageBytes: null,
        smtpUtf8: false
      },
      handOff: () => Effect.fail(new TransportUnavailable({ reason, wrongSetting: "certificate" }))
    }
    return withTestMail(memory, { transport })(
      Effect.gen(function* () {
        yield* sendOne
        yield* tick
        expect(yield* check).toMatchObject({
          status: "degraded",
          reasons: ["relay_refuses"],
          lastFault: { at: start, kind: "unreachable", wrongSetting: "certificate", smtpCode: null, enhancedCode: null }
        })
      })
    )
  })

  it("counts the hand-offs under way, and knows that the dispatcher runs", () =>
    withTestMail(memory, { stub: { script: [{ acts: [{ act: "hang" }] }] } })(
      Effect.gen(function* () {
        yield* sendOne
        const running = yield* Effect.forkChild((yield* Dispatcher).run)
        for (let i = 0; i < 50; i++) yield* Effect.yieldNow
        expect(yield* check).toMatchObject({ status: "ok", inFlight: 1, sending: 1, dispatcherRunning: true })
        yield* stopped(running)
        expect(yield* check).toMatchObject({ inFlight: 0 })
      })
    ))

  it("sets the gauges of the metrics", () =>
    withTestMail(memory)(
      Effect.gen(function* () {
        yield* sendOne
        yield* TestClock.adjust("90 seconds")
        yield* check
        const values = (yield* Metric.snapshot).flatMap(({ id, type, attributes, state }) =>
          type === "Gauge" ? [[[id, ...Object.values(attributes ?? {})].join(" "), state.value] as const] : []
        )
        expect(Object.fromEntries(values)).toMatchObject({
          "mailkeep_backlog queued": 1,
          "mailkeep_backlog sending": 0,
          mailkeep_oldest_due_age_seconds: 90,
          mailkeep_stuck_deliveries: 0,
          mailkeep_store_up: 1,
          mailkeep_health_status: 0,
          mailkeep_relay_circuit: 0
        })
      }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
    ))
})

/** A store in memory of which a test makes single calls fail. */
const brokenStore = () => {
  const broken: { read?: Effect.Effect<never, StoreUnavailable>; commit?: Effect.Effect<never, StoreUnavailable> } = {}
  const layer = Layer.effect(
    MailStore,
    Effect.map(MailStore, (store) => ({
      ...store,
      read: (queries) => Effect.suspend(() => broken.read ?? store.read(queries)),
      commit: (changes) => Effect.suspend(() => broken.commit ?? store.commit(changes))
    }))
  ).pipe(Layer.provide(MemoryMailStore.layer))
  return { broken, store: { name: "broken", layer } }
}

const unavailable = (reason: StoreUnavailable["reason"]) => Effect.fail(new StoreUnavailable({ reason }))

describe("Health, over a store that does not work", () => {
  it.each([
    ["fails", unavailable("unreachable"), "unreachable"],
    ["has a bug", Effect.die(new Error("a bug")), "unreachable"]
  ])("reports a store that %s as failing, and does not fail", async (_, read, storeFault) => {
    const { broken, store } = brokenStore()
    const mail = await openTestMail(store)
    broken.read = read
    expect(await mail.runPromise(check)).toMatchObject({
      status: "failing",
      reasons: ["store_unavailable"],
      store: "unavailable",
      storeFault,
      queued: null
    })
    delete broken.read
    expect(await mail.runPromise(check)).toMatchObject({ status: "ok", storeFault: null })
    await mail.dispose()
  })

  it("reports a store that does not answer within 5 seconds as failing", async () => {
    const { broken, store } = brokenStore()
    const mail = await openTestMail(store)
    broken.read = Effect.never
    const report = await mail.runPromise(
      Effect.gen(function* () {
        const checking = yield* Effect.forkChild(check)
        yield* Effect.yieldNow
        yield* TestClock.adjust("5 seconds")
        return yield* Fiber.join(checking)
      })
    )
    expect(report).toMatchObject({ status: "failing", storeFault: "timeout" })
    await mail.dispose()
  })

  it("reports a write that failed as failing, until a write succeeds or a minute has passed", async () => {
    const { broken, store } = brokenStore()
    const mail = await openTestMail(store)
    const statusAfter = (millis: number) =>
      mail.runPromise(
        Effect.andThen(
          TestClock.adjust(millis),
          Effect.map(check, ({ status, storeFault }) => [status, storeFault])
        )
      )
    broken.commit = unavailable("full")
    await mail.runPromise(Effect.ignore(send("a")))
    expect(await statusAfter(59_999)).toEqual(["failing", "full"])
    expect(await statusAfter(1)).toEqual(["ok", null])
    await mail.runPromise(Effect.ignore(send("b")))
    expect(await statusAfter(0)).toEqual(["failing", "full"])
    delete broken.commit
    await mail.runPromise(send("c"))
    expect(await statusAfter(0)).toEqual(["ok", null])
    await mail.dispose()
  })
})
