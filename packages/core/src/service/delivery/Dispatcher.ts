/**
 * Processes deliveries: releases scheduled deliveries that are due, recovers the deliveries of dead workers, and hands over queued deliveries.
 * Wakes at once on new work and sleeps until the next due time. `HandOffs` has the steps of a hand-off.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Delivery } from "../../domain/delivery/Delivery.ts"
import { secondMillis } from "../../domain/value/Instant.ts"
import type { Backlog } from "../../domain/store/Query.ts"
import { makeClockWatch } from "../../internal/clockWatch.ts"
import type { NotStored } from "../../internal/commit.ts"
import { makeSweeping } from "../../internal/sweeping.ts"
import type { WorkerLease } from "../../internal/workerLease.ts"
import { clockToleranceMillis, makeWorkerLease } from "../../internal/workerLease.ts"
import type { StartWork, WorkGroup } from "../../internal/workLoop.ts"
import { makeWorkGroup, runTogether, runWorkLoop } from "../../internal/workLoop.ts"
import { Crypto } from "../../port/Crypto.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"
import { HandOffs } from "./HandOffs.ts"
import { WakeUp } from "./WakeUp.ts"

/** Limits and times of a dispatcher. */
export interface DispatcherOptions {
  /** At most so many hand-offs at once. Default 32. */
  readonly concurrency: number
  /** How long the lease of a worker lasts after each renewal. The worker renews it after a third of this time. Default 30,000. */
  readonly leaseMillis: number
  /**
   * How long a shutdown waits for hand-offs under way. It then interrupts them, and their deliveries return to the queue. A hand-off that is
   * interrupted while finalizing is an ambiguous attempt. Default 15,000.
   */
  readonly graceMillis: number
  /** The longest sleep. A jump of the clock and a lapsed lease are noticed after this time at the latest. Default 15,000. */
  readonly sleepMillisMax: number
}

const defaultDispatcherOptions: DispatcherOptions = {
  concurrency: 32,
  leaseMillis: 30 * secondMillis,
  graceMillis: 15 * secondMillis,
  sleepMillisMax: 15 * secondMillis
}

/** How many deliveries one tick claimed and processed, by their state when they were claimed. */
export interface DispatchReport {
  /** Scheduled deliveries that were due. Each is queued now, or has ended because it may no longer be sent. */
  readonly scheduled: number
  /** Deliveries in status `sending` whose worker had died. The attempt of each has ended. */
  readonly lapsed: number
  /** Queued deliveries that were due. Each was handed over, or has ended because it may no longer be sent. */
  readonly queued: number
}

/** At most so many scheduled and lapsed deliveries under work at once. */
const preparationsMax = 100

interface Deps {
  readonly settings: DispatcherOptions
  readonly store: MailStoreShape
  readonly lease: WorkerLease
  readonly sweep: Effect.Effect<boolean, StoreUnavailable>
  readonly handOffs: HandOffs["Service"]
  readonly wakeUp: WakeUp["Service"]
}

interface WorkGroups {
  /** Releases and recoveries. */
  readonly preparations: WorkGroup
  readonly handOffs: WorkGroup
}

/**
 * Claims at most as many due deliveries as the groups may start, and starts the work on them. After an interruption, claimed deliveries wait
 * for the end of their lease.
 */
const startDue = (
  { lease, handOffs, wakeUp, settings: { leaseMillis } }: Deps,
  groups: WorkGroups
): Effect.Effect<DispatchReport, StoreUnavailable> => {
  // A scheduled or lapsed delivery may be due for a hand-off at once.
  const prepare = (delivery: Delivery, work: Effect.Effect<unknown, NotStored>) =>
    groups.preparations.start(lease.workOn(delivery, Effect.andThen(work, wakeUp.deliveries.notify)))
  return Effect.gen(function* () {
    const lapsed = yield* lease.claim("lapsedSending", groups.preparations.free())
    for (const delivery of lapsed) yield* prepare(delivery, handOffs.recover(delivery, leaseMillis))
    const scheduled = yield* lease.claim("dueScheduled", groups.preparations.free())
    for (const delivery of scheduled) yield* prepare(delivery, handOffs.queueScheduled(delivery, leaseMillis))
    const queued = yield* lease.claim("dueQueued", groups.handOffs.free())
    for (const delivery of queued)
      yield* groups.handOffs.start(lease.workOn(delivery, handOffs.handOver(delivery, leaseMillis)))
    return { scheduled: scheduled.length, lapsed: lapsed.length, queued: queued.length }
  }).pipe(Effect.onInterrupt(() => lease.changeName))
}

const tick = (deps: Deps): Effect.Effect<DispatchReport, StoreUnavailable> => {
  const startTogether = (max: { readonly preparations: number; readonly handOffs: number }) =>
    runTogether((start) =>
      startDue(deps, {
        preparations: makeWorkGroup(start, max.preparations),
        handOffs: makeWorkGroup(start, max.handOffs)
      })
    )
  return Effect.gen(function* () {
    yield* Effect.forkScoped(deps.lease.heartbeat)
    // A delivery that was just queued is handed over in the same tick.
    const prepared = yield* startTogether({ preparations: preparationsMax, handOffs: 0 })
    const { queued } = yield* startTogether({ preparations: 0, handOffs: deps.settings.concurrency })
    yield* deps.sweep
    return { ...prepared, queued }
  }).pipe(Effect.scoped)
}

/** The time until the next delivery is due, at most `sleepMillisMax`. */
const untilNextDue = ({ settings: { sleepMillisMax }, store, lease }: Deps) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const [next] = yield* store.read([{ _tag: "NextDue", worker: lease.name(), now }])
    return next === null ? sleepMillisMax : Math.min(sleepMillisMax, Math.max(1, next - now))
  })

const makeTurn = (deps: Deps) => (start: StartWork) => {
  const groups: WorkGroups = {
    preparations: makeWorkGroup(start, preparationsMax),
    handOffs: makeWorkGroup(start, deps.settings.concurrency)
  }
  return Effect.gen(function* () {
    const { scheduled, lapsed, queued } = yield* startDue(deps, groups)
    const moreToSweep = yield* deps.sweep
    if (scheduled + lapsed + queued > 0 || moreToSweep) return 0
    // In a full group, the end of any work wakes the loop. Deliveries that are due must not keep the loop busy until then.
    const full = groups.preparations.free() <= 0 || groups.handOffs.free() <= 0
    return full ? secondMillis : yield* untilNextDue(deps)
  })
}

const run = (deps: Deps): Effect.Effect<never> =>
  runWorkLoop({
    name: "The dispatcher",
    graceMillis: deps.settings.graceMillis,
    store: deps.store,
    lease: deps.lease,
    wakeUp: deps.wakeUp.deliveries,
    makeTurn: makeTurn(deps)
  })

const health = ({ store }: Deps) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const [backlog] = yield* store.read([{ _tag: "Backlog", now }])
    const { oldestDueAt } = backlog
    return { ...backlog, oldestDueAgeMillis: oldestDueAt === null ? 0 : Math.max(0, now - oldestDueAt) }
  })

/**
 * Hands over the mail that is due. A program needs one dispatcher: with `run` in the background, or with `tick` from time to time.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Dispatcher } from "@mailkeep/core"
 *
 * const program = Effect.gen(function* () {
 *   const dispatcher = yield* Dispatcher
 *   const { queued: processed } = yield* dispatcher.tick
 *   const { queued, oldestDueAgeMillis } = yield* dispatcher.health
 *   console.log(processed, queued, oldestDueAgeMillis)
 * })
 * ```
 */
export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /** One tick, for a program that calls it from a timer. Processes the deliveries that are due, within the limits, and waits for their end. */
    readonly tick: Effect.Effect<DispatchReport, StoreUnavailable>
    /** Runs until interrupted. Then claims no more deliveries, waits for hand-offs under way and ends the lease. */
    readonly run: Effect.Effect<never>
    /** The backlog, and for how many milliseconds its oldest delivery has been due. */
    readonly health: Effect.Effect<Backlog & { readonly oldestDueAgeMillis: number }, StoreUnavailable>
  }
>()("@mailkeep/core/service/Dispatcher") {
  /** The dispatcher with other options than the defaults. */
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
          wakeUp: yield* WakeUp
        }
        const { recordDispatcher } = deps.wakeUp
        return {
          tick: Effect.andThen(recordDispatcher, tick(deps)),
          run: Effect.andThen(recordDispatcher, run(deps)),
          health: health(deps)
        }
      })
    )
}
