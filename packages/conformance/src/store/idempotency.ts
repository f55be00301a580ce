/**
 * Laws of idempotency records: one live record for a key, for as long as it lives.
 */
import { Effect } from "effect"
import { fateOf, fatesOf, same, tally } from "../expectation.ts"
import { ask, commit, noon, projectId, remembered } from "./records.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLaw } from "./StoreSubject.ts"

const why = "decisions/0007-idempotency.md"

const record = (now: number, change: Parameters<typeof remembered>[0] = {}) =>
  ({ _tag: "RecordIdempotency", record: remembered(change), now }) as const

const key = { _tag: "Idempotency", projectId, key: "k" } as const

const oneLive = storeLaw(
  "idempotency/one-live-record",
  { says: "While a record lives, no other takes its key.", why },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, record(noon))
      const second = record(noon + 999, { fingerprint: "b".repeat(64), expiresAt: noon + 9000 })
      yield* same("a second one", yield* fateOf(commit(store, second)), "AlreadyExists")
      yield* same("what stands", yield* ask(store, key), remembered())
    })
)

const expiredGivesWay = storeLaw(
  "idempotency/expired-gives-way",
  { says: "A record gives way to a new one from the very millisecond of its end.", why },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, record(noon))
      const second = { fingerprint: "b".repeat(64), expiresAt: noon + 9000 }
      yield* same("a new one at its end", yield* fateOf(commit(store, record(noon + 1000, second))), "applied")
      yield* same("what stands", yield* ask(store, key), remembered(second))
    })
)

const extended = storeLaw(
  "idempotency/extended",
  { says: "A record's end can be moved; where no record stands, none comes of it.", why },
  (store) =>
    Effect.gen(function* () {
      const extend = { _tag: "ExtendIdempotency", projectId, key: "k", expiresAt: noon + 5000 } as const
      yield* same("the end of no record", yield* fateOf(commit(store, extend)), "applied")
      yield* same("no record", yield* ask(store, key), null)
      yield* commit(store, record(noon))
      yield* commit(store, extend)
      yield* same("what stands", yield* ask(store, key), remembered({ expiresAt: noon + 5000 }))
      yield* same("a new one before the new end", yield* fateOf(commit(store, record(noon + 4999))), "AlreadyExists")
    })
)

const oneWinner = storeLaw(
  "idempotency/one-of-many-recorded",
  { says: "Of many records of one key at once exactly one is kept.", why },
  (store) =>
    Effect.gen(function* () {
      const fates = yield* fatesOf(
        Array.from({ length: 64 }, (_, n) => commit(store, record(noon, { fingerprint: `f${n}` })))
      )
      yield* same("the fates", tally(fates), { applied: 1, AlreadyExists: 63 })
      const standing = yield* ask(store, key)
      yield* same("who stands", standing?.fingerprint, `f${fates.indexOf("applied")}`)
    })
)

export const idempotencyLaws: ReadonlyArray<StoreLaw> = [oneLive, expiredGivesWay, extended, oneWinner]
