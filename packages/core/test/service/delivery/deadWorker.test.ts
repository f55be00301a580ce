/**
 * A worker dies during a send: another worker recovers the delivery, and the dead worker can write nothing later.
 */
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import {
  delivery,
  detail,
  expectBalanced,
  project,
  send,
  sendOne,
  start,
  stores,
  tick,
  tickOver,
  withTestMail
} from "@mailkeep/test-support"
import { deliveryState, freshAttempt } from "../../../src/domain/delivery/Delivery.ts"
import { formatInstant, MailStore } from "../../../src/index.ts"
import { wholeRotation } from "../../../src/domain/store/Rotation.ts"
import { minuteMillis } from "../../../src/domain/value/Instant.ts"

/** Moves the queued delivery to `sending` for a worker that then dies. The attempt is in the given phase, under a lease of 30 s. */
const abandonAttempt = (phase: "started" | "finalizing") =>
  Effect.gen(function* () {
    const store = yield* MailStore
    const now = yield* Clock.currentTimeMillis
    const [claimed] = yield* store.claim({
      kind: "dueQueued",
      now,
      limit: 1,
      worker: "dead",
      leaseUntil: now + 30_000,
      rotation: wholeRotation
    })
    const fencingToken = claimed!.fencingToken + 1
    const number = claimed!.attemptCount + 1
    yield* store.commit([
      {
        _tag: "InsertAttempt",
        attempt: { projectId: project, deliveryId: claimed!.id, number, startedAt: now, ...freshAttempt }
      },
      {
        _tag: "TransitionDelivery",
        projectId: project,
        id: claimed!.id,
        from: "queued",
        fencingToken: claimed!.fencingToken,
        next: { ...deliveryState(claimed!), status: "sending", attemptCount: number, fencingToken }
      }
    ])
    if (phase === "finalizing")
      yield* store.commit([
        {
          _tag: "TransitionAttempt",
          projectId: project,
          deliveryId: claimed!.id,
          number,
          fencingToken,
          from: "started",
          next: { ...freshAttempt, phase: "finalizing" }
        }
      ])
  })

const abandonedDelivery = (phase: "started" | "finalizing") => Effect.tap(sendOne, () => abandonAttempt(phase))

/** A dispatcher that recovers the deliveries of dead workers and hands over none. */
const recoverOnly = Effect.flatMap(MailStore, (store) =>
  tickOver({
    ...store,
    claim: (claim) => (claim.kind === "dueQueued" ? Effect.succeed([]) : store.claim(claim))
  })
)

describe.each(stores)("a worker that died, over $name", (store) => {
  it("recovers the delivery of a dead worker only after its lease ends", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const id = yield* abandonedDelivery("started")
        yield* TestClock.setTime(start + 29_999)
        expect(yield* tick).toMatchObject({ recovered: 0, handedOver: 0 })
        yield* TestClock.setTime(start + 30_000)
        expect(yield* tick).toMatchObject({ recovered: 1, handedOver: 1 })
        expect(yield* delivery(id)).toMatchObject({ status: "delivered", workerDeaths: 1, attemptCount: 2 })
        yield* expectBalanced
      })
    ))

  it("retries after 10 minutes when a worker dies while finalizing", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const id = yield* abandonedDelivery("finalizing")
        yield* TestClock.setTime(start + 30_000)
        expect(yield* tick).toMatchObject({ recovered: 1, handedOver: 0 })
        expect(yield* delivery(id)).toMatchObject({
          status: "queued",
          ambiguousAttempts: 1,
          dueAt: start + 30_000 + 10 * minuteMillis
        })
        expect((yield* detail(id)).attempts).toMatchObject([{ outcome: "ambiguous" }])
      })
    ))

  it("fails a delivery that kills its worker three times", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const id = yield* sendOne
        for (const [workerDeaths, status] of [
          [1, "queued"],
          [2, "queued"],
          [3, "failed"]
        ] as const) {
          yield* abandonAttempt("started")
          yield* TestClock.adjust("30 seconds")
          expect(yield* recoverOnly).toMatchObject({ recovered: 1, handedOver: 0 })
          expect(yield* delivery(id)).toMatchObject({ status, workerDeaths, attemptCount: workerDeaths })
        }
        expect(yield* delivery(id)).toMatchObject({ reason: "sending_failed", chargedAt: null, worker: null })
        yield* TestClock.adjust("1 hour")
        expect(yield* tick).toMatchObject({ recovered: 0, handedOver: 0 })
        yield* expectBalanced
      })
    ))

  it("fails a delivery at its first dead worker when the limit is one", () =>
    withTestMail(store, { handOff: { retry: { workerDeathsMax: 1 } } })(
      Effect.gen(function* () {
        const id = yield* abandonedDelivery("started")
        yield* TestClock.setTime(start + 30_000)
        yield* tick
        expect(yield* delivery(id)).toMatchObject({
          status: "failed",
          reason: "sending_failed",
          workerDeaths: 1,
          chargedAt: null
        })
        yield* expectBalanced
      })
    ))

  it("releases a scheduled delivery after the lease of a dead worker ends", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const mailStore = yield* MailStore
        const result = yield* send("k", { scheduledAt: formatInstant(start + 1000) })
        yield* mailStore.claim({
          kind: "dueScheduled",
          now: start + 1000,
          limit: 9,
          worker: "dead",
          leaseUntil: start + 31_000,
          rotation: wholeRotation
        })
        yield* TestClock.setTime(start + 31_000)
        expect(yield* tick).toMatchObject({ scheduled: 1, handedOver: 1 })
        expect((yield* delivery(result.deliveryIds[0]!)).status).toBe("delivered")
      })
    ))

  it("refuses a commit with an old fencing token of a recovered worker", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const mailStore = yield* MailStore
        const id = yield* abandonedDelivery("started")
        const before = yield* delivery(id)
        yield* TestClock.setTime(start + 30_000)
        yield* tick
        const late = yield* Effect.flip(
          mailStore.commit([
            {
              _tag: "TransitionAttempt",
              projectId: project,
              deliveryId: before.id,
              number: 1,
              fencingToken: before.fencingToken,
              from: "started",
              next: { ...freshAttempt, phase: "finalizing" }
            }
          ])
        )
        expect(late).toMatchObject({ _tag: "Conflict", reason: "Stale" })
      })
    ))
})
