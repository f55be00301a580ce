/**
 * Laws of the guards of deliveries and attempts: each moves only from the named state, under its fencing token.
 */
import { deliveryState, eventDeliveryState, freshAttempt } from "@mailkeep/core/adapter"
import { same } from "../expectation.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"
import {
  checkResult,
  commit,
  commitResult,
  extendIdempotency,
  finalizing,
  insert,
  put,
  renewLease,
  spend,
  touchApiKey,
  transition
} from "./changes.ts"
import { ask, deliveryOf } from "./queries.ts"
import { noon, projectId } from "./sampleIds.ts"
import * as sample from "./sampleRecords.ts"

const law = storeLawsFor("decisions/0001-core-decides.md")

const tokenFences = law(
  "guards/delivery-moves-under-its-token",
  {
    statement: "A delivery changes only from the status and with the fencing token that the change names.",
    why: "decisions/0006-hand-off.md"
  },
  function* (store) {
    const inserted = sample.delivery({ fencingToken: 7 })
    const next = { ...deliveryState(inserted), fencingToken: 8, statusMessage: "moved" }
    const moveResult = (id: "del_1" | "del_9", from: "queued" | "sending", fencingToken: number) =>
      commitResult(store, transition.delivery(id, from, fencingToken, next))
    yield* commit(store, insert.delivery(inserted))
    yield* same("a change of no delivery", yield* moveResult("del_9", "queued", 7), "NotFound")
    yield* same("a change with an older fencing token", yield* moveResult("del_1", "queued", 6), "Stale")
    yield* same("a change with a newer fencing token", yield* moveResult("del_1", "queued", 8), "Stale")
    yield* same("a change from another status", yield* moveResult("del_1", "sending", 7), "Stale")
    yield* same("the delivery", yield* deliveryOf(store, "del_1"), inserted)
    yield* same("the change with the current values", yield* moveResult("del_1", "queued", 7), "applied")
    yield* same("the same change again", yield* moveResult("del_1", "queued", 7), "Stale")
  }
)

const attemptFences = law(
  "guards/attempt-moves-under-its-delivery",
  {
    statement:
      "An attempt changes only from the phase that the change names, and while its delivery is sending with the named fencing token.",
    why: "decisions/0006-hand-off.md"
  },
  function* (store) {
    const sending = sample.delivery({ status: "sending", worker: "w", fencingToken: 3 })
    const moveResult = (number: number, fencingToken: number, from: "started" | "finalizing") =>
      commitResult(store, transition.attempt("del_1", number, from, fencingToken, finalizing))
    yield* commit(store, insert.delivery(sending), insert.attempt(sample.attempt()))
    yield* same("an attempt that does not exist", yield* moveResult(2, 3, "started"), "NotFound")
    yield* same("with another fencing token", yield* moveResult(1, 2, "started"), "Stale")
    yield* same("from another phase", yield* moveResult(1, 3, "finalizing"), "Stale")
    yield* same("with the current values", yield* moveResult(1, 3, "started"), "applied")
    yield* same("the attempts", yield* ask(store, { _tag: "Attempts", projectId, deliveryId: "del_1" }), [
      { ...sample.attempt(), ...finalizing }
    ])
    const queued = { ...deliveryState(sending), status: "queued", worker: null } as const
    yield* commit(store, transition.delivery("del_1", "sending", 3, queued))
    yield* same("after its delivery left sending", yield* moveResult(1, 3, "finalizing"), "Stale")
  }
)

const movedTogether = law(
  "guards/attempt-and-delivery-move-together",
  "An attempt and its delivery change in one commit. The guard of the attempt uses the delivery as it was before the commit.",
  function* (store) {
    const sending = sample.delivery({ status: "sending", worker: "w", fencingToken: 3 })
    yield* commit(store, insert.delivery(sending), insert.attempt(sample.attempt()))
    const result = yield* commitResult(
      store,
      transition.delivery("del_1", "sending", 3, {
        ...deliveryState(sending),
        status: "delivered",
        worker: null,
        dueAt: null,
        fencingToken: 4
      }),
      transition.attempt("del_1", 1, "started", 3, { ...freshAttempt, phase: "ended", outcome: "delivered" })
    )
    yield* same("the result of the commit", result, "applied")
  }
)

const equalApplied = law(
  "guards/equal-values-are-applied",
  "A change whose guard holds is applied, also if the record has all of its values already.",
  function* (store) {
    const sending = sample.delivery({ status: "sending", worker: "w", fencingToken: 3 })
    const pushed = sample.eventDelivery({ fencingToken: 2 })
    yield* commit(
      store,
      put.apiKey(sample.apiKey({ lastUsedAt: noon })),
      put.idempotency(sample.idempotencyRecord()),
      insert.message(sample.message()),
      insert.delivery(sending),
      insert.attempt(sample.attempt()),
      insert.event(sample.event()),
      insert.eventDelivery(pushed),
      spend(5)
    )
    yield* commit(store, renewLease("w", noon + 10))
    const before = { kind: "Delivery", record: sending } as const
    for (const change of [
      transition.delivery("del_1", "sending", 3, deliveryState(sending)),
      transition.attempt("del_1", 1, "started", 3, freshAttempt),
      transition.eventDelivery("evd_1", "pending", 2, eventDeliveryState(pushed)),
      { _tag: "RewriteRecord", before, after: before } as const,
      touchApiKey("key_1", noon),
      extendIdempotency("k", sample.idempotencyRecord().expiresAt),
      spend(0),
      renewLease("w", noon + 10)
    ])
      yield* checkResult(store, change, "applied")
    yield* same("the delivery", yield* deliveryOf(store, "del_1"), sending)
  }
)

export const deliveryGuardLaws: ReadonlyArray<StoreLaw> = [tokenFences, attemptFences, movedTogether, equalApplied]
