/**
 * Keeps deliveries moving: releases what is due, recovers what a dead worker held, hands over what is queued.
 * Wakes at once on new work and sleeps until the next due time. What a hand-off does is in `HandOffs`.
 */
import { Clock, Context, Duration, Effect, FiberSet, Layer } from "effect"
import type { Delivery } from "../domain/Delivery.ts"
import { secondMillis } from "../domain/Instant.ts"
import type { Backlog } from "../domain/Query.ts"
import { makeClockWatch } from "../internal/clockWatch.ts"
import type { NotStored } from "../internal/persisting.ts"
import { makeSweeping } from "../internal/sweeping.ts"
import type { WorkerLease } from "../internal/workerLease.ts"
import { clockToleranceMillis, makeWorkerLease } from "../internal/workerLease.ts"
import { underLease, undeterred } from "../internal/workLoop.ts"
import { Crypto } from "../port/Crypto.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"
import { HandOffs } from "./HandOffs.ts"
import { WorkSignal } from "./WorkSignal.ts"

export interface DispatcherOptions {
  /** Hand-offs under way at once. */
  readonly concurrency: number
  /** How long a worker that says nothing is believed to live; renewed three times as often. */
  readonly leaseMillis: number
  /** How long a shutdown waits for hand-offs under way before it sends them back to the queue. */
  readonly graceMillis: number
  /** The longest sleep: a clock that was set forward and a lease that lapsed are noticed after this at the latest. */
  readonly sleepMillisMax: number
}

export const defaultDispatcherOptions: DispatcherOptions = {
  concurrency: 32,
  leaseMillis: 30 * secondMillis,
  graceMillis: 15 * secondMillis,
  sleepMillisMax: 15 * secondMillis
}

/** How many deliveries one step took, by what was done with them. */
export interface StepReport {
  readonly released: number
  readonly recovered: number
  readonly handedOver: number
}

/** Releases and recoveries under way at once. */
const settlingMax = 100

interface Parts {
  readonly settings: DispatcherOptions
  readonly store: MailStoreShape
  readonly lease: WorkerLease
  readonly sweep: Effect.Effect<boolean, StoreUnavailable>
  readonly handOffs: HandOffs["Service"]
  readonly signal: WorkSignal["Service"]
}

/** How much may be started. */
interface Room {
  readonly settling: number
  readonly handing: number
}

type StartOne = (work: Effect.Effect<unknown>) => Effect.Effect<unknown>

interface Start {
  readonly settling: StartOne
  readonly handing: StartOne
}

/** Takes what is due and starts work on it, within the room there is. Interrupted half-way, what was claimed is left to its lease. */
const step = (
  { lease, handOffs, signal, settings: { leaseMillis } }: Parts,
  room: Room,
  start: Start
): Effect.Effect<StepReport, StoreUnavailable> => {
  // What is left of a delivery once it is released or recovered may be due at once.
  const settle = (delivery: Delivery, work: Effect.Effect<unknown, NotStored>) =>
    start.settling(lease.holding(delivery, Effect.andThen(work, signal.notify)))
  return Effect.gen(function* () {
    const recovering = yield* lease.claim("lapsedSending", room.settling)
    for (const delivery of recovering) yield* settle(delivery, handOffs.recover(delivery, leaseMillis))
    const releasing = yield* lease.claim("dueScheduled", room.settling - recovering.length)
    for (const delivery of releasing) yield* settle(delivery, handOffs.release(delivery, leaseMillis))
    const handing = yield* lease.claim("dueQueued", room.handing)
    for (const delivery of handing)
      yield* start.handing(lease.holding(delivery, handOffs.handOver(delivery, leaseMillis)))
    return { released: releasing.length, recovered: recovering.length, handedOver: handing.length }
  }).pipe(Effect.onInterrupt(() => lease.changeName))
}

/** Runs what is started at once, and waits for all of it. */
const together = <A, E>(use: (start: StartOne) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const works: Array<Effect.Effect<unknown>> = []
    return Effect.tap(
      use((work) => Effect.sync(() => works.push(work))),
      () => Effect.all(works, { concurrency: "unbounded", discard: true })
    )
  })

const tick = (parts: Parts): Effect.Effect<StepReport, StoreUnavailable> =>
  Effect.gen(function* () {
    yield* Effect.forkScoped(parts.lease.heartbeat)
    // What is released becomes due for a hand-off in the same step.
    const settled = yield* together((one) =>
      step(parts, { settling: settlingMax, handing: 0 }, { settling: one, handing: one })
    )
    const { handedOver } = yield* together((one) =>
      step(parts, { settling: 0, handing: parts.settings.concurrency }, { settling: one, handing: one })
    )
    yield* parts.sweep
    return { ...settled, handedOver }
  }).pipe(Effect.scoped)

const sleepMillis = ({ settings: { sleepMillisMax }, store, lease }: Parts) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const [next] = yield* store.read([{ _tag: "NextDue", worker: lease.name(), now }])
    return next === null ? sleepMillisMax : Math.min(sleepMillisMax, Math.max(1, next - now))
  })

const loop = (parts: Parts) =>
  Effect.gen(function* () {
    const { settings, signal, sweep } = parts
    const wake = yield* signal.subscribe
    const settling = yield* FiberSet.make<unknown, never>()
    const handing = yield* FiberSet.make<unknown, never>()
    // Runs before their own interruption: what is under way gets its grace first.
    yield* Effect.addFinalizer(() =>
      Effect.all([FiberSet.awaitEmpty(settling), FiberSet.awaitEmpty(handing)], { concurrency: 2 }).pipe(
        Effect.timeoutOption(Duration.millis(settings.graceMillis))
      )
    )
    const start: Start = {
      settling: (work) => FiberSet.run(settling, Effect.ensuring(work, wake.open)),
      handing: (work) => FiberSet.run(handing, Effect.ensuring(work, wake.open))
    }
    const roomNow = Effect.zipWith(FiberSet.size(settling), FiberSet.size(handing), (settling, handing): Room => ({
      settling: settlingMax - settling,
      handing: settings.concurrency - handing
    }))

    return yield* undeterred(
      "The dispatcher",
      Effect.gen(function* () {
        yield* wake.close
        const { released, recovered, handedOver } = yield* step(parts, yield* roomNow, start)
        const moreToSweep = yield* sweep
        if (released + recovered + handedOver > 0 || moreToSweep) return
        // With no room left, an end makes some; what is due already must not be looked for all the while.
        const room = yield* roomNow
        const full = room.settling <= 0 || room.handing <= 0
        yield* Effect.timeoutOption(wake.await, Duration.millis(full ? secondMillis : yield* sleepMillis(parts)))
      })
    )
  })

const run = (parts: Parts): Effect.Effect<never> => underLease(parts, parts.signal.notify, loop(parts))

const health = ({ store }: Parts) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const [backlog] = yield* store.read([{ _tag: "Backlog", now }])
    const { oldestDueAt } = backlog
    return { ...backlog, oldestDueAgeMillis: oldestDueAt === null ? 0 : Math.max(0, now - oldestDueAt) }
  })

export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /** One step for hosts without a loop: takes what is due now, up to the limits, and waits until it is dealt with. */
    readonly tick: Effect.Effect<StepReport, StoreUnavailable>
    /** Runs until interrupted; then takes nothing more, waits for hand-offs under way and gives its lease back. */
    readonly run: Effect.Effect<never>
    /** What waits, and since when the oldest of it has been due. */
    readonly health: Effect.Effect<Backlog & { readonly oldestDueAgeMillis: number }, StoreUnavailable>
  }
>()("@mailkeep/core/service/Dispatcher") {
  static readonly layerWith = (options: Partial<DispatcherOptions> = {}) =>
    Layer.effect(
      Dispatcher,
      Effect.gen(function* () {
        const settings = { ...defaultDispatcherOptions, ...options }
        const store = yield* MailStore
        const readClock = makeClockWatch(clockToleranceMillis(settings.leaseMillis))
        const parts: Parts = {
          settings,
          store,
          lease: makeWorkerLease({ store, crypto: yield* Crypto, readClock }, settings.leaseMillis),
          sweep: makeSweeping(store, readClock),
          handOffs: yield* HandOffs,
          signal: yield* WorkSignal
        }
        const { noteDispatcher } = parts.signal
        return {
          tick: Effect.andThen(noteDispatcher, tick(parts)),
          run: Effect.andThen(noteDispatcher, run(parts)),
          health: health(parts)
        }
      })
    )
}
