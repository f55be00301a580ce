/**
 * Laws of a store that joins transactions of the product: what its calls write commits or rolls back with the transaction.
 */
import type { Change, JoinedTransaction, MailStoreShape } from "@mailkeep/core/adapter"
import { StoreUnavailable, TransactionRefused } from "@mailkeep/core/adapter"
import type { Scope } from "effect"
import { Effect, Fiber } from "effect"
import { yieldSeveralTimes } from "../awaiting.ts"
import { failureOf, holds, same } from "../expectation.ts"
import { commit, commitResult, put, spend } from "./changes.ts"
import { counter, setting } from "./queries.ts"
import type { ProductTransaction, StoreLaw } from "./StoreSubject.ts"
import { openAt, StorePlace, storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0056-own-transaction.md")

const needs = { joinsTransactions: true } as const

/** Begins a transaction of the product on the database of the open store. */
const begin: Effect.Effect<ProductTransaction, unknown, StorePlace | Scope.Scope> = Effect.flatMap(
  StorePlace,
  ({ here }) => here.beginTransaction!
)

/** Makes one call within the transaction. A store that is not asynchronous makes it in one step of the thread. */
const inCall = <A, E>(
  store: MailStoreShape,
  { connection }: ProductTransaction,
  run: (joined: MailStoreShape) => Effect.Effect<A, E>,
  keep = true
): Effect.Effect<readonly [A, JoinedTransaction], unknown> =>
  Effect.gen(function* () {
    const joined = yield* store.joinTransaction!(connection)
    const call = Effect.ensuring(run(joined.store), Effect.orDie(joined.end(keep)))
    const answer = yield* joined.isAsynchronous === true ? call : Effect.suspend(() => Effect.runSyncExit(call))
    return [answer, joined] as const
  })

/** Commits changes in a call of their own. */
const write = (
  store: MailStoreShape,
  transaction: ProductTransaction,
  changes: ReadonlyArray<Change>
): Effect.Effect<JoinedTransaction, unknown> =>
  Effect.map(
    inCall(store, transaction, (joined) => commit(joined, ...changes)),
    ([, joined]) => joined
  )

/** What the settings are and how much the counter has. */
const recordsOf = (store: MailStoreShape, ...names: ReadonlyArray<string>) =>
  Effect.zip(
    Effect.forEach(names, (name) => setting(store, name)),
    counter(store, "allowance")
  )

const committed = law(
  "transactions/commit-with-the-product",
  { statement: "What calls write in a transaction is in the store after its commit, and not before.", needs },
  function* (store) {
    const transaction = yield* begin
    yield* write(store, transaction, [put.setting("a"), spend(1)])
    const [within] = yield* inCall(store, transaction, (joined) =>
      Effect.andThen(commit(joined, put.setting("b"), spend(2)), recordsOf(joined, "a", "b"))
    )
    yield* same("what a later call in the transaction reads", within, [["1", "1"], 3])
    yield* same("what the store reads before the commit", yield* recordsOf(store, "a", "b"), [[null, null], 0])
    yield* transaction.commit
    yield* same("what the store reads after the commit", yield* recordsOf(store, "a", "b"), [["1", "1"], 3])
    yield* commit(store, spend(4))
    yield* same("the counter, to which the store has added", yield* counter(store, "allowance"), 7)
  }
)

const rolledBack = law(
  "transactions/roll-back-with-the-product",
  { statement: "A rollback of a transaction undoes every call within it.", needs },
  function* (store) {
    yield* commit(store, put.setting("a"), spend(1))
    const transaction = yield* begin
    yield* write(store, transaction, [put.setting("b"), spend(5)])
    yield* write(store, transaction, [put.setting("c")])
    yield* transaction.rollback
    yield* same("the records after the rollback", yield* recordsOf(store, "a", "b", "c"), [["1", null, null], 1])
    const next = yield* begin
    yield* write(store, next, [put.setting("b")])
    yield* next.commit
    yield* same("the records after a later transaction", yield* recordsOf(store, "a", "b", "c"), [["1", "1", null], 1])
  }
)

const undone = law(
  "transactions/undo-one-call",
  { statement: "A call that is not kept undoes all that it wrote, and nothing else of the open transaction.", needs },
  function* (store) {
    const transaction = yield* begin
    yield* write(store, transaction, [put.setting("a"), spend(1)])
    const [within] = yield* inCall(
      store,
      transaction,
      (joined) =>
        commit(joined, put.setting("b")).pipe(
          Effect.andThen(commit(joined, spend(10))),
          Effect.andThen(recordsOf(joined, "a", "b"))
        ),
      false
    )
    yield* same("what the call that is not kept reads", within, [["1", "1"], 11])
    yield* write(store, transaction, [put.setting("c"), spend(2)])
    yield* transaction.commit
    yield* same("the records after the commit", yield* recordsOf(store, "a", "b", "c"), [["1", null, "1"], 3])
  }
)

const conflicting = law(
  "transactions/conflict-within-a-call",
  { statement: "A commit that meets a conflict writes nothing, and the call and its transaction continue.", needs },
  function* (store) {
    const transaction = yield* begin
    const [results] = yield* inCall(store, transaction, (joined) =>
      Effect.forEach(
        [[spend(1, 1), put.setting("first")], [spend(1, 1), put.setting("refused")], [put.setting("last")]],
        (changes) => commitResult(joined, ...changes)
      )
    )
    yield* same("the results of the commits", results, ["applied", "Exhausted", "applied"])
    yield* transaction.commit
    yield* same("the records", yield* recordsOf(store, "first", "refused", "last"), [["1", null, "1"], 1])
  }
)

const ended = law(
  "transactions/the-end-is-noticed",
  { statement: "The wait for the end of a transaction lasts until its commit or rollback.", needs },
  function* (store) {
    for (const ending of ["commit", "rollback"] as const) {
      const transaction = yield* begin
      const joined = yield* write(store, transaction, [put.setting(ending)])
      const waiting = yield* Effect.forkScoped(joined.transactionEnded, { startImmediately: true })
      yield* write(store, transaction, [put.setting(`after ${ending}`)])
      yield* yieldSeveralTimes
      yield* same(`the wait before the ${ending}`, waiting.pollUnsafe(), undefined)
      yield* transaction[ending]
      yield* Fiber.join(waiting)
    }
  }
)

const refused = law(
  "transactions/refuse-what-is-none",
  {
    statement: "What is no connection, and a connection without an open transaction, is refused with its reason.",
    needs
  },
  function* (store) {
    const reasonOf = (what: string, connection: unknown) =>
      Effect.gen(function* () {
        const failure = yield* failureOf(what, store.joinTransaction!(connection))
        yield* holds(`the failure of ${what}`, "TransactionRefused", failure instanceof TransactionRefused, failure)
        return failure instanceof TransactionRefused ? failure.reason : undefined
      })
    for (const [name, value] of [
      ["undefined", undefined],
      ["null", null],
      ["a text", "connection"],
      ["an empty object", {}]
    ] as const)
      yield* same(`the refusal of ${name}`, yield* reasonOf(name, value), "not_a_connection")
    for (const ending of ["commit", "rollback"] as const) {
      const transaction = yield* begin
      yield* write(store, transaction, [put.setting(ending)])
      yield* transaction[ending]
      const what = `the connection after its ${ending}`
      yield* same(`the refusal of ${what}`, yield* reasonOf(what, transaction.connection), "no_transaction")
    }
    yield* same("the records", yield* recordsOf(store, "commit", "rollback"), [["1", null], 0])
  }
)

const closed = law(
  "transactions/a-closed-store-joins-none",
  { statement: "A closed store joins no transaction.", needs },
  function* () {
    const place = yield* (yield* StorePlace).another
    const store = yield* Effect.scoped(openAt(place))
    const transaction = yield* place.beginTransaction!
    const failure = yield* failureOf("a call after the close", store.joinTransaction!(transaction.connection))
    yield* holds("the failure", "StoreUnavailable", failure instanceof StoreUnavailable, failure)
    yield* transaction.rollback
  }
)

export const joinedTransactionLaws: ReadonlyArray<StoreLaw> = [
  committed,
  rolledBack,
  undone,
  conflicting,
  ended,
  refused,
  closed
]
