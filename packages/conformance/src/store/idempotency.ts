/**
 * Laws of idempotency records: each idempotency key has at most one live record.
 */
import { resultsOf, same, tally } from "../expectation.ts"
import { ask } from "./queries.ts"
import { commit, commitResult, extendIdempotency, put } from "./changes.ts"
import { noon, projectId } from "./sampleIds.ts"
import * as sample from "./sampleRecords.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0007-idempotency.md")

const record = (now: number, change: Parameters<typeof sample.idempotencyRecord>[0] = {}) =>
  put.idempotency(sample.idempotencyRecord(change), now)

const key = { _tag: "Idempotency", projectId, key: "k" } as const

const oneLive = law(
  "idempotency/one-live-record",
  "While an idempotency record is live, no other record can have its idempotency key.",
  function* (store) {
    yield* commit(store, record(noon))
    const second = record(noon + 999, { fingerprint: "b".repeat(64), expiresAt: noon + 9000 })
    yield* same("a second record", yield* commitResult(store, second), "AlreadyExists")
    yield* same("the record in the store", yield* ask(store, key), sample.idempotencyRecord())
  }
)

const expiredGivesWay = law(
  "idempotency/expired-gives-way",
  "A new record can replace an idempotency record from the exact millisecond of its end.",
  function* (store) {
    yield* commit(store, record(noon))
    const second = { fingerprint: "b".repeat(64), expiresAt: noon + 9000 }
    yield* same("a new record at the end", yield* commitResult(store, record(noon + 1000, second)), "applied")
    yield* same("the record in the store", yield* ask(store, key), sample.idempotencyRecord(second))
  }
)

const extended = law(
  "idempotency/extended",
  "The end of an idempotency record can be changed. If no record exists, the change creates none.",
  function* (store) {
    const extend = extendIdempotency("k", noon + 5000)
    yield* same("the end of a record that does not exist", yield* commitResult(store, extend), "applied")
    yield* same("no record", yield* ask(store, key), null)
    yield* commit(store, record(noon))
    yield* commit(store, extend)
    yield* same("the record in the store", yield* ask(store, key), sample.idempotencyRecord({ expiresAt: noon + 5000 }))
    yield* same("a new record before the new end", yield* commitResult(store, record(noon + 4999)), "AlreadyExists")
  }
)

const oneWinner = law(
  "idempotency/one-of-many-recorded",
  "Of many concurrent records of one idempotency key exactly one is kept.",
  function* (store) {
    const results = yield* resultsOf(
      Array.from({ length: 64 }, (_, n) => commit(store, record(noon, { fingerprint: `f${n}` })))
    )
    yield* same("the results", tally(results), { applied: 1, AlreadyExists: 63 })
    const existing = yield* ask(store, key)
    yield* same("the record in the store", existing?.fingerprint, `f${results.indexOf("applied")}`)
  }
)

export const idempotencyLaws: ReadonlyArray<StoreLaw> = [oneLive, expiredGivesWay, extended, oneWinner]
