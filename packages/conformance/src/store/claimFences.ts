/**
 * Laws of the fencing token: after a claim, no write of the previous worker is applied.
 */
import { deliveryState } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"
import { commit, commitResult, finalizing, insert, transition } from "./changes.ts"
import { claim, insertAll, leaseMillis } from "./claims.ts"
import { ask, deliveryOf } from "./queries.ts"
import { idsOf, noon, numbered, projectId } from "./sampleIds.ts"
import * as sample from "./sampleRecords.ts"

const law = storeLawsFor("decisions/0006-hand-off.md")

const lateWorkerFenced = law(
  "claim/late-worker-is-fenced",
  "After another worker claims a delivery, its previous worker can change neither the delivery nor its attempt.",
  function* (store) {
    yield* commit(store, insert.delivery(sample.delivery({ status: "sending" })), insert.attempt(sample.attempt()))
    const [claimed] = yield* claim(store, { kind: "abandonedSending" })
    const again = { now: noon + leaseMillis, worker: "w2", leaseUntil: noon + 2 * leaseMillis }
    yield* claim(store, { ...again, kind: "abandonedSending" })
    const finalize = transition.attempt("del_1", 1, "started", claimed!.fencingToken, finalizing)
    yield* same("the change of the attempt to finalizing", yield* commitResult(store, finalize), "Stale")
    const next = { ...deliveryState(claimed!), status: "queued", worker: null } as const
    const moved = transition.delivery("del_1", "sending", claimed!.fencingToken, next)
    yield* same("its transition", yield* commitResult(store, moved), "Stale")
  }
)

const excludesAMove = law(
  "claim/excludes-a-move",
  "Of a concurrent claim and cancel of one delivery, one wins: a canceled delivery is not claimed, and a claimed one is not canceled.",
  function* (store) {
    const rows = sample.numberedDeliveries(40, () => ({ status: "scheduled" }))
    yield* insertAll(store, rows)
    const canceling = Effect.forEach(
      rows,
      (row) => {
        const next = {
          ...deliveryState(row),
          status: "canceled",
          dueAt: null,
          worker: null,
          fencingToken: 1
        } as const
        return commitResult(store, transition.delivery(row.id, "scheduled", 0, next))
      },
      { concurrency: "unbounded" }
    )
    const claiming = Effect.forEach(
      Array.from({ length: 8 }, (_, n) => n),
      (n) => claim(store, { kind: "dueScheduled", worker: `w${n}`, limit: 3 }),
      { concurrency: "unbounded" }
    )
    const [taken, results] = yield* Effect.all([claiming, canceling], { concurrency: "unbounded" })
    const claimed = new Set(idsOf(taken.flat()))
    for (const [n, { id }] of rows.entries()) {
      yield* same(`the result of canceling ${id}`, results[n], claimed.has(id) ? "Stale" : "applied")
      yield* same(
        `the status of ${id}`,
        (yield* deliveryOf(store, id))?.status,
        claimed.has(id) ? "scheduled" : "canceled"
      )
    }
  }
)

const fencesFinalizing = law(
  "claim/fences-finalizing-in-a-race",
  "If another worker has claimed a delivery and read its attempt as not finalizing, the previous worker cannot mark it as finalizing.",
  function* (store) {
    for (const id of Array.from({ length: 30 }, (_, n) => numbered("del", n))) {
      yield* commit(store, insert.delivery(sample.delivery({ id, status: "sending", worker: "gone", fencingToken: 1 })))
      yield* commit(store, insert.attempt(sample.attempt({ deliveryId: id })))
      const finalize = commitResult(store, transition.attempt(id, 1, "started", 1, finalizing))
      const taking = Effect.gen(function* () {
        // A store may pass over a delivery that the other commit has locked.
        const claimed = idsOf(yield* claim(store, { kind: "abandonedSending", worker: "next" }))
        const [attempt] = yield* ask(store, { _tag: "Attempts", projectId, deliveryId: id })
        return claimed.includes(id) && attempt?.phase === "started"
      })
      // Alternates which of the two begins.
      const both = { concurrency: "unbounded" } as const
      const [isTaken, result] = id.endsWith("0")
        ? yield* Effect.all([taking, finalize], both)
        : yield* Effect.map(Effect.all([finalize, taking], both), ([result, isTaken]) => [isTaken, result] as const)
      if (isTaken) yield* same(`the change of ${id} to finalizing`, result, "Stale")
    }
  }
)

export const claimFenceLaws: ReadonlyArray<StoreLaw> = [lateWorkerFenced, excludesAMove, fencesFinalizing]
