/**
 * Functions that make mutants: each wraps the reference store and breaks one behaviour.
 */
import type {
  AnswerOf,
  Change,
  ChangeOf,
  ChangeTag,
  Claim,
  Delivery,
  Query,
  QueryOf,
  QueryTag,
  Answers,
  MailStoreShape,
  StoreUnavailable
} from "@mailkeep/core/adapter"
import { Conflict } from "@mailkeep/core/adapter"
import { Effect } from "effect"

/** Makes a broken copy. Each copy has its own memory. */
export type Mutation = (store: MailStoreShape) => MailStoreShape

/** Replaces each change of a tag by another change, several changes or none. */
export const changing =
  <T extends ChangeTag>(tag: T, change: (change: ChangeOf<T>) => ReadonlyArray<Change>): Mutation =>
  (store) => ({
    ...store,
    commit: (changes) => store.commit(changes.flatMap((one) => (one._tag === tag ? change(one as ChangeOf<T>) : [one])))
  })

export const dropping = (tag: ChangeTag): Mutation => changing(tag, () => [])

/** When a change of that tag is refused, writes another change instead, or leaves it out. */
export const evading =
  <T extends ChangeTag>(tag: T, instead: (change: ChangeOf<T>) => ReadonlyArray<Change>): Mutation =>
  (store) => ({
    ...store,
    commit: (changes) =>
      Effect.catchTag(store.commit(changes), "Conflict", (conflict) => {
        const refused = changes[conflict.at]!
        return refused._tag === tag
          ? store.commit(changes.flatMap((one) => (one === refused ? instead(one as ChangeOf<T>) : [one])))
          : Effect.fail(conflict)
      })
  })

/** Keeps a part of a refused commit, and reports the refusal. */
export const keeping =
  (kept: (changes: ReadonlyArray<Change>, at: number) => ReadonlyArray<Change>): Mutation =>
  (store) => ({
    ...store,
    commit: (changes) =>
      Effect.catchTag(store.commit(changes), "Conflict", (conflict) =>
        Effect.andThen(store.commit(kept(changes, conflict.at)), Effect.fail(conflict))
      )
  })

/**
 * Prepares a commit by a read of the state, then writes it, so that the check is separate from the write.
 * `yields` lets other fibers run in between.
 */
export const preparing =
  (
    prepare: (store: MailStoreShape, change: Change) => Effect.Effect<Change, Conflict | StoreUnavailable>,
    yields = false
  ): Mutation =>
  (store) => ({
    ...store,
    commit: (changes) =>
      Effect.forEach(changes, (change) => prepare(store, change)).pipe(
        Effect.tap(() => (yields ? Effect.yieldNow : Effect.void)),
        Effect.flatMap((prepared) => store.commit(prepared))
      )
  })

export const refused = (change: Change, reason: Conflict["reason"]) =>
  Effect.fail(new Conflict({ at: 0, change: change._tag, reason }))

/** Replaces the answer to each query of a tag. */
export const answering =
  <T extends QueryTag>(tag: T, answer: (answer: AnswerOf<T>, query: QueryOf<T>) => AnswerOf<T>): Mutation =>
  (store) => ({
    ...store,
    read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) =>
      Effect.map(
        store.read(queries),
        (answers) =>
          queries.map((query, index) =>
            query._tag === tag ? answer(answers[index] as AnswerOf<T>, query as QueryOf<T>) : answers[index]
          ) as unknown as Answers<Qs>
      )
  })

/** Replaces each query of a tag by another query, and can also replace its answer. */
export const asking =
  <T extends QueryTag>(
    tag: T,
    query: (query: QueryOf<T>) => QueryOf<T>,
    answer: (answer: AnswerOf<T>, query: QueryOf<T>) => AnswerOf<T> = (given) => given
  ): Mutation =>
  (store) => ({
    ...store,
    read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) =>
      Effect.map(
        store.read(queries.map((one) => (one._tag === tag ? (query(one as QueryOf<T>) as Query) : one))),
        (answers) =>
          queries.map((one, index) =>
            one._tag === tag ? answer(answers[index] as AnswerOf<T>, one as QueryOf<T>) : answers[index]
          ) as unknown as Answers<Qs>
      )
  })

export const claiming =
  (
    claim: (claim: Claim) => Claim,
    rows: (rows: ReadonlyArray<Delivery>, claim: Claim) => ReadonlyArray<Delivery> = (given) => given
  ): Mutation =>
  (store) => ({
    ...store,
    claim: (asked) => Effect.map(store.claim(claim(asked)), (given) => rows(given, asked))
  })

/** Changes the answer to each query of a tag. */
export const rereading =
  <T extends QueryTag>(
    tag: T,
    read: (store: MailStoreShape, query: QueryOf<T>) => Effect.Effect<AnswerOf<T>, StoreUnavailable>
  ): Mutation =>
  (store) => ({
    ...store,
    read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) =>
      Effect.forEach(queries, (query): Effect.Effect<unknown, StoreUnavailable> =>
        query._tag === tag ? read(store, query as QueryOf<T>) : store.read([query]).pipe(Effect.map(([one]) => one))
      ) as unknown as Effect.Effect<Answers<Qs>, StoreUnavailable>
  })
