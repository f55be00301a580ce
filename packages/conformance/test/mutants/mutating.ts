/**
 * Ways to break a store that holds its laws: each wraps the reference store and spoils one thing.
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
  QueryTag
} from "@mailkeep/core/domain"
import type { Answers } from "@mailkeep/core/domain"
import { Conflict } from "@mailkeep/core/domain"
import type { MailStoreShape, StoreUnavailable } from "@mailkeep/core/port"
import { Effect } from "effect"

/** A broken copy; each call has a memory of its own. */
export type Mutation = (store: MailStoreShape) => MailStoreShape

/** Writes another change, or several, or none, in place of each of a tag. */
export const changing =
  <T extends ChangeTag>(tag: T, change: (change: ChangeOf<T>) => ReadonlyArray<Change>): Mutation =>
  (store) => ({
    ...store,
    commit: (changes) => store.commit(changes.flatMap((one) => (one._tag === tag ? change(one as ChangeOf<T>) : [one])))
  })

export const dropping = (tag: ChangeTag): Mutation => changing(tag, () => [])

/** When a change of that tag is refused, writes another in its place, or leaves it out. */
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

/** Keeps something of a refused commit, and says that it was refused. */
export const keeping =
  (kept: (changes: ReadonlyArray<Change>, at: number) => ReadonlyArray<Change>): Mutation =>
  (store) => ({
    ...store,
    commit: (changes) =>
      Effect.catchTag(store.commit(changes), "Conflict", (conflict) =>
        Effect.andThen(store.commit(kept(changes, conflict.at)), Effect.fail(conflict))
      )
  })

/** Prepares a commit by what stands, then writes it: a check apart from the write. `yields` lets others in between. */
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

/** Answers each query of a tag otherwise. */
export const answering =
  <T extends QueryTag>(tag: T, answer: (answer: AnswerOf<T>, query: QueryOf<T>) => AnswerOf<T>): Mutation =>
  (store) => ({
    ...store,
    read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) =>
      Effect.map(
        store.read(queries),
        (answers) =>
          queries.map((query, place) =>
            query._tag === tag ? answer(answers[place] as AnswerOf<T>, query as QueryOf<T>) : answers[place]
          ) as unknown as Answers<Qs>
      )
  })

/** Asks another query in place of each of a tag, and may make its own answer of it. */
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
          queries.map((one, place) =>
            one._tag === tag ? answer(answers[place] as AnswerOf<T>, one as QueryOf<T>) : answers[place]
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

/** Reads the answer to each query of a tag in its own way. */
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
