/**
 * The reference store: pure functions over one immutable state. Every other store must give the same answers.
 * The state ends with the process.
 */
import type { Answers, Change, Query, MailStoreShape } from "@mailkeep/core/adapter"
import { Conflict, MailStore, StoreUnavailable } from "@mailkeep/core/adapter"
import { Effect, Layer, Ref, Result, Stream } from "effect"
import { answerQuery } from "./internal/answerQuery.ts"
import { applyChange } from "./internal/applyChange.ts"
import { copied } from "./internal/copied.ts"
import { claimDeliveries, claimEventDeliveries } from "./internal/claimDeliveries.ts"
import { sweepMessages, sweepState } from "./internal/sweepState.ts"
import type { State } from "./internal/State.ts"
import { empty } from "./internal/State.ts"

/** Applies all changes. Returns the first guard that did not hold, with the state unchanged. */
const applyAll = (before: State, changes: ReadonlyArray<Change>): readonly [Conflict | undefined, State] => {
  let state = before
  for (const [at, change] of changes.entries()) {
    const applied = applyChange(state, change)
    if (Result.isFailure(applied)) return [new Conflict({ at, change: change._tag, reason: applied.failure }), before]
    state = applied.success
  }
  return [undefined, state]
}

/** Makes a new, empty store, which is never closed. All its operations are synchronous. */
export const make: Effect.Effect<MailStoreShape> = Effect.map(Ref.make<State>(empty), (ref): MailStoreShape => ({
  capabilities: { durable: false, multiProcess: false },
  commit: (changes) =>
    Effect.flatMap(
      Ref.modify(ref, (state) => applyAll(state, copied(changes))),
      (conflict) => (conflict === undefined ? Effect.void : Effect.fail(conflict))
    ),
  claim: (claim) =>
    Effect.map(
      Ref.modify(ref, (state) => claimDeliveries(state, claim)),
      copied
    ),
  claimEventDeliveries: (claim) =>
    Effect.map(
      Ref.modify(ref, (state) => claimEventDeliveries(state, claim)),
      copied
    ),
  read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) =>
    Effect.map(Ref.get(ref), (state) => queries.map((query) => copied(answerQuery(state, query))) as Answers<Qs>),
  sweep: (sweep) => Ref.modify(ref, (state) => sweepState(state, sweep)),
  sweepMessages: (sweep) => Ref.modify(ref, (state) => sweepMessages(state, sweep)),
  commitsOfOtherProcesses: Stream.never
}))

/** The store until the scope closes. Then every call fails, as for a store with a file, so that no caller takes mail that nothing will send. */
const makeScoped = Effect.gen(function* () {
  const store = yield* make
  let isOpen = true
  yield* Effect.addFinalizer(() => Effect.sync(() => void (isOpen = false)))
  const ifOpen = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E | StoreUnavailable> =>
    Effect.suspend((): Effect.Effect<A, E | StoreUnavailable> =>
      isOpen ? call : Effect.fail(new StoreUnavailable({ reason: "closed" }))
    )
  return {
    ...store,
    commit: (changes) => ifOpen(store.commit(changes)),
    claim: (request) => ifOpen(store.claim(request)),
    claimEventDeliveries: (request) => ifOpen(store.claimEventDeliveries(request)),
    read: (queries) => ifOpen(store.read(queries)),
    sweep: (request) => ifOpen(store.sweep(request)),
    sweepMessages: (request) => ifOpen(store.sweepMessages(request))
  } satisfies MailStoreShape
})

/** Provides a new, empty store as `MailStore`. Its records end with the scope of the layer. */
export const layer: Layer.Layer<MailStore> = Layer.effect(MailStore, makeScoped)
