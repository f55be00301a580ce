/**
 * The storage port for authors who do not use Effect: the same promises, as plain async functions.
 */
import { Effect, Layer, Queue, Stream } from "effect"
import type { Change, ConflictReason } from "../domain/Change.ts"
import { Conflict } from "../domain/Change.ts"
import type { Claim, PushClaim, Sweep } from "../domain/Claim.ts"
import type { Delivery } from "../domain/Delivery.ts"
import type { EventPush } from "../domain/EventPush.ts"
import type { Answers, Query } from "../domain/Query.ts"
import type { MailStoreShape, StoreCapabilities } from "./MailStore.ts"
import { MailStore, StoreNotOpened, StoreUnavailable } from "./MailStore.ts"
import { promised } from "./promised.ts"

/** The guard that did not hold: the place of its change in the commit, and why. */
export interface RefusedChange {
  readonly at: number
  readonly reason: ConflictReason
}

/**
 * Each function means what `MailStoreShape` says of its namesake. To say that the store is out of reach, reject with a
 * `StoreUnavailable`; any other rejection counts as a mistake in the adapter.
 */
export interface PromiseStore {
  readonly capabilities: StoreCapabilities
  /** Answers nothing when all of the changes were applied. */
  readonly commit: (changes: ReadonlyArray<Change>) => Promise<RefusedChange | undefined>
  readonly claim: (claim: Claim) => Promise<ReadonlyArray<Delivery>>
  readonly claimPushes: (claim: PushClaim) => Promise<ReadonlyArray<EventPush>>
  /** One answer for each query, in their order; see `Answering` for their types. */
  readonly read: (queries: ReadonlyArray<Query>) => Promise<ReadonlyArray<unknown>>
  readonly sweep: (sweep: Sweep) => Promise<number>
  /** Calls back whenever somebody else has written, until the returned function is called. */
  readonly onChange?: (tell: () => void) => () => void
  readonly close?: () => Promise<void>
}

const asked = <A>(ask: () => Promise<A>): Effect.Effect<A, StoreUnavailable> =>
  promised(ask, (cause) => cause instanceof StoreUnavailable)

const bridged = (store: PromiseStore): MailStoreShape => ({
  capabilities: store.capabilities,
  commit: (changes) =>
    Effect.flatMap(
      asked(() => store.commit(changes)),
      (refused) =>
        refused === undefined
          ? Effect.void
          : Effect.fail(new Conflict({ ...refused, change: changes[refused.at]?._tag ?? "Expect" }))
    ),
  claim: (claim) => asked(() => store.claim(claim)),
  claimPushes: (claim) => asked(() => store.claimPushes(claim)),
  read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) =>
    asked(() => store.read(queries) as Promise<Answers<Qs>>),
  sweep: (sweep) => asked(() => store.sweep(sweep)),
  changes:
    store.onChange === undefined
      ? Stream.never
      : Stream.callback<void>((queue) =>
          Effect.acquireRelease(
            Effect.sync(() => store.onChange!(() => Queue.offerUnsafe(queue, undefined))),
            (stop) => Effect.sync(stop)
          )
        )
})

/** `open` may reject with a `StoreNotOpened`; the store is closed with the layer. */
export const storeFromPromises = (open: () => Promise<PromiseStore>): Layer.Layer<MailStore, StoreNotOpened> =>
  Layer.effect(
    MailStore,
    Effect.acquireRelease(
      promised(open, (cause) => cause instanceof StoreNotOpened),
      (store) => Effect.promise(async () => store.close?.())
    ).pipe(Effect.map(bridged))
  )
