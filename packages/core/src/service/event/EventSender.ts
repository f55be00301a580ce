/**
 * Sends events to their subscribers. Creates an event delivery for each matching subscriber and attempts it until the subscriber accepts the
 * event or the retries end. Each subscriber has its own limit of event deliveries under way, so that a slow subscriber does not delay the
 * others. Source: decisions 0016 and 0028.
 */
import type { Scope } from "effect"
import { Clock, Context, Effect, Layer } from "effect"
import type { EventDelivery } from "../../domain/event/EventDelivery.ts"
import type { EventKind } from "../../domain/event/MailEvent.ts"
import { eventKinds } from "../../domain/event/MailEvent.ts"
import type { AnswerOf } from "../../domain/store/Query.ts"
import type { TooManyRecords } from "../../domain/store/RecordFailure.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import { checkedOptions } from "../../domain/value/OptionRule.ts"
import { boundedWorkByKey } from "../../internal/boundedWork.ts"
import type { CircuitBreakers } from "../../internal/event/circuitBreaker.ts"
import { providedSink } from "../../internal/event/checkedSink.ts"
import { makeCircuitBreakers } from "../../internal/event/circuitBreaker.ts"
import { makeClockJumpDetector } from "../../internal/worker/clockJumpDetector.ts"
import { makeCommit } from "../../internal/store/commit.ts"
import { makeDeletedSubscriptions } from "../../internal/event/deletedSubscriptions.ts"
import { distribute, distributeAll, undistributedEvents } from "../../internal/event/eventDistribution.ts"
import type { EventAttemptDeps } from "../../internal/event/eventDeliveryAttempt.ts"
import { attemptEventDelivery, isWebhook } from "../../internal/event/eventDeliveryAttempt.ts"
import type { EventHandler } from "../../internal/event/eventHandler.ts"
import { makeFailureLog } from "../../internal/observability/failureLog.ts"
import { makeSenderPause } from "../../internal/event/senderPause.ts"
import type { SubscribingDeps } from "../../internal/event/subscribing.ts"
import { subscribe, unsubscribe } from "../../internal/event/subscribing.ts"
import { logWarningOnce } from "../../internal/observability/logOnce.ts"
import type { StartWork } from "../../internal/worker/workLoop.ts"
import { runTogether, runWorkLoop } from "../../internal/worker/workLoop.ts"
import type { WorkerLease } from "../../internal/worker/workerLease.ts"
import { forwardJumpMillis, makeWorkerLease } from "../../internal/worker/workerLease.ts"
import { Crypto } from "../../port/Crypto.ts"
import { IdSource } from "../../port/IdSource.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"
import { Secrets } from "../access/Secrets.ts"
import { WakeUp } from "../delivery/WakeUp.ts"
import type { EventSenderOptions } from "./EventSenderOptions.ts"
import { defaultEventSenderOptions, eventSenderRules } from "./EventSenderOptions.ts"

export type { EventHandler } from "../../internal/event/eventHandler.ts"

/** How many events one tick distributed, and how many event deliveries it attempted. */
export interface EventSenderReport {
  /** Events for which event deliveries were created. */
  readonly distributed: number
  /** Event deliveries that were attempted. */
  readonly attempted: number
}

interface Deps extends EventAttemptDeps, SubscribingDeps {
  readonly handlers: SubscribingDeps["handlers"]
  readonly settings: EventSenderOptions
  readonly wakeUp: WakeUp["Service"]
  readonly lease: WorkerLease
  readonly circuitBreakers: CircuitBreakers
  readonly warnNoSink: Effect.Effect<void>
}

/** How many event deliveries of a webhook that accepts are claimed ahead, or wait for the commit of their result. */
const aheadMaxOf = ({ perWebhook }: EventSenderOptions): number => 3 * perWebhook

/**
 * How many more event deliveries of a subscriber may start. A handler gets one event at a time, and no event waits for the retry of another. Those of
 * a deleted subscription only end.
 */
const capacityFor = (deps: Deps, subscriber: string): number => {
  const { handlers, sink, settings, circuitBreakers, deletedSubscriptions } = deps
  if (handlers.has(subscriber)) return circuitBreakers.capacity(subscriber, 1)
  if (isWebhook(subscriber) ? sink === null : !deletedSubscriptions.has(subscriber)) return 0
  return circuitBreakers.capacityAhead(subscriber, settings.perWebhook, aheadMaxOf(settings))
}

/** Runs one event delivery from its start to its end. Only webhooks are paused after failures: for a handler, the retry schedule is enough. */
const runEventDelivery = (deps: Deps, eventDelivery: EventDelivery): Effect.Effect<unknown> => {
  const { circuitBreakers, handlers, lease } = deps
  const { subscriber } = eventDelivery
  const once = attemptEventDelivery(deps, eventDelivery, ({ _tag }, now) => {
    if (_tag === "NotAttempted" || _tag === "Postponed" || handlers.has(subscriber)) return
    if (_tag === "Accepted") circuitBreakers.recordSuccess(subscriber)
    else circuitBreakers.recordFailure(subscriber, now)
  })
  return Effect.acquireUseRelease(
    Effect.sync(() => circuitBreakers.acquire(subscriber)),
    () => lease.workOn(eventDelivery, once),
    () => Effect.sync(() => circuitBreakers.release(subscriber))
  )
}

interface Started {
  readonly started: number
  /** When the next event delivery is due; `Infinity` without one. */
  readonly nextDue: number
}

/** Claims the event deliveries that are due at `now` within the capacity of each subscriber, and starts them. */
const startDue = (
  deps: Deps,
  start: StartWork,
  pending: AnswerOf<"PendingEventDeliveries">,
  now: Instant
): Effect.Effect<Started, StoreUnavailable> =>
  Effect.gen(function* () {
    const subscribers = pending.map(({ subscriber }) => subscriber)
    if (deps.sink === null && subscribers.some(isWebhook)) yield* deps.warnNoSink
    yield* deps.deletedSubscriptions.readAgain(subscribers.filter((one) => !isWebhook(one) && !deps.handlers.has(one)))
    const waiting = pending.filter(({ subscriber }) => capacityFor(deps, subscriber) > 0)
    const dueOf = ({ subscriber, dueAt }: (typeof pending)[number]) =>
      Math.max(dueAt, deps.circuitBreakers.pausedUntil(subscriber, now))
    const claimed = yield* Effect.forEach(
      waiting.filter((one) => dueOf(one) <= now),
      ({ subscriber }) => deps.lease.claimEventDeliveries(subscriber, capacityFor(deps, subscriber)),
      { concurrency: "unbounded" }
    )
    for (const eventDelivery of claimed.flat()) yield* start(runEventDelivery(deps, eventDelivery))
    const later = waiting.map(dueOf).filter((dueAt) => dueAt > now)
    const nextDue = later.reduce((first, dueAt) => Math.min(first, dueAt), Number.POSITIVE_INFINITY)
    return { started: claimed.flat().length, nextDue }
  })

/** If it is interrupted, event deliveries already claimed wait for the end of their lease, which later ticks do not renew. */
const tick = (deps: Deps): Effect.Effect<EventSenderReport, StoreUnavailable> =>
  Effect.gen(function* () {
    yield* Effect.forkScoped(deps.lease.heartbeat)
    const distributed = yield* distributeAll(deps)
    let attempted = 0
    while (true) {
      const now = yield* Clock.currentTimeMillis
      const [pending] = yield* deps.store.read([{ _tag: "PendingEventDeliveries", now }])
      const { started } = yield* runTogether((start) => startDue(deps, start, pending, now))
      if (started === 0) return { distributed, attempted }
      attempted += started
    }
  }).pipe(
    Effect.onInterrupt(() => deps.lease.changeWorkerId),
    Effect.scoped
  )

const makeTurn = (deps: Deps) => (start: StartWork) => {
  const senderPause = makeSenderPause()
  return Effect.gen(function* () {
    const untilTurn = yield* senderPause.turnMillis
    if (untilTurn > 0) return untilTurn
    const readAt = yield* Clock.currentTimeMillis
    const pendingQuery = { _tag: "PendingEventDeliveries", now: readAt } as const
    const isPaused = (yield* senderPause.distributionMillis) > 0
    const [pending, events = []] = yield* isPaused
      ? deps.store.read([pendingQuery])
      : deps.store.read([pendingQuery, undistributedEvents])
    // Together, so that both commits share a disk sync. Neither is interrupted when the other one fails, because a claim without its work waits for the
    // end of its lease.
    const [distributing, starting] = yield* Effect.all(
      [Effect.result(distribute(deps, events)), Effect.result(startDue(deps, start, pending, readAt))],
      { concurrency: "unbounded" }
    )
    const batch = yield* Effect.fromResult(distributing)
    yield* senderPause.record({ isPaused, batch, waitingSubscribers: pending.length })
    const { started, nextDue } = yield* Effect.fromResult(starting)
    if (started + batch.distributed > 0) return 0
    const untilDistribution = yield* senderPause.distributionMillis
    // The pause has ended during the turn, which has not looked for events.
    if (isPaused && untilDistribution === 0) return 0
    const now = yield* Clock.currentTimeMillis
    const untilDue = Math.max(1, nextDue - now)
    return Math.min(deps.settings.sleepMillisMax, untilDue, untilDistribution > 0 ? untilDistribution : untilDue)
  })
}

const run = (deps: Deps): Effect.Effect<never> =>
  runWorkLoop({
    name: "The event sender",
    graceMillis: deps.settings.graceMillis,
    store: deps.store,
    lease: deps.lease,
    wakeUp: deps.wakeUp.events,
    makeTurn: makeTurn(deps)
  })

/**
 * Sends events to webhooks and to handlers in this process.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { EventSender } from "@mailkeep/core"
 *
 * const program = Effect.gen(function* () {
 *   const eventSender = yield* EventSender
 *   yield* eventSender.subscribe("bounces", ({ data }) => console.log(data.recipient, data.bounce.smtpCode), ["email.bounced"])
 * })
 * ```
 */
export class EventSender extends Context.Service<
  EventSender,
  {
    /** One tick, for a program that calls it from a timer. Distributes new events, attempts the due event deliveries and waits for their end. */
    readonly tick: Effect.Effect<EventSenderReport, StoreUnavailable>
    /** Runs until interrupted. Then claims no more event deliveries, waits for those under way and ends the lease. */
    readonly run: Effect.Effect<never>
    /**
     * Registers a durable subscriber of the events of all projects, and its handler while the scope lasts. The handler gets each event after
     * the first registration at least once, one at a time in each process, oldest first. A failed event is retried after 1 s, then after twice the
     * time, at most 5 min. The handler gets later events while a failed event waits for its retry. Events that happen while no handler is
     * registered are sent later. An event is retried or waits until it is deleted, after `retention.eventsMillis` (default 30 days).
     *
     * A handler has no deadline. Until it ends, its subscription gets no other event in this process, and `tick` does not end. After a minute, the log has
     * a warning with the name. Give each call in a handler a timeout.
     *
     * The name identifies the subscriber over all starts of the program: 1 to 100 characters. The kinds (default: all) select the events
     * and narrow the type that the handler receives. Another call with the same name replaces the handler and the kinds for good: the earlier
     * handler does not return when the later scope ends. Waiting events whose kind is no longer named are dropped. Without a handler, the events of a
     * subscription wait; `unsubscribe` deletes it. Fails with `InvalidArgument` for another name or kind or a handler that is no
     * function, and with `TooManyRecords` when the name is new and there are 100 subscriptions.
     */
    readonly subscribe: <K extends EventKind = EventKind>(
      name: string,
      handler: NoInfer<EventHandler<K>>,
      kinds?: ReadonlyArray<K>
    ) => Effect.Effect<void, InvalidArgument | TooManyRecords | StoreUnavailable, Scope.Scope>
    /**
     * Deletes the subscription of this name, for a handler that the program no longer has. The events that wait for its handler are dropped within about a minute.
     * A later `subscribe` makes another subscription. A handler that another process has for the deleted one gets no later events. Does nothing when
     * there is none. Fails with `InvalidArgument` for what is no name.
     */
    readonly unsubscribe: (name: string) => Effect.Effect<void, InvalidArgument | StoreUnavailable>
    /** Distributes all events so far to the current subscribers. A webhook or subscription that is created afterwards gets none of these events. */
    readonly distribute: Effect.Effect<number, StoreUnavailable>
  }
>()("@mailkeep/core/service/EventSender") {
  /** The event sender with other options than the defaults. An option that is not valid is a defect: a `TypeError` that names the option. */
  static readonly layerWith = (options: Partial<EventSenderOptions> = {}) =>
    Layer.effect(
      EventSender,
      Effect.gen(function* () {
        const settings = { ...defaultEventSenderOptions, ...checkedOptions("events", eventSenderRules, options) }
        const store = yield* MailStore
        const crypto = yield* Crypto
        const circuitBreakers = makeCircuitBreakers()
        const handlers: Deps["handlers"] = new Map()
        const waitingMax = aheadMaxOf(settings)
        const requestsToWebhook = boundedWorkByKey({ atOnce: settings.perWebhook, waitingMax })
        const callsOfHandler = boundedWorkByKey({ atOnce: 1, waitingMax })
        const deps: Deps = {
          settings,
          store,
          commit: makeCommit(store),
          ids: yield* IdSource,
          crypto,
          decrypt: (yield* Secrets).encryption("webhook").decrypt,
          sink: yield* providedSink,
          wakeUp: yield* WakeUp,
          lease: makeWorkerLease(
            { store, crypto, readClock: makeClockJumpDetector(forwardJumpMillis(settings.leaseMillis)) },
            settings.leaseMillis
          ),
          handlers,
          logHandlerFailure: makeFailureLog("A handler of events failed. The event is tried again.", Effect.logWarning),
          // Two ticks at the same time can claim two events of one handler.
          boundedRequests: (subscriber, request) =>
            (handlers.has(subscriber) ? callsOfHandler : requestsToWebhook)(subscriber, request),
          circuitBreakers,
          deletedSubscriptions: makeDeletedSubscriptions(store),
          warnNoSink: logWarningOnce(
            "Event deliveries to webhooks are pending, but this process has no `EventSink` and sends none of them. Provide `WebhookSink.layer()` of `@mailkeep/webhooks`."
          )
        }
        // As in the dispatcher, ticks leave the lease of the worker to the next tick.
        yield* Effect.addFinalizer(() => deps.lease.releaseIdle)
        return {
          tick: tick(deps),
          distribute: distributeAll(deps),
          run: run(deps),
          // The handler gets only events of the kinds that it selects.
          subscribe: (name, handler, kinds) => subscribe(deps, name, handler as EventHandler, kinds ?? eventKinds),
          unsubscribe: (name) => unsubscribe(deps, name)
        }
      })
    )
}
