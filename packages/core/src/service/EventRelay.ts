/**
 * Brings events to their consumers: a push for each that wants it, and tries until it is taken or given up. Each consumer has its own few
 * pushes under way, so one that is slow or dead holds up no other. Source: decisions 0016 and 0028.
 */
import { Clock, Context, Duration, Effect, FiberSet, Layer, Option, Result } from "effect"
import type { Scope } from "effect"
import type { Consumer } from "../decide/distributeEvents.ts"
import { distributeEvents } from "../decide/distributeEvents.ts"
import type { PushEnding } from "../decide/settlePush.ts"
import type { DefinitionOf } from "../domain/Definition.ts"
import type { EventBody } from "../domain/EventBody.ts"
import type { EventPush } from "../domain/EventPush.ts"
import { idAt } from "../domain/Id.ts"
import { secondMillis } from "../domain/Instant.ts"
import type { EventKind } from "../domain/MailEvent.ts"
import { eventKinds } from "../domain/MailEvent.ts"
import type { ProjectId } from "../domain/Project.ts"
import { everyProject, webhooksMax } from "../domain/Webhook.ts"
import { makeClockWatch } from "../internal/clockWatch.ts"
import type { ConsumerConditions } from "../internal/consumerConditions.ts"
import { makeConsumerConditions } from "../internal/consumerConditions.ts"
import { decideAndCommit } from "../internal/decideAndCommit.ts"
import type { EventHandler, Pushing } from "../internal/pushing.ts"
import { pushOnce, tryWebhook } from "../internal/pushing.ts"
import type { WorkerLease } from "../internal/workerLease.ts"
import { clockToleranceMillis, makeWorkerLease } from "../internal/workerLease.ts"
import { underLease, undeterred } from "../internal/workLoop.ts"
import { Crypto } from "../port/Crypto.ts"
import { EventSink } from "../port/EventSink.ts"
import { IdSource } from "../port/IdSource.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"
import { Secrets } from "./Secrets.ts"
import { WorkSignal } from "./WorkSignal.ts"

export type { PushEnding } from "../decide/settlePush.ts"
export type { EventHandler, ToldEvent } from "../internal/pushing.ts"

export interface EventRelayOptions {
  /** Pushes under way at once, for each webhook; one that has failed ten times on end gets a single one, now and then. */
  readonly perWebhook: number
  readonly leaseMillis: number
  /**
   * How long a shutdown waits for pushes under way. Those that are not done then are interrupted, and stay pending: due now, without an attempt
   * counted, for the next worker.
   */
  readonly graceMillis: number
  /** The longest sleep: what another process did is noticed after this at the latest. */
  readonly sleepMillisMax: number
}

export const defaultEventRelayOptions: EventRelayOptions = {
  perWebhook: 16,
  leaseMillis: 30 * secondMillis,
  graceMillis: 5 * secondMillis,
  sleepMillisMax: 15 * secondMillis
}

/** How many events and pushes one step dealt with. */
export interface RelayReport {
  readonly distributed: number
  readonly pushed: number
}

/** Events in one commit. */
const distributedAtOnce = 50
const subscriptionsMax = 100

interface Parts extends Pushing {
  readonly settings: EventRelayOptions
  readonly ids: IdSource["Service"]
  readonly signal: WorkSignal["Service"]
  readonly lease: WorkerLease
  readonly handlers: Map<string, EventHandler>
  readonly conditions: ConsumerConditions
}

const consumersIn = ({ store }: Parts, projectId: ProjectId) =>
  Effect.map(
    store.read([
      { _tag: "Definitions", projectId, kind: "webhook", parent: "", after: null, limit: webhooksMax },
      {
        _tag: "Definitions",
        projectId: everyProject,
        kind: "subscription",
        parent: "",
        after: null,
        limit: subscriptionsMax
      }
    ]),
    ([webhooks, subscriptions]) => [...webhooks, ...subscriptions] as ReadonlyArray<Consumer>
  )

/** One batch; answers how many events it was. Another process may do the same: then this one looks again, within bounds. */
const distribute = (on: Parts): Effect.Effect<number, StoreUnavailable> => {
  const { store, ids } = on
  const load = Effect.gen(function* () {
    const [events] = yield* store.read([{ _tag: "UndistributedEvents", limit: distributedAtOnce }])
    const projects = [...new Set(events.map(({ projectId }) => projectId))]
    const consumers = yield* Effect.forEach(projects, (id) =>
      Effect.map(consumersIn(on, id), (found) => [id, found] as const)
    )
    return { events, consumers: new Map(consumers) }
  })
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const block = yield* ids.reserve(now, distributedAtOnce * (webhooksMax + subscriptionsMax))
    return yield* decideAndCommit(store, load, ({ events, consumers }) => {
      const { changes } = distributeEvents(events, { now, ids: block, consumersOf: (id) => consumers.get(id) ?? [] })
      return Result.succeed({ changes, answer: events.length })
    })
  })
}

/** How many more pushes of a consumer may begin; handlers get their events one at a time, in their order. */
const roomFor = ({ handlers, sink, settings, conditions }: Parts, consumer: string): number => {
  if (handlers.has(consumer)) return conditions.room(consumer, 1)
  return sink !== null && consumer.startsWith("whk_") ? conditions.room(consumer, settings.perWebhook) : 0
}

/** A push from its start to its end. Only webhooks are left in peace: a handler's events wait for their own turn. */
const pushing = (on: Parts, push: EventPush): Effect.Effect<unknown> => {
  const { conditions, handlers, lease } = on
  const { consumer } = push
  const once = pushOnce(on, push, ({ _tag }, now) => {
    if (_tag === "Impossible" || _tag === "Postponed" || handlers.has(consumer)) return
    if (_tag === "Taken") conditions.took(consumer)
    else conditions.failed(consumer, now)
  })
  return Effect.ensuring(
    lease.holding(push, once),
    Effect.sync(() => conditions.ended(consumer))
  )
}

interface Started {
  readonly started: number
  readonly nextDue: number | null
}

/** Claims what is due, within each consumer's room, and starts it. */
const startDue = (
  on: Parts,
  start: (work: Effect.Effect<unknown>) => Effect.Effect<unknown>
): Effect.Effect<Started, StoreUnavailable> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const [pending] = yield* on.store.read([{ _tag: "PendingPushes", now }])
    const waiting = pending.filter(({ consumer }) => roomFor(on, consumer) > 0)
    const dueOf = ({ consumer, dueAt }: (typeof pending)[number]) =>
      Math.max(dueAt, on.conditions.pausedUntil(consumer, now))
    const claimed = yield* Effect.forEach(
      waiting.filter((one) => dueOf(one) <= now),
      ({ consumer }) => on.lease.claimPushes(consumer, roomFor(on, consumer)),
      { concurrency: "unbounded" }
    )
    for (const push of claimed.flat()) {
      on.conditions.began(push.consumer)
      yield* start(pushing(on, push))
    }
    const later = waiting.map(dueOf).filter((dueAt) => dueAt > now)
    return { started: claimed.flat().length, nextDue: later.length === 0 ? null : Math.min(...later) }
  })

/** Gives each event so far its consumers as they stand: one that is made afterwards is told of none of them. */
const distributeAll = (on: Parts): Effect.Effect<number, StoreUnavailable> =>
  Effect.gen(function* () {
    let distributed = 0
    for (let some = yield* distribute(on); some > 0; some = yield* distribute(on)) distributed += some
    return distributed
  })

const tick = (on: Parts): Effect.Effect<RelayReport, StoreUnavailable> =>
  Effect.gen(function* () {
    yield* Effect.forkScoped(on.lease.heartbeat)
    const distributed = yield* distributeAll(on)
    let pushed = 0
    while (true) {
      const works: Array<Effect.Effect<unknown>> = []
      const { started } = yield* startDue(on, (work) => Effect.sync(() => works.push(work)))
      if (started === 0) return { distributed, pushed }
      pushed += started
      yield* Effect.all(works, { concurrency: "unbounded", discard: true })
    }
  }).pipe(Effect.scoped)

const loop = (on: Parts) =>
  Effect.gen(function* () {
    const { settings, signal } = on
    const wake = yield* signal.subscribeToEvents
    const underWay = yield* FiberSet.make<unknown, never>()
    // Runs before their own interruption: what is under way gets its grace first.
    yield* Effect.addFinalizer(() =>
      Effect.timeoutOption(FiberSet.awaitEmpty(underWay), Duration.millis(settings.graceMillis))
    )
    return yield* undeterred(
      "The relay",
      Effect.gen(function* () {
        yield* wake.close
        const distributed = yield* distribute(on)
        const { started, nextDue } = yield* startDue(on, (work) =>
          FiberSet.run(underWay, Effect.ensuring(work, wake.open))
        )
        if (distributed + started > 0) return
        const now = yield* Clock.currentTimeMillis
        const millis = Math.min(settings.sleepMillisMax, Math.max(1, (nextDue ?? Number.MAX_SAFE_INTEGER) - now))
        yield* Effect.timeoutOption(wake.await, Duration.millis(millis))
      })
    )
  })

const run = (on: Parts): Effect.Effect<never> => underLease(on, on.signal.notifyOfEvents, loop(on))

const subscribe = Effect.fn("EventRelay.subscribe")(function* (
  on: Parts,
  name: string,
  handler: EventHandler,
  kinds: ReadonlyArray<EventKind>
) {
  const { store, ids } = on
  const named = { _tag: "DefinitionNamed", projectId: everyProject, kind: "subscription", parent: "", name } as const
  const [known] = yield* store.read([named])
  if (known === null) yield* distributeAll(on)
  const now = yield* Clock.currentTimeMillis
  const block = yield* ids.reserve(now, 1)
  const id = yield* decideAndCommit(store, store.read([named]), ([found]) => {
    const standing = found as DefinitionOf<"subscription"> | null
    const definition: DefinitionOf<"subscription"> = {
      id: standing?.id ?? idAt(block, "sub", 0),
      projectId: everyProject,
      kind: "subscription",
      parent: "",
      name,
      content: { events: kinds },
      createdAt: standing?.createdAt ?? now,
      updatedAt: now,
      revision: (standing?.revision ?? 0) + 1
    }
    const same = standing !== null && String(standing.content.events) === String(kinds)
    return Result.succeed({
      answer: definition.id,
      changes: same ? [] : [{ _tag: "PutDefinition", definition, replaces: standing?.revision ?? null } as const]
    })
  })
  yield* Effect.acquireRelease(
    Effect.sync(() => on.handlers.set(id, handler)),
    () => Effect.sync(() => on.handlers.delete(id))
  )
  yield* on.signal.notifyOfEvents
})

export class EventRelay extends Context.Service<
  EventRelay,
  {
    /** One step for hosts without a loop: distributes what was appended, tries what is due, and waits for it. */
    readonly tick: Effect.Effect<RelayReport, StoreUnavailable>
    /** Runs until interrupted; then takes nothing more, waits for pushes under way and gives its lease back. */
    readonly run: Effect.Effect<never>
    /**
     * Registers a durable consumer of every project's events, and its handler while the scope lasts. It gets each event at least once from
     * its first registration on, one at a time, also what happened while nobody ran it; one that fails comes again, first after 1 s, then
     * twice as long each time up to 5 min.
     */
    readonly subscribe: (
      name: string,
      handler: EventHandler,
      kinds?: ReadonlyArray<EventKind>
    ) => Effect.Effect<void, StoreUnavailable, Scope.Scope>
    /** Gives each event so far its consumers as they stand: a webhook that is made afterwards is told of none of them. */
    readonly distribute: Effect.Effect<number, StoreUnavailable>
    /** Tries a webhook once with an event made for the purpose; nothing of it is kept. */
    readonly probe: (webhook: DefinitionOf<"webhook">, body: EventBody, id: string) => Effect.Effect<PushEnding>
  }
>()("@mailkeep/core/service/EventRelay") {
  static readonly layerWith = (options: Partial<EventRelayOptions> = {}) =>
    Layer.effect(
      EventRelay,
      Effect.gen(function* () {
        const settings = { ...defaultEventRelayOptions, ...options }
        const store = yield* MailStore
        const crypto = yield* Crypto
        const on: Parts = {
          settings,
          store,
          ids: yield* IdSource,
          crypto,
          decrypt: (yield* Secrets).vault("webhook").decrypt,
          sink: Option.getOrNull(yield* Effect.serviceOption(EventSink)),
          signal: yield* WorkSignal,
          lease: makeWorkerLease(
            { store, crypto, readClock: makeClockWatch(clockToleranceMillis(settings.leaseMillis)) },
            settings.leaseMillis
          ),
          handlers: new Map(),
          conditions: makeConsumerConditions()
        }
        return {
          tick: tick(on),
          distribute: distributeAll(on),
          run: run(on),
          subscribe: (name, handler, kinds = eventKinds) => subscribe(on, name, handler, kinds),
          probe: (webhook, body, id) => tryWebhook(on, webhook, { id: id as EventPush["id"] }, body)
        }
      })
    )
}
