/**
 * Brings events to their consumers: a push for each that wants it, and tries until it is taken or given up. Each consumer has its own few
 * pushes under way, so one that is slow or dead holds up no other. Source: decisions 0016 and 0028.
 */
import { Clock, Context, Duration, Effect, Exit, FiberSet, Layer, Option, Result, Stream } from "effect"
import type { Scope } from "effect"
import type { Consumer } from "../decide/distributeEvents.ts"
import { distributeEvents } from "../decide/distributeEvents.ts"
import type { PushEnding } from "../decide/settlePush.ts"
import { settlePush } from "../decide/settlePush.ts"
import type { Conflict } from "../domain/Change.ts"
import type { DefinitionOf } from "../domain/Definition.ts"
import type { EventBody } from "../domain/EventBody.ts"
import { eventBody, messageOfEvent } from "../domain/EventBody.ts"
import type { EventPush } from "../domain/EventPush.ts"
import type { EventId } from "../domain/Id.ts"
import { idAt } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import { minuteMillis, secondMillis } from "../domain/Instant.ts"
import type { EventKind } from "../domain/MailEvent.ts"
import { eventKinds } from "../domain/MailEvent.ts"
import type { ProjectId } from "../domain/Project.ts"
import { everyProject, pushDeadlineMillis, webhooksMax } from "../domain/Webhook.ts"
import { decideAndCommit } from "../internal/decideAndCommit.ts"
import { defectName } from "../internal/defectName.ts"
import { persisting } from "../internal/persisting.ts"
import { signedHeaders } from "../internal/webhookSigning.ts"
import type { WorkerLease } from "../internal/workerLease.ts"
import { makeWorkerLease } from "../internal/workerLease.ts"
import { Crypto } from "../port/Crypto.ts"
import type { EventSinkShape } from "../port/EventSink.ts"
import { EventSink } from "../port/EventSink.ts"
import { IdSource } from "../port/IdSource.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"
import { Secrets } from "./Secrets.ts"
import { WorkSignal } from "./WorkSignal.ts"

export type { PushEnding } from "../decide/settlePush.ts"

export interface EventRelayOptions {
  /** Pushes under way at once, for each webhook; one that has failed ten times on end gets a single one, now and then. */
  readonly perWebhook: number
  readonly leaseMillis: number
  /** How long a shutdown waits for pushes under way. */
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

/** An event as a handler gets it. `id` is the same on every try. */
export interface ToldEvent extends EventBody {
  readonly id: EventId
  readonly projectId: ProjectId
}

/** Takes an event, or fails to; then it is told again later. */
export type EventHandler = (event: ToldEvent) => Effect.Effect<void, unknown>

/** How many events and pushes one step dealt with. */
export interface RelayReport {
  readonly distributed: number
  readonly pushed: number
}

/** After so many failures on end a consumer is left in peace for a while: 1 s, then twice as long each time up to a minute. */
const failuresOnEndMax = 10
const pauseMillisMax = minuteMillis

/** Events in one commit. */
const distributedAtOnce = 50
const subscriptionsMax = 100

/** What this process knows of a consumer. */
interface Condition {
  readonly underWay: number
  /** Failures since it last took something. */
  readonly failures: number
  /** When it is tried again. */
  readonly pausedUntil: Instant
}

const unknownCondition: Condition = { underWay: 0, failures: 0, pausedUntil: 0 }

interface Parts {
  readonly settings: EventRelayOptions
  readonly store: MailStoreShape
  readonly ids: IdSource["Service"]
  readonly crypto: Crypto["Service"]
  readonly decrypt: (sealed: string) => string | null
  readonly sink: EventSinkShape | null
  readonly signal: WorkSignal["Service"]
  readonly lease: WorkerLease
  /** By the subscription's id. */
  readonly handlers: Map<string, EventHandler>
  /** By consumer. */
  readonly conditions: Map<string, Condition>
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

/** One batch; answers how many events it was. Another process may be at it: then its commit stands, and this one looks again. */
const distribute = (on: Parts): Effect.Effect<number, StoreUnavailable> =>
  Effect.gen(function* () {
    const { store, ids } = on
    const now = yield* Clock.currentTimeMillis
    const [events] = yield* store.read([{ _tag: "UndistributedEvents", limit: distributedAtOnce }])
    if (events.length === 0) return 0
    const projects = [...new Set(events.map(({ projectId }) => projectId))]
    const consumers = new Map(
      yield* Effect.forEach(projects, (id) => Effect.map(consumersIn(on, id), (found) => [id, found] as const))
    )
    const block = yield* ids.reserve(now, distributedAtOnce * (webhooksMax + subscriptionsMax))
    const { changes } = distributeEvents(events, { now, ids: block, consumersOf: (id) => consumers.get(id) ?? [] })
    yield* Effect.catchTag(store.commit(changes), "Conflict", () => Effect.void)
    return events.length
  })

const standing = (on: Parts, { eventId, projectId, consumer }: EventPush) =>
  Effect.gen(function* () {
    const [event, found] = yield* on.store.read([
      { _tag: "Event", id: eventId },
      { _tag: "Definition", projectId, id: consumer }
    ])
    const messageId = event === null ? undefined : messageOfEvent(event)
    const [message] =
      messageId === undefined ? [null] : yield* on.store.read([{ _tag: "Message", projectId, id: messageId }])
    return {
      body: event === null ? null : eventBody(event, message),
      webhook: found?.kind === "webhook" ? found : null
    }
  })

const lost = (error: string): PushEnding => ({ _tag: "Lost", error })
const impossible = (error: string): PushEnding => ({ _tag: "Impossible", error })

/** Tries once; no failure of a consumer is one of ours. */
const tryWebhook = (
  { sink, crypto, decrypt }: Parts,
  { content }: DefinitionOf<"webhook">,
  push: Pick<EventPush, "id">,
  body: EventBody
): Effect.Effect<PushEnding> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const secrets = content.secrets.flatMap(({ encrypted, until }) =>
      until === null || until > now ? [decrypt(encrypted)] : []
    )
    if (sink === null) return lost("no_sink")
    if (secrets.length === 0 || secrets.includes(null)) return impossible("secret_unreadable")
    const text = JSON.stringify(body)
    const headers = signedHeaders(crypto, secrets as ReadonlyArray<string>, {
      id: push.id,
      timestamp: Math.floor(now / secondMillis),
      body: text
    })
    const pushing = sink.push({ id: push.id, endpoint: content.url, headers, body: new TextEncoder().encode(text) })
    return yield* pushing.pipe(
      Effect.catch(({ reason }) => Effect.succeed(lost(reason))),
      Effect.catchDefect(() => Effect.succeed(lost("sink_failed"))),
      Effect.timeoutOption(Duration.millis(pushDeadlineMillis)),
      Effect.map(Option.getOrElse(() => lost("timeout")))
    )
  })

const trySubscription = (handler: EventHandler, push: EventPush, body: EventBody): Effect.Effect<PushEnding> =>
  Effect.map(
    Effect.exit(Effect.suspend(() => handler({ id: push.eventId, projectId: push.projectId, ...body }))),
    (exit): PushEnding => (Exit.isSuccess(exit) ? { _tag: "Taken", status: null } : lost("handler_failed"))
  )

const tried = (on: Parts, push: EventPush): Effect.Effect<PushEnding, StoreUnavailable> =>
  Effect.gen(function* () {
    const { body, webhook } = yield* standing(on, push)
    if (body === null) return impossible("event_gone")
    const handler = on.handlers.get(push.consumer)
    if (handler !== undefined) return yield* trySubscription(handler, push, body)
    if (webhook === null) return impossible("webhook_gone")
    if (webhook.content.status === "disabled") return impossible("webhook_disabled")
    return yield* tryWebhook(on, webhook, push, body)
  })

/** Tries a claimed push once and writes down what came of it. */
const pushOnce = (on: Parts, push: EventPush): Effect.Effect<void> => {
  const { store } = on
  return Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeMillis
    const ending = yield* Effect.catch(tried(on, push), ({ reason }) => Effect.succeed(lost(`store_${reason}`)))
    noted(on, push.consumer, ending, yield* Clock.currentTimeMillis)
    yield* persisting(
      Effect.gen(function* (): Effect.gen.Return<void, Conflict | StoreUnavailable> {
        const { projectId, consumer, id } = push
        const [held, found] = yield* store.read([
          { _tag: "Push", projectId, id },
          { _tag: "Definition", projectId, id: consumer }
        ])
        // Somebody else has it now: what they find is what counts.
        if (held?.token !== push.token || held.status !== "pending") return
        const now = yield* Clock.currentTimeMillis
        const webhook = found?.kind === "webhook" ? found : null
        yield* store.commit(settlePush(ending, { now, startedAt, push: held, webhook }).changes)
      })
    )
  })
}

const conditionOf = (on: Parts, consumer: string): Condition => on.conditions.get(consumer) ?? unknownCondition

const counting = (on: Parts, consumer: string, by: number) => {
  const condition = conditionOf(on, consumer)
  const after = { ...condition, underWay: condition.underWay + by }
  if (after.underWay === 0 && after.failures === 0) on.conditions.delete(consumer)
  else on.conditions.set(consumer, after)
}

/** Remembers how a consumer fares: one that is dead is asked now and then, and costs the others nothing. */
const noted = (on: Parts, consumer: string, { _tag }: PushEnding, now: Instant) => {
  if (_tag === "Impossible" || on.handlers.has(consumer)) return
  const condition = conditionOf(on, consumer)
  const failures = _tag === "Taken" ? 0 : condition.failures + 1
  const over = failures - failuresOnEndMax
  const pausedUntil = over < 0 ? 0 : now + Math.min(pauseMillisMax, secondMillis * 2 ** over)
  on.conditions.set(consumer, { ...condition, failures, pausedUntil })
}

/** How many more pushes of a consumer may begin; handlers get their events one at a time, in their order. */
const roomFor = (on: Parts, consumer: string): number => {
  const { underWay, failures } = conditionOf(on, consumer)
  if (on.handlers.has(consumer)) return 1 - underWay
  if (on.sink === null || !consumer.startsWith("whk_")) return 0
  if (failures >= failuresOnEndMax) return 1 - underWay
  return on.settings.perWebhook - underWay
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
      Math.max(dueAt, conditionOf(on, consumer).pausedUntil)
    const claimed = yield* Effect.forEach(
      waiting.filter((one) => dueOf(one) <= now),
      ({ consumer }) => on.lease.claimPushes(consumer, roomFor(on, consumer)),
      { concurrency: "unbounded" }
    )
    for (const push of claimed.flat()) {
      counting(on, push.consumer, 1)
      const work = on.lease.holding(push, pushOnce(on, push))
      yield* start(
        Effect.ensuring(
          work,
          Effect.sync(() => counting(on, push.consumer, -1))
        )
      )
    }
    const later = waiting.map(dueOf).filter((dueAt) => dueAt > now)
    return { started: claimed.flat().length, nextDue: later.length === 0 ? null : Math.min(...later) }
  })

const tick = (on: Parts): Effect.Effect<RelayReport, StoreUnavailable> =>
  Effect.gen(function* () {
    yield* Effect.forkScoped(on.lease.heartbeat)
    let distributed = 0
    for (let some = yield* distribute(on); some > 0; some = yield* distribute(on)) distributed += some
    let pushed = 0
    while (true) {
      const works: Array<Effect.Effect<unknown>> = []
      const { started } = yield* startDue(on, (work) => Effect.sync(() => works.push(work)))
      if (started === 0) return { distributed, pushed }
      pushed += started
      yield* Effect.all(works, { concurrency: "unbounded", discard: true })
    }
  }).pipe(Effect.scoped)

/** A turn that failed is followed by the next one, whatever it failed with. */
const undeterred = (turn: Effect.Effect<void, StoreUnavailable>): Effect.Effect<never> =>
  turn.pipe(
    Effect.catch(({ reason }) => Effect.delay(Effect.logWarning("The relay waits for the store.", reason), "1 second")),
    Effect.catchDefect((defect) =>
      Effect.delay(Effect.logError("The relay failed and goes on.", defectName(defect)), "1 second")
    ),
    Effect.forever
  )

const loop = (on: Parts) =>
  Effect.gen(function* () {
    const { settings, signal } = on
    const wake = yield* signal.subscribeToEvents
    const pushing = yield* FiberSet.make<unknown, never>()
    // Runs before their own interruption: what is under way gets its grace first.
    yield* Effect.addFinalizer(() =>
      Effect.timeoutOption(FiberSet.awaitEmpty(pushing), Duration.millis(settings.graceMillis))
    )
    return yield* undeterred(
      Effect.gen(function* () {
        yield* wake.close
        const distributed = yield* distribute(on)
        const { started, nextDue } = yield* startDue(on, (work) =>
          FiberSet.run(pushing, Effect.ensuring(work, wake.open))
        )
        if (distributed + started > 0) return
        const now = yield* Clock.currentTimeMillis
        const millis = Math.min(settings.sleepMillisMax, Math.max(1, (nextDue ?? Number.MAX_SAFE_INTEGER) - now))
        yield* Effect.timeoutOption(wake.await, Duration.millis(millis))
      })
    )
  })

const run = (on: Parts): Effect.Effect<never> =>
  Effect.gen(function* () {
    const { lease, store, signal } = on
    yield* Effect.addFinalizer(() => lease.giveBack)
    yield* Effect.forkScoped(lease.heartbeat)
    yield* Effect.forkScoped(Stream.runForEach(store.changes, () => signal.notifyOfEvents))
    return yield* Effect.scoped(loop(on))
  }).pipe(Effect.scoped)

const subscribe = Effect.fn("EventRelay.subscribe")(function* (
  on: Parts,
  name: string,
  handler: EventHandler,
  kinds: ReadonlyArray<EventKind>
) {
  const { store, ids } = on
  const now = yield* Clock.currentTimeMillis
  const block = yield* ids.reserve(now, 1)
  const named = { _tag: "DefinitionNamed", projectId: everyProject, kind: "subscription", parent: "", name } as const
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
          lease: makeWorkerLease(store, crypto, settings.leaseMillis),
          handlers: new Map(),
          conditions: new Map()
        }
        return {
          tick: tick(on),
          run: run(on),
          subscribe: (name, handler, kinds = eventKinds) => subscribe(on, name, handler, kinds),
          probe: (webhook, body, id) => tryWebhook(on, webhook, { id: id as EventPush["id"] }, body)
        }
      })
    )
}
