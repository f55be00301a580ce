/**
 * A worker dies during a send: another worker recovers the delivery, and the dead worker can write nothing later.
 */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { delivery, detail, expectBalanced, withTestMail, send, sendOne, start, stores, tick } from "@mailkeep/testing"
import { deliveryState, formatInstant, hourMillis, MailStore, minuteMillis } from "../../src/index.ts"
import { freshAttempt } from "../../src/domain/Delivery.ts"

/** Moves a delivery to `sending` for a worker that then dies. The attempt is in the given phase. */
const abandonedDelivery = (phase: "started" | "finalizing") =>
  Effect.gen(function* () {
    const store = yield* MailStore
    const id = yield* sendOne
    const [claimed] = yield* store.claim({
      kind: "dueQueued",
      now: start,
      limit: 1,
      worker: "dead",
      leaseUntil: start + 30_000
    })
    const fencingToken = claimed!.fencingToken + 1
    yield* store.commit([
      { _tag: "InsertAttempt", attempt: { deliveryId: claimed!.id, number: 1, startedAt: start, ...freshAttempt } },
      {
        _tag: "MoveDelivery",
        id: claimed!.id,
        from: "queued",
        fencingToken: claimed!.fencingToken,
        next: { ...deliveryState(claimed!), status: "sending", attempts: 1, fencingToken }
      }
    ])
    if (phase === "finalizing")
      yield* store.commit([
        {
          _tag: "MoveAttempt",
          deliveryId: claimed!.id,
          number: 1,
          fencingToken,
          from: "started",
          next: { ...freshAttempt, phase: "finalizing" }
        }
      ])
    return id
  })

describe.each(stores)("a worker that died, over $name", (store) => {
  it("recovers the delivery of a dead worker only after its lease ends", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const id = yield* abandonedDelivery("started")
        yield* TestClock.setTime(start + 29_999)
        expect(yield* tick).toMatchObject({ recovered: 0, handedOver: 0 })
        yield* TestClock.setTime(start + 30_000)
        expect(yield* tick).toMatchObject({ recovered: 1, handedOver: 1 })
        expect(yield* delivery(id)).toMatchObject({ status: "delivered", crashes: 1, attempts: 2 })
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
          ambiguous: 1,
          dueAt: start + 30_000 + 10 * minuteMillis
        })
        expect((yield* detail(id)).attempts).toMatchObject([{ outcome: "ambiguous", phase: "ended" }])
      })
    ))

  it("fails a delivery when the limit of dead workers is reached", () =>
    withTestMail(store, {
      handOff: {
        retry: { lifetimeMillis: 72 * hourMillis, ambiguousWaitMillis: 1, ambiguousRetriesMax: 9, crashesMax: 1 }
      }
    })(
      Effect.gen(function* () {
        const id = yield* abandonedDelivery("started")
        yield* TestClock.setTime(start + 30_000)
        yield* tick
        expect(yield* delivery(id)).toMatchObject({
          status: "failed",
          reason: "sending_failed",
          crashes: 1,
          chargedAt: null
        })
        yield* expectBalanced
      })
    ))

  it("releases a scheduled delivery after the lease of a dead worker ends", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const mailStore = yield* MailStore
        const { result } = yield* send("k", { scheduledAt: formatInstant(start + 1000) })
        yield* mailStore.claim({
          kind: "dueScheduled",
          now: start + 1000,
          limit: 9,
          worker: "dead",
          leaseUntil: start + 31_000
        })
        yield* TestClock.setTime(start + 31_000)
        expect(yield* tick).toMatchObject({ released: 1, handedOver: 1 })
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
              _tag: "MoveAttempt",
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
