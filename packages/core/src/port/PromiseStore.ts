/**
 * The storage port for authors who do not use Effect: the same contract, as plain async functions.
 */
import { Effect, Layer, Queue, Stream } from "effect"
import type { Change } from "../domain/store/Change.ts"
import type { ConflictReason } from "../domain/store/guard.ts"
import { Conflict } from "../domain/store/Conflict.ts"
import type { Claim, EventDeliveryClaim, MessageSweep, Sweep, SweptMessages } from "../domain/store/Claim.ts"
import type { Delivery } from "../domain/delivery/Delivery.ts"
import type { EventDelivery } from "../domain/event/EventDelivery.ts"
import type { Answers, Query } from "../domain/store/Query.ts"
import type { MailStoreShape, StoreCapabilities } from "./MailStore.ts"
import { MailStore, StoreNotOpened, StoreUnavailable } from "./MailStore.ts"
import { promised } from "./promised.ts"

/** The guard that did not hold: the index of its change in the commit, and the reason. */
export interface RefusedChange {
  readonly at: number
  readonly reason: ConflictReason
}

/**
 * Each function has the contract of the function with the same name in `MailStoreShape`. Reject with a `StoreUnavailable` when the store
 * cannot be reached. Any other rejection counts as a defect of the adapter.
 */
export interface PromiseStore {
  /** What this store guarantees. Constant. */
  readonly capabilities: StoreCapabilities
  /** Resolves to the refused change when nothing was applied, and to `undefined` or `null` when all changes were. */
  readonly commit: (changes: ReadonlyArray<Change>) => Promise<RefusedChange | null | undefined>
  /** Resolves to the deliveries that it has marked for the worker; see `Claim`. */
  readonly claim: (claim: Claim) => Promise<ReadonlyArray<Delivery>>
  /** Resolves to the event deliveries that it has marked for the worker; see `EventDeliveryClaim`. */
  readonly claimEventDeliveries: (claim: EventDeliveryClaim) => Promise<ReadonlyArray<EventDelivery>>
  /** Resolves to one answer for each query, in the order of the queries. `Answering` has the type of each answer. */
  readonly read: (queries: ReadonlyArray<Query>) => Promise<ReadonlyArray<unknown>>
  /** Resolves to the number of deleted records; see `sweep` of `MailStoreShape`. */
  readonly sweep: (sweep: Sweep) => Promise<number>
  /** Resolves to what the sweep did; see `sweepMessages` of `MailStoreShape`. */
  readonly sweepMessages: (sweep: MessageSweep) => Promise<SweptMessages>
  /** Calls `listener` after each commit of another process, until the returned function is called. */
  readonly onCommitOfOtherProcess?: (listener: () => void) => () => void
  /** Closes the store. Called once, when the layer closes. */
  readonly close?: () => Promise<void>
}

/** A function that runs a call while the store is open. A call after the close fails, and the store does not get it. */
type Called = <A>(call: () => Promise<A>) => Effect.Effect<A, StoreUnavailable>

const toMailStore = (store: PromiseStore, called: Called): MailStoreShape => ({
  capabilities: store.capabilities,
  commit: (changes) =>
    Effect.flatMap(
      called(() => store.commit(changes)),
      (refused) =>
        refused === undefined || refused === null
          ? Effect.void
          : Effect.fail(new Conflict({ ...refused, change: changes[refused.at]?._tag ?? "Expect" }))
    ),
  claim: (claim) => called(() => store.claim(claim)),
  claimEventDeliveries: (claim) => called(() => store.claimEventDeliveries(claim)),
  read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) =>
    called(() => store.read(queries) as Promise<Answers<Qs>>),
  sweep: (sweep) => called(() => store.sweep(sweep)),
  sweepMessages: (sweep) => called(() => store.sweepMessages(sweep)),
  commitsOfOtherProcesses:
    store.onCommitOfOtherProcess === undefined
      ? Stream.never
      : Stream.callback<void>((queue) =>
          Effect.acquireRelease(
            Effect.sync(() => store.onCommitOfOtherProcess!(() => Queue.offerUnsafe(queue, undefined))),
            (stop) => Effect.sync(stop)
          )
        )
})

/**
 * Makes the layer of a store. `open` may reject with a `StoreNotOpened`. The store is closed together with the layer. Each later call fails with
 * `StoreUnavailable`, reason `closed`, and calls no function of the store.
 */
export const storeFromPromises = (open: () => Promise<PromiseStore>): Layer.Layer<MailStore, StoreNotOpened> =>
  Layer.effect(
    MailStore,
    Effect.suspend(() => {
      let isOpen = true
      const called: Called = (call) =>
        Effect.suspend(() =>
          isOpen
            ? promised(call, (cause) => cause instanceof StoreUnavailable)
            : Effect.fail(new StoreUnavailable({ reason: "closed" }))
        )
      const opened = Effect.acquireRelease(
        promised(open, (cause) => cause instanceof StoreNotOpened),
        (store) =>
          Effect.promise(async () => {
            isOpen = false
            await store.close?.()
          })
      )
      return Effect.map(opened, (store) => toMailStore(store, called))
    })
  )
