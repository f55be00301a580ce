/**
 * The reference store: pure functions over one immutable state. What it answers is what every adapter must answer.
 * Nothing outlives the process.
 */
import type { Answers, Change, Query } from "@mailkeep/core/domain"
import type { MailStoreShape } from "@mailkeep/core/port"
import { Conflict } from "@mailkeep/core/domain"
import { MailStore } from "@mailkeep/core/port"
import { Effect, Layer, Ref, Result, Stream } from "effect"
import { answerQuery } from "./internal/answerQuery.ts"
import { applyChange } from "./internal/applyChange.ts"
import { claimDeliveries, claimPushes, sweepState } from "./internal/claimDeliveries.ts"
import type { State } from "./internal/State.ts"
import { empty } from "./internal/State.ts"

/** All of the changes, or the first guard that did not hold and the state as it was. */
const applyAll = (before: State, changes: ReadonlyArray<Change>): readonly [Conflict | undefined, State] => {
  let state = before
  for (const [at, change] of changes.entries()) {
    const applied = applyChange(state, change)
    if (Result.isFailure(applied)) return [new Conflict({ at, change: change._tag, reason: applied.failure }), before]
    state = applied.success
  }
  return [undefined, state]
}

/** A store of its own, empty. Everything it does is synchronous. */
export const make: Effect.Effect<MailStoreShape> = Effect.map(Ref.make<State>(empty), (ref): MailStoreShape => ({
  capabilities: { durable: false, multiProcess: false },
  commit: (changes) =>
    Effect.flatMap(
      Ref.modify(ref, (state) => applyAll(state, changes)),
      (conflict) => (conflict === undefined ? Effect.void : Effect.fail(conflict))
    ),
  claim: (claim) => Ref.modify(ref, (state) => claimDeliveries(state, claim)),
  claimPushes: (claim) => Ref.modify(ref, (state) => claimPushes(state, claim)),
  read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) =>
    Effect.map(Ref.get(ref), (state) => queries.map((query) => answerQuery(state, query)) as Answers<Qs>),
  sweep: (sweep) => Ref.modify(ref, (state) => sweepState(state, sweep)),
  changes: Stream.never
}))

export const layer: Layer.Layer<MailStore> = Layer.effect(MailStore, make)
