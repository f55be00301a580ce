/**
 * Processes deliveries: releases scheduled deliveries that are due, recovers the deliveries of dead workers, and hands over queued deliveries.
 * Wakes at once on new work and sleeps until the next due time. `HandOffs` has the steps of a hand-off.
 */
import { Clock, Context, Duration, Effect, FiberSet, Layer } from "effect"
import type { Delivery } from "../domain/Delivery.ts"
import { secondMillis } from "../domain/Instant.ts"
import type { Backlog } from "../domain/Query.ts"
import { makeClockWatch } from "../internal/clockWatch.ts"
import type { NotStored } from "../internal/commitUntilStored.ts"
import { makeSweeping } from "../internal/sweeping.ts"
import type { WorkerLease } from "../internal/workerLease.ts"
import { clockToleranceMillis, makeWorkerLease } from "../internal/workerLease.ts"
import { underLease, undeterred } from "../internal/workLoop.ts"
import { Crypto } from "../port/Crypto.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"
import { HandOffs } from "./HandOffs.ts"
import { WakeUp } from "./WakeUp.ts"

export interface DispatcherOptions {
  /** At most so many hand-offs at once. */
  readonly concurrency: number
  /** How long the lease of a worker lasts after each renewal. The worker renews it after a third of this time. */
  readonly leaseMillis: number
  /** How long a shutdown waits for hand-offs under way. It then interrupts them and returns them to the queue. */
  readonly graceMillis: number
  /** The longest sleep. A jump of the clock and a lapsed lease are noticed after this time at the latest. */
  readonly sleepMillisMax: number
}

export const defaultDispatcherOptions: DispatcherOptions = {
  concurrency: 32,
  leaseMillis: 30 * secondMillis,
  graceMillis: 15 * secondMillis,
  sleepMillisMax: 15 * secondMillis
}

/** How many deliveries one step released, recovered and handed over. */
export interface StepReport {
  readonly released: number
  readonly recovered: number
  readonly handedOver: number
}

/** At most so many releases and recoveries at once. */
const preparingMax = 100

interface Deps {
  readonly settings: DispatcherOptions
  readonly store: MailStoreShape
  readonly lease: WorkerLease
  readonly sweep: Effect.Effect<boolean, StoreUnavailable>
  readonly handOffs: HandOffs["Service"]
  readonly signal: WakeUp["Service"]
}

/** How many deliveries may be started. */
interface Capacity {
  readonly preparing: number
  readonly handing: number
}

type StartWork = (work: Effect.Effect<unknown>) => Effect.Effect<unknown>

interface StartKinds {
  readonly preparing: StartWork
  readonly handing: StartWork
}

/** Claims due deliveries within the capacity and starts the work on them. After an interruption, claimed deliveries wait for the end of their lease. */
const step = (
  { lease, handOffs, signal, settings: { leaseMillis } }: Deps,
  capacity: Capacity,
  start: StartKinds
): Effect.Effect<StepReport, StoreUnavailable> => {
  // A released or recovered delivery may be due for a hand-off at once.
  const prepare = (delivery: Delivery, work: Effect.Effect<unknown, NotStored>) =>
    start.preparing(lease.workOn(delivery, Effect.andThen(work, signal.notify)))
  return Effect.gen(function* () {
    const recovering = yield* lease.claim("lapsedSending", capacity.preparing)
    for (const delivery of recovering) yield* prepare(delivery, handOffs.recover(delivery, leaseMillis))
    const releasing = yield* lease.claim("dueScheduled", capacity.preparing - recovering.length)
    for (const delivery of releasing) yield* prepare(delivery, handOffs.release(delivery, leaseMillis))
    const handing = yield* lease.claim("dueQueued", capacity.handing)
    for (const delivery of handing)
      yield* start.handing(lease.workOn(delivery, handOffs.handOver(delivery, leaseMillis)))
    return { released: releasing.length, recovered: recovering.length, handedOver: handing.length }
  }).pipe(Effect.onInterrupt(() => lease.changeName))
}

/** Collects the started work, runs all of it in parallel and waits for its end. */
const runTogether = <A, E>(collect: (startWork: StartWork) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const works: Array<Effect.Effect<unknown>> = []
    return Effect.tap(
      collect((work) => Effect.sync(() => works.push(work))),
      () => Effect.all(works, { concurrency: "unbounded", discard: true })
    )
  })

const tick = (deps: Deps): Effect.Effect<StepReport, StoreUnavailable> =>
  Effect.gen(function* () {
    yield* Effect.forkScoped(deps.lease.heartbeat)
    // A released delivery is handed over in the same step.
    const prepared = yield* runTogether((startWork) =>
      step(deps, { preparing: preparingMax, handing: 0 }, { preparing: startWork, handing: startWork })
    )
    const { handedOver } = yield* runTogether((startWork) =>
      step(deps, { preparing: 0, handing: deps.settings.concurrency }, { preparing: startWork, handing: startWork })
    )
    yield* deps.sweep
    return { ...prepared, handedOver }
  }).pipe(Effect.scoped)

const sleepMillis = ({ settings: { sleepMillisMax }, store, lease }: Deps) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const [next] = yield* store.read([{ _tag: "NextDue", worker: lease.name(), now }])
    return next === null ? sleepMillisMax : Math.min(sleepMillisMax, Math.max(1, next - now))
  })

const loop = (deps: Deps) =>
  Effect.gen(function* () {
    const { settings, signal, sweep } = deps
    const wake = yield* signal.subscribe
    const preparing = yield* FiberSet.make<unknown, never>()
    const handing = yield* FiberSet.make<unknown, never>()
    // This finalizer runs before the fibers are interrupted, so that work under way gets the grace time.
    yield* Effect.addFinalizer(() =>
      Effect.all([FiberSet.awaitEmpty(preparing), FiberSet.awaitEmpty(handing)], { concurrency: 2 }).pipe(
        Effect.timeoutOption(Duration.millis(settings.graceMillis))
      )
    )
    const start: StartKinds = {
      preparing: (work) => FiberSet.run(preparing, Effect.ensuring(work, wake.open)),
      handing: (work) => FiberSet.run(handing, Effect.ensuring(work, wake.open))
    }
    const freeCapacity = Effect.zipWith(
      FiberSet.size(preparing),
      FiberSet.size(handing),
      (preparing, handing): Capacity => ({
        preparing: preparingMax - preparing,
        handing: settings.concurrency - handing
      })
    )

    return yield* undeterred(
      "The dispatcher",
      Effect.gen(function* () {
        yield* wake.close
        const { released, recovered, handedOver } = yield* step(deps, yield* freeCapacity, start)
        const moreToSweep = yield* sweep
        if (released + recovered + handedOver > 0 || moreToSweep) return
        // Without free capacity, the end of a work item wakes the loop. Deliveries that are due must not keep the loop busy until then.
        const capacity = yield* freeCapacity
        const full = capacity.preparing <= 0 || capacity.handing <= 0
        yield* Effect.timeoutOption(wake.await, Duration.millis(full ? secondMillis : yield* sleepMillis(deps)))
      })
    )
  })

const run = (deps: Deps): Effect.Effect<never> => underLease(deps, deps.signal.notify, loop(deps))

const health = ({ store }: Deps) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const [backlog] = yield* store.read([{ _tag: "Backlog", now }])
    const { oldestDueAt } = backlog
    return { ...backlog, oldestDueAgeMillis: oldestDueAt === null ? 0 : Math.max(0, now - oldestDueAt) }
  })

export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /** One step for hosts without a loop. Processes the deliveries that are due, within the limits, and waits for their end. */
    readonly tick: Effect.Effect<StepReport, StoreUnavailable>
    /** Runs until interrupted. Then claims no more deliveries, waits for hand-offs under way and ends the lease. */
    readonly run: Effect.Effect<never>
    /** The backlog, and for how many milliseconds its oldest delivery has been due. */
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
        const deps: Deps = {
          settings,
          store,
          lease: makeWorkerLease({ store, crypto: yield* Crypto, readClock }, settings.leaseMillis),
          sweep: makeSweeping(store, readClock),
          handOffs: yield* HandOffs,
          signal: yield* WakeUp
        }
        const { recordDispatcher } = deps.signal
        return {
          tick: Effect.andThen(recordDispatcher, tick(deps)),
          run: Effect.andThen(recordDispatcher, run(deps)),
          health: health(deps)
        }
      })
    )
}
