/**
 * Laws of idempotency records: each idempotency key has at most one live record.
 */
import { Effect } from "effect"
import { resultOf, resultsOf, same, tally } from "../expectation.ts"
import { ask, commit, noon, projectId, idempotencyRecord } from "./records.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLaw } from "./StoreSubject.ts"

const why = "decisions/0007-idempotency.md"

const record = (now: number, change: Parameters<typeof idempotencyRecord>[0] = {}) =>
  ({ _tag: "RecordIdempotency", record: idempotencyRecord(change), now }) as const

const key = { _tag: "Idempotency", projectId, key: "k" } as const

const oneLive = storeLaw(
  "idempotency/one-live-record",
  { statement: "While an idempotency record is live, no other record can have its idempotency key.", why },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, record(noon))
      const second = record(noon + 999, { fingerprint: "b".repeat(64), expiresAt: noon + 9000 })
      yield* same("a second record", yield* resultOf(commit(store, second)), "AlreadyExists")
      yield* same("the record in the store", yield* ask(store, key), idempotencyRecord())
    })
)

const expiredGivesWay = storeLaw(
  "idempotency/expired-gives-way",
  { statement: "A new record can replace an idempotency record from the exact millisecond of its end.", why },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, record(noon))
      const second = { fingerprint: "b".repeat(64), expiresAt: noon + 9000 }
      yield* same("a new record at the end", yield* resultOf(commit(store, record(noon + 1000, second))), "applied")
      yield* same("the record in the store", yield* ask(store, key), idempotencyRecord(second))
    })
)

const extended = storeLaw(
  "idempotency/extended",
  { statement: "The end of an idempotency record can be changed. If no record exists, the change creates none.", why },
  (store) =>
    Effect.gen(function* () {
      const extend = { _tag: "ExtendIdempotency", projectId, key: "k", expiresAt: noon + 5000 } as const
      yield* same("the end of a record that does not exist", yield* resultOf(commit(store, extend)), "applied")
      yield* same("no record", yield* ask(store, key), null)
      yield* commit(store, record(noon))
      yield* commit(store, extend)
      yield* same("the record in the store", yield* ask(store, key), idempotencyRecord({ expiresAt: noon + 5000 }))
      yield* same(
        "a new record before the new end",
        yield* resultOf(commit(store, record(noon + 4999))),
        "AlreadyExists"
      )
    })
)

const oneWinner = storeLaw(
  "idempotency/one-of-many-recorded",
  { statement: "Of many concurrent records of one idempotency key exactly one is kept.", why },
  (store) =>
    Effect.gen(function* () {
      const results = yield* resultsOf(
        Array.from({ length: 64 }, (_, n) => commit(store, record(noon, { fingerprint: `f${n}` })))
      )
      yield* same("the results", tally(results), { applied: 1, AlreadyExists: 63 })
      const existing = yield* ask(store, key)
      yield* same("the record in the store", existing?.fingerprint, `f${results.indexOf("applied")}`)
    })
)

export const idempotencyLaws: ReadonlyArray<StoreLaw> = [oneLive, expiredGivesWay, extended, oneWinner]
