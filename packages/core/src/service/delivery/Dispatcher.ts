/**
 * Processes deliveries: queues scheduled deliveries that are due, recovers the deliveries of dead workers, and hands over queued deliveries.
 * Wakes at once on new work and sleeps until the next due time. `HandOffs` has the steps of a hand-off.
 */
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import type { Delivery } from "../../domain/delivery/Delivery.ts"
import { secondMillis } from "../../domain/value/Instant.ts"
import { checkedOptions } from "../../domain/value/OptionRule.ts"
import type { ClaimKind } from "../../domain/store/Claim.ts"
import type { Backlog } from "../../domain/store/QueryAnswer.ts"
import { makeClockJumpDetector } from "../../internal/worker/clockJumpDetector.ts"
import type { NotStored } from "../../internal/store/commit.ts"
import { makeLeaseRestart } from "../../internal/worker/leaseRestart.ts"
import type { LastLanes } from "../../internal/delivery/lastLanes.ts"
import { makeLastLanes } from "../../internal/delivery/lastLanes.ts"
import type { ProjectGroup } from "../../internal/worker/projectGroup.ts"
import { makeProjectGroup } from "../../internal/worker/projectGroup.ts"
import type { MailNews } from "../../internal/delivery/busyTurns.ts"
import { makeBusyTurns } from "../../internal/delivery/busyTurns.ts"
import type { RelayHealth } from "../../internal/delivery/relayLimiter.ts"
import { makeSweeping, sweepAll } from "../../internal/store/sweeping.ts"
import type { WorkerLease } from "../../internal/worker/workerLease.ts"
import { forwardJumpMillis, makeWorkerLease } from "../../internal/worker/workerLease.ts"
import type { News, StartWork } from "../../internal/worker/workLoop.ts"
import { makeWorkGroup, runTogether, runWorkLoop } from "../../internal/worker/workLoop.ts"
import { Crypto } from "../../port/Crypto.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"
import type { DispatcherOptions } from "./DispatcherOptions.ts"
import { dispatcherRules, dispatcherSettings } from "./DispatcherOptions.ts"
import { HandOffs } from "./HandOffs.ts"
import { WakeUp } from "./WakeUp.ts"

export type { RelayHealth } from "../../internal/delivery/relayLimiter.ts"

/** How many deliveries one tick claimed and processed, by their state when they were claimed. */
export interface DispatchReport {
  /** Scheduled deliveries that were due. Each is queued now, or has ended because it may no longer be sent. */
  readonly scheduled: number
  /** Deliveries in status `sending` whose worker had died. The attempt of each has ended. */
  readonly recovered: number
  /** Queued deliveries that were due. Each was handed over, or has ended because it may no longer be sent. */
  readonly handedOver: number
}

/** The state of the work of a dispatcher. */
export interface DispatcherHealth extends Backlog {
  /** For how long the oldest due delivery has been due; 0 without one. */
  readonly oldestDueAgeMillis: number
  /** How the relay is doing, as this process sees it. */
  readonly relay: RelayHealth
}

/** At most so many scheduled and abandoned deliveries under work at once, in all and of one project. */
const queueingAndRecoveryMax = 100
const queueingAndRecoveryPerProject = 80

interface Deps {
  readonly settings: DispatcherOptions
  /** All work under way of this dispatcher: of the loop, and of ticks that overlap. */
  readonly groups: WorkGroups
  /** For one claim at a time, so that two of them do not take the same free places. */
  readonly claiming: Semaphore.Semaphore
  readonly store: MailStoreShape
  readonly lease: WorkerLease
  readonly lastLanes: LastLanes
  readonly restartLeases: Effect.Effect<void>
  readonly sweep: Effect.Effect<boolean, StoreUnavailable>
  readonly handOffs: HandOffs["Service"]
  readonly wakeUp: WakeUp["Service"]
}

interface WorkGroups {
  /** Queues scheduled deliveries, and recovers abandoned ones. */
  readonly queueingAndRecovery: ProjectGroup
  readonly handOffs: ProjectGroup
}

const makeWorkGroups = ({ concurrency, concurrencyPerProject }: DispatcherOptions): WorkGroups => ({
  queueingAndRecovery: makeProjectGroup(makeWorkGroup(queueingAndRecoveryMax), queueingAndRecoveryPerProject),
  handOffs: makeProjectGroup(makeWorkGroup(concurrency), concurrencyPerProject)
})

/** How many more hand-offs may start: as many as the group and the relay allow. */
const freeHandOffs = ({ handOffs, settings, groups }: Deps): Effect.Effect<number> => {
  const free = groups.handOffs.free()
  return Effect.map(handOffs.relayLimiter.free(settings.concurrency - free), (ofRelay) => Math.min(ofRelay, free))
}

/**
 * Claims at most as many due deliveries as the groups may start, and starts the work on them. If it is interrupted, deliveries already claimed
 * wait for the end of their lease.
 */
const startDue = (
  deps: Deps,
  startWork: StartWork,
  claims: "all" | "queueingAndRecovery" | "handOffs"
): Effect.Effect<DispatchReport, StoreUnavailable> => {
  const { lease, lastLanes, handOffs, wakeUp, settings, groups, claiming } = deps
  const { leaseMillis } = settings
  const { queueingAndRecovery } = groups
  const claim = (kind: ClaimKind, limit: number, group: ProjectGroup) =>
    Effect.tap(lease.claim(kind, limit, { ...group.limits(), after: lastLanes.of(kind) }), (taken) =>
      Effect.sync(() => lastLanes.record(kind, taken))
    )
  const start = (group: ProjectGroup, delivery: Delivery, work: Effect.Effect<unknown, NotStored>) =>
    group.start(startWork, delivery.projectId, lease.workOn(delivery, work))
  // A scheduled or abandoned delivery may be due for a hand-off at once.
  const prepare = (delivery: Delivery, work: Effect.Effect<unknown, NotStored>) =>
    start(queueingAndRecovery, delivery, Effect.andThen(work, wakeUp.deliveries.notify))
  return Effect.gen(function* () {
    yield* deps.restartLeases
    const free = claims === "handOffs" ? 0 : queueingAndRecovery.free()
    const recovered = yield* claim("abandonedSending", free, queueingAndRecovery)
    for (const delivery of recovered) yield* prepare(delivery, handOffs.recover(delivery, leaseMillis))
    const scheduled = yield* claim("dueScheduled", Math.min(free, queueingAndRecovery.free()), queueingAndRecovery)
    for (const delivery of scheduled) yield* prepare(delivery, handOffs.queueScheduled(delivery, leaseMillis))
    const places = claims === "queueingAndRecovery" ? 0 : yield* freeHandOffs(deps)
    const handedOver = yield* claim("dueQueued", places, groups.handOffs)
    for (const delivery of handedOver)
      yield* start(groups.handOffs, delivery, handOffs.handOver(delivery, lease.ofClaim(delivery)))
    return { scheduled: scheduled.length, recovered: recovered.length, handedOver: handedOver.length }
  }).pipe(
    Effect.onInterrupt(() => lease.changeWorkerId),
    claiming.withPermit
  )
}

const tick = (deps: Deps): Effect.Effect<DispatchReport, StoreUnavailable> =>
  Effect.gen(function* () {
    yield* Effect.forkScoped(deps.lease.heartbeat)
    // A delivery that was just queued is handed over in the same tick.
    const prepared = yield* runTogether((startWork) => startDue(deps, startWork, "queueingAndRecovery"))
    const { handedOver } = yield* runTogether((startWork) => startDue(deps, startWork, "handOffs"))
    yield* deps.sweep
    return { ...prepared, handedOver }
  }).pipe(
    // Between a claim and the start of its work, nothing else reacts to an interruption.
    Effect.onInterrupt(() => deps.lease.changeWorkerId),
    Effect.scoped
  )

/** The time until the next delivery is due, at most `sleepMillisMax`; 0 if one is due. */
const untilNextDue = ({ settings: { sleepMillisMax }, store, lease }: Deps) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const [next] = yield* store.read([{ _tag: "NextDue", worker: lease.workerId(), now }])
    return next === null ? sleepMillisMax : Math.min(sleepMillisMax, Math.max(0, next - now))
  })

/** Whether the news can mean mail whose hand-off may start. */
const newsFor = (handOffs: ProjectGroup, news: News): MailNews => {
  if (news === "any") return "claimable"
  if (news.size === 0) return "none"
  return [...news].some(handOffs.hasRoom) ? "claimable" : "ofFullProjects"
}

const makeTurn = (deps: Deps) => (startWork: StartWork, takeNews: () => News) => {
  const { groups } = deps
  const busy = makeBusyTurns(deps.settings.concurrency)
  return Effect.gen(function* () {
    const plan = yield* busy.plan({ ended: groups.handOffs.ended(), news: newsFor(groups.handOffs, takeNews()) })
    if (plan.waitMillis > 0) return plan.waitMillis
    const { scheduled, recovered, handedOver } = yield* startDue(deps, startWork, plan.claims)
    busy.record(handedOver)
    const moreToSweep = yield* deps.sweep
    if (scheduled + recovered + handedOver > 0 || moreToSweep) return 0
    // A full group wakes the loop when work ends. Without this wait, due deliveries would spin the loop.
    const full = groups.queueingAndRecovery.isFull() || groups.handOffs.isFull() || (yield* freeHandOffs(deps)) <= 0
    if (full) return secondMillis
    const nextDueMillis = yield* untilNextDue(deps)
    if (plan.claims === "all" || nextDueMillis > 0) return Math.max(1, nextDueMillis)
    busy.recordOtherDue()
    return 0
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

const health = ({ store, handOffs }: Deps) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const [backlog] = yield* store.read([{ _tag: "Backlog", now }])
    const { oldestDueAt } = backlog
    return {
      ...backlog,
      oldestDueAgeMillis: oldestDueAt === null ? 0 : Math.max(0, now - oldestDueAt),
      relay: yield* handOffs.relayLimiter.health
    }
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
 *   const { handedOver } = yield* dispatcher.tick
 *   const { queued, oldestDueAgeMillis } = yield* dispatcher.health
 *   console.log(handedOver, queued, oldestDueAgeMillis)
 * })
 * ```
 */
export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /**
     * One tick, for a program that calls it from a timer. Processes the deliveries that are due, within the limits, and waits for their end. Ticks
     * that overlap have the limits together.
     */
    readonly tick: Effect.Effect<DispatchReport, StoreUnavailable>
    /**
     * Deletes everything that has expired by the option `retention`, and ends when nothing is left. For a program that has only ticks and ends within
     * 10 min: `run` and the ticks of a longer process sweep by themselves. They first watch the clock, and this does not: what a clock that is
     * ahead deletes is lost. An interruption keeps what is deleted.
     */
    readonly sweep: Effect.Effect<void, StoreUnavailable>
    /** Runs until interrupted. Then claims no more deliveries, waits for hand-offs under way and ends the lease. */
    readonly run: Effect.Effect<never>
    /** The backlog, for how many milliseconds its oldest delivery has been due, and how the relay is doing. */
    readonly health: Effect.Effect<DispatcherHealth, StoreUnavailable>
  }
>()("@mailkeep/core/service/Dispatcher") {
  /** The dispatcher with other options than the defaults. An option that is not valid is a defect: a `TypeError` that names the option. */
  static readonly layerWith = (options: Partial<DispatcherOptions> = {}) =>
    Layer.effect(
      Dispatcher,
      Effect.gen(function* () {
        const checked = checkedOptions("dispatcher", dispatcherRules, options)
        const handOffs = yield* HandOffs
        const settings = dispatcherSettings(checked, handOffs.atOnceMax)
        const store = yield* MailStore
        const crypto = yield* Crypto
        const readClock = makeClockJumpDetector(forwardJumpMillis(settings.leaseMillis))
        const deps: Deps = {
          settings,
          groups: makeWorkGroups(settings),
          claiming: Semaphore.makeUnsafe(1),
          store,
          lease: makeWorkerLease({ store, crypto, readClock }, settings.leaseMillis),
          lastLanes: makeLastLanes(),
          restartLeases: makeLeaseRestart(store, readClock, settings.leaseMillis),
          sweep: makeSweeping({ store, crypto, readClock }, settings.retention),
          handOffs,
          wakeUp: yield* WakeUp
        }
        // Ticks leave the lease of the worker to the next tick. After the last one, a move to another store would wait for its end.
        yield* Effect.addFinalizer(() => deps.lease.releaseIdle)
        yield* deps.handOffs.relayLimiter.setLimit(settings.concurrency)
        const { whileDispatching } = deps.wakeUp
        return {
          tick: whileDispatching(tick(deps)),
          sweep: sweepAll({ store, crypto }, settings.retention),
          run: whileDispatching(run(deps)),
          health: health(deps)
        }
      })
    )
}
