/**
 * Sends events to their subscribers. Creates an event delivery for each matching subscriber and attempts it until the subscriber accepts the
 * event or the retries end. Each subscriber has its own limit of event deliveries under way, so that a slow subscriber does not delay the
 * others. Source: decisions 0016 and 0028.
 */
import { Clock, Context, Duration, Effect, FiberSet, Layer, Option, Result } from "effect"
import type { Scope } from "effect"
import type { Subscriber } from "../decide/distributeEvents.ts"
import { distributeEvents } from "../decide/distributeEvents.ts"
import type { EventDeliveryResult } from "../decide/finishEventDelivery.ts"
import type { ResourceOf } from "../domain/Resource.ts"
import type { EventBody } from "../domain/EventBody.ts"
import type { EventDelivery } from "../domain/EventDelivery.ts"
import { idAt } from "../domain/Id.ts"
import { secondMillis } from "../domain/Instant.ts"
import type { EventKind } from "../domain/MailEvent.ts"
import { eventKinds } from "../domain/MailEvent.ts"
import type { ProjectId } from "../domain/Project.ts"
import { allProjects, webhooksMax } from "../domain/Webhook.ts"
import { makeClockWatch } from "../internal/clockWatch.ts"
import type { CircuitBreakers } from "../internal/circuitBreaker.ts"
import { makeCircuitBreakers } from "../internal/circuitBreaker.ts"
import { decideAndCommit } from "../internal/decideAndCommit.ts"
import type { EventHandler, EventSending } from "../internal/eventSending.ts"
import { attemptEventDelivery, sendToWebhook } from "../internal/eventSending.ts"
import type { WorkerLease } from "../internal/workerLease.ts"
import { clockToleranceMillis, makeWorkerLease } from "../internal/workerLease.ts"
import { underLease, undeterred } from "../internal/workLoop.ts"
import { Crypto } from "../port/Crypto.ts"
import { EventSink } from "../port/EventSink.ts"
import { IdSource } from "../port/IdSource.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"
import { Secrets } from "./Secrets.ts"
import { WakeUp } from "./WakeUp.ts"

export type { EventDeliveryResult } from "../decide/finishEventDelivery.ts"
export type { EventHandler, HandledEvent } from "../internal/eventSending.ts"

export interface EventRelayOptions {
  /** At most so many event deliveries at once for each webhook. A webhook that failed 10 times in a row gets one at a time, with pauses. */
  readonly perWebhook: number
  readonly leaseMillis: number
  /**
   * How long a shutdown waits for event deliveries under way. It then interrupts them. An interrupted event delivery stays pending and due,
   * without a counted attempt.
   */
  readonly graceMillis: number
  /** The longest sleep. A commit of another process is noticed after this time at the latest. */
  readonly sleepMillisMax: number
}

export const defaultEventRelayOptions: EventRelayOptions = {
  perWebhook: 16,
  leaseMillis: 30 * secondMillis,
  graceMillis: 5 * secondMillis,
  sleepMillisMax: 15 * secondMillis
}

/** How many events one step distributed, and how many event deliveries it attempted. */
export interface RelayReport {
  readonly distributed: number
  readonly attempted: number
}

/** How many events one commit distributes. */
const distributedAtOnce = 50
const subscriptionsMax = 100

interface Deps extends EventSending {
  readonly settings: EventRelayOptions
  readonly ids: IdSource["Service"]
  readonly signal: WakeUp["Service"]
  readonly lease: WorkerLease
  readonly handlers: Map<string, EventHandler>
  readonly circuitBreakers: CircuitBreakers
}

const subscribersIn = ({ store }: Deps, projectId: ProjectId) =>
  Effect.map(
    store.read([
      { _tag: "Resources", projectId, kind: "webhook", parent: "", after: null, limit: webhooksMax },
      {
        _tag: "Resources",
        projectId: allProjects,
        kind: "subscription",
        parent: "",
        after: null,
        limit: subscriptionsMax
      }
    ]),
    ([webhooks, subscriptions]) => [...webhooks, ...subscriptions] as ReadonlyArray<Subscriber>
  )

/** Distributes one batch and returns its number of events. Repeats within bounds when another process distributes the same events. */
const distribute = (deps: Deps): Effect.Effect<number, StoreUnavailable> => {
  const { store, ids } = deps
  const load = Effect.gen(function* () {
    const [events] = yield* store.read([{ _tag: "UndistributedEvents", limit: distributedAtOnce }])
    const projects = [...new Set(events.map(({ projectId }) => projectId))]
    const subscribers = yield* Effect.forEach(projects, (id) =>
      Effect.map(subscribersIn(deps, id), (found) => [id, found] as const)
    )
    return { events, subscribers: new Map(subscribers) }
  })
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const block = yield* ids.reserve(now, distributedAtOnce * (webhooksMax + subscriptionsMax))
    return yield* decideAndCommit(store, load, ({ events, subscribers }) => {
      const { changes } = distributeEvents(events, {
        now,
        ids: block,
        subscribersOf: (id) => subscribers.get(id) ?? []
      })
      return Result.succeed({ changes, answer: events.length })
    })
  })
}

/** How many more event deliveries of a subscriber may start. A handler gets its events one at a time, in order. */
const capacityFor = ({ handlers, sink, settings, circuitBreakers }: Deps, subscriber: string): number => {
  if (handlers.has(subscriber)) return circuitBreakers.capacity(subscriber, 1)
  return sink !== null && subscriber.startsWith("whk_") ? circuitBreakers.capacity(subscriber, settings.perWebhook) : 0
}

/** Runs one event delivery from its start to its end. Only webhooks are paused after failures: for a handler, the retry schedule is enough. */
const runEventDelivery = (deps: Deps, eventDelivery: EventDelivery): Effect.Effect<unknown> => {
  const { circuitBreakers, handlers, lease } = deps
  const { subscriber } = eventDelivery
  const once = attemptEventDelivery(deps, eventDelivery, ({ _tag }, now) => {
    if (_tag === "NotAttempted" || _tag === "Postponed" || handlers.has(subscriber)) return
    if (_tag === "Accepted") circuitBreakers.succeeded(subscriber)
    else circuitBreakers.failed(subscriber, now)
  })
  return Effect.ensuring(
    lease.workOn(eventDelivery, once),
    Effect.sync(() => circuitBreakers.ended(subscriber))
  )
}

interface Started {
  readonly started: number
  readonly nextDue: number | null
}

/** Claims the due event deliveries within the capacity of each subscriber, and starts them. */
const startDue = (
  deps: Deps,
  start: (work: Effect.Effect<unknown>) => Effect.Effect<unknown>
): Effect.Effect<Started, StoreUnavailable> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const [pending] = yield* deps.store.read([{ _tag: "PendingEventDeliveries", now }])
    const waiting = pending.filter(({ subscriber }) => capacityFor(deps, subscriber) > 0)
    const dueOf = ({ subscriber, dueAt }: (typeof pending)[number]) =>
      Math.max(dueAt, deps.circuitBreakers.pausedUntil(subscriber, now))
    const claimed = yield* Effect.forEach(
      waiting.filter((one) => dueOf(one) <= now),
      ({ subscriber }) => deps.lease.claimEventDeliveries(subscriber, capacityFor(deps, subscriber)),
      { concurrency: "unbounded" }
    )
    for (const eventDelivery of claimed.flat()) {
      deps.circuitBreakers.started(eventDelivery.subscriber)
      yield* start(runEventDelivery(deps, eventDelivery))
    }
    const later = waiting.map(dueOf).filter((dueAt) => dueAt > now)
    return { started: claimed.flat().length, nextDue: later.length === 0 ? null : Math.min(...later) }
  })

/** Distributes all events so far to the current subscribers. A subscriber that is created afterwards gets none of these events. */
const distributeAll = (deps: Deps): Effect.Effect<number, StoreUnavailable> =>
  Effect.gen(function* () {
    let distributed = 0
    for (let count = yield* distribute(deps); count > 0; count = yield* distribute(deps)) distributed += count
    return distributed
  })

const tick = (deps: Deps): Effect.Effect<RelayReport, StoreUnavailable> =>
  Effect.gen(function* () {
    yield* Effect.forkScoped(deps.lease.heartbeat)
    const distributed = yield* distributeAll(deps)
    let attempted = 0
    while (true) {
      const works: Array<Effect.Effect<unknown>> = []
      const { started } = yield* startDue(deps, (work) => Effect.sync(() => works.push(work)))
      if (started === 0) return { distributed, attempted }
      attempted += started
      yield* Effect.all(works, { concurrency: "unbounded", discard: true })
    }
  }).pipe(Effect.scoped)

const loop = (deps: Deps) =>
  Effect.gen(function* () {
    const { settings, signal } = deps
    const wake = yield* signal.subscribeToEvents
    const underWay = yield* FiberSet.make<unknown, never>()
    // This finalizer runs before the fibers are interrupted, so that event deliveries under way get the grace time.
    yield* Effect.addFinalizer(() =>
      Effect.timeoutOption(FiberSet.awaitEmpty(underWay), Duration.millis(settings.graceMillis))
    )
    return yield* undeterred(
      "The event relay",
      Effect.gen(function* () {
        yield* wake.close
        const distributed = yield* distribute(deps)
        const { started, nextDue } = yield* startDue(deps, (work) =>
          FiberSet.run(underWay, Effect.ensuring(work, wake.open))
        )
        if (distributed + started > 0) return
        const now = yield* Clock.currentTimeMillis
        const millis = Math.min(settings.sleepMillisMax, Math.max(1, (nextDue ?? Number.MAX_SAFE_INTEGER) - now))
        yield* Effect.timeoutOption(wake.await, Duration.millis(millis))
      })
    )
  })

const run = (deps: Deps): Effect.Effect<never> => underLease(deps, deps.signal.notifyEvents, loop(deps))

const subscribe = Effect.fn("EventRelay.subscribe")(function* (
  deps: Deps,
  name: string,
  handler: EventHandler,
  kinds: ReadonlyArray<EventKind>
) {
  const { store, ids } = deps
  const named = { _tag: "ResourceNamed", projectId: allProjects, kind: "subscription", parent: "", name } as const
  const [existing] = yield* store.read([named])
  if (existing === null) yield* distributeAll(deps)
  const now = yield* Clock.currentTimeMillis
  const block = yield* ids.reserve(now, 1)
  const id = yield* decideAndCommit(store, store.read([named]), ([found]) => {
    const existing = found as ResourceOf<"subscription"> | null
    const resource: ResourceOf<"subscription"> = {
      id: existing?.id ?? idAt(block, "sub", 0),
      projectId: allProjects,
      kind: "subscription",
      parent: "",
      name,
      content: { events: kinds },
      createdAt: existing?.createdAt ?? now,
      updatedAt: now,
      revision: (existing?.revision ?? 0) + 1
    }
    const same = existing !== null && String(existing.content.events) === String(kinds)
    return Result.succeed({
      answer: resource.id,
      changes: same ? [] : [{ _tag: "PutResource", resource, replaces: existing?.revision ?? null } as const]
    })
  })
  yield* Effect.acquireRelease(
    Effect.sync(() => deps.handlers.set(id, handler)),
    () => Effect.sync(() => deps.handlers.delete(id))
  )
  yield* deps.signal.notifyEvents
})

export class EventRelay extends Context.Service<
  EventRelay,
  {
    /** One step for hosts without a loop. Distributes new events, attempts the due event deliveries and waits for their end. */
    readonly tick: Effect.Effect<RelayReport, StoreUnavailable>
    /** Runs until interrupted. Then claims no more event deliveries, waits for those under way and ends the lease. */
    readonly run: Effect.Effect<never>
    /**
     * Registers a durable subscriber of the events of all projects, and its handler while the scope lasts. The handler gets each event after
     * the first registration at least once, one at a time. Events that happen while no handler is registered are sent later. A failed event
     * is retried after 1 s, then after twice the time, at most 5 min.
     */
    readonly subscribe: (
      name: string,
      handler: EventHandler,
      kinds?: ReadonlyArray<EventKind>
    ) => Effect.Effect<void, StoreUnavailable, Scope.Scope>
    /** Distributes all events so far to the current subscribers. A webhook that is created afterwards gets none of these events. */
    readonly distribute: Effect.Effect<number, StoreUnavailable>
    /** Sends a test event to a webhook once. Stores nothing. */
    readonly sendTest: (
      webhook: ResourceOf<"webhook">,
      body: EventBody,
      id: string
    ) => Effect.Effect<EventDeliveryResult>
  }
>()("@mailkeep/core/service/EventRelay") {
  static readonly layerWith = (options: Partial<EventRelayOptions> = {}) =>
    Layer.effect(
      EventRelay,
      Effect.gen(function* () {
        const settings = { ...defaultEventRelayOptions, ...options }
        const store = yield* MailStore
        const crypto = yield* Crypto
        const deps: Deps = {
          settings,
          store,
          ids: yield* IdSource,
          crypto,
          decrypt: (yield* Secrets).vault("webhook").decrypt,
          sink: Option.getOrNull(yield* Effect.serviceOption(EventSink)),
          signal: yield* WakeUp,
          lease: makeWorkerLease(
            { store, crypto, readClock: makeClockWatch(clockToleranceMillis(settings.leaseMillis)) },
            settings.leaseMillis
          ),
          handlers: new Map(),
          circuitBreakers: makeCircuitBreakers()
        }
        return {
          tick: tick(deps),
          distribute: distributeAll(deps),
          run: run(deps),
          subscribe: (name, handler, kinds = eventKinds) => subscribe(deps, name, handler, kinds),
          sendTest: (webhook, body, id) => sendToWebhook(deps, webhook, { id: id as EventDelivery["id"] }, body)
        }
      })
    )
}
