/**
 * What a worker leaves behind that dies in mid-send, and what it may not do when it comes back.
 */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { delivery, detail, expectBalanced, inHouse, send, sendOne, start, stores, tick } from "@mailkeep/proving"
import { deliveryState, formatInstant, hourMillis, MailStore, minuteMillis } from "../../src/index.ts"
import { freshAttempt } from "../../src/domain/Delivery.ts"

/** Takes a delivery into `sending` under a worker that then dies: begun, or past the final dot. */
const orphan = (phase: "started" | "dot") =>
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
    const token = claimed!.token + 1
    yield* store.commit([
      { _tag: "InsertAttempt", attempt: { deliveryId: claimed!.id, number: 1, startedAt: start, ...freshAttempt } },
      {
        _tag: "MoveDelivery",
        id: claimed!.id,
        from: "queued",
        token: claimed!.token,
        next: { ...deliveryState(claimed!), status: "sending", attempts: 1, token }
      }
    ])
    if (phase === "dot")
      yield* store.commit([
        {
          _tag: "MoveAttempt",
          deliveryId: claimed!.id,
          number: 1,
          token,
          from: "started",
          next: { ...freshAttempt, phase: "dot" }
        }
      ])
    return id
  })

describe.each(stores)("a worker that died, over $name", (store) => {
  it("keeps its delivery while its lease lasts, and no longer", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const id = yield* orphan("started")
        yield* TestClock.setTime(start + 29_999)
        expect(yield* tick).toMatchObject({ recovered: 0, handedOver: 0 })
        yield* TestClock.setTime(start + 30_000)
        expect(yield* tick).toMatchObject({ recovered: 1, handedOver: 1 })
        expect(yield* delivery(id)).toMatchObject({ status: "delivered", crashes: 1, attempts: 2 })
        yield* expectBalanced
      })
    ))

  it("in phase dot leaves an uncertain outcome: again after 10 minutes", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const id = yield* orphan("dot")
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

  it("three times parks the delivery", () =>
    inHouse(store, {
      handOff: {
        retry: { lifetimeMillis: 72 * hourMillis, ambiguousWaitMillis: 1, ambiguousRetriesMax: 9, crashesMax: 1 }
      }
    })(
      Effect.gen(function* () {
        const id = yield* orphan("started")
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

  it("that claimed a scheduled delivery does not keep it", () =>
    inHouse(store)(
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

  it("comes back too late: it changes nothing under its old token", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const mailStore = yield* MailStore
        const id = yield* orphan("started")
        const before = yield* delivery(id)
        yield* TestClock.setTime(start + 30_000)
        yield* tick
        const late = yield* Effect.flip(
          mailStore.commit([
            {
              _tag: "MoveAttempt",
              deliveryId: before.id,
              number: 1,
              token: before.token,
              from: "started",
              next: { ...freshAttempt, phase: "dot" }
            }
          ])
        )
        expect(late).toMatchObject({ _tag: "Conflict", reason: "Stale" })
      })
    ))
})
