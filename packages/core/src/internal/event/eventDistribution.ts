/**
 * Distributes events: creates an event delivery for each subscriber that wants an event.
 */
import { Effect, Result } from "effect"
import type { Distributed, DistributionFacts, UndistributedEvent } from "../../decide/event/distributeEvents.ts"
import { distributeEvents } from "../../decide/event/distributeEvents.ts"
import { subscriptionsMax } from "../../decide/event/subscription.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { EventRecord } from "../../domain/event/EventRecord.ts"
import { allProjects } from "../../domain/event/Subscription.ts"
import { advanceBlock } from "../../domain/value/Id.ts"
import { webhooksMax } from "../../domain/webhook/Webhook.ts"
import type { IdSource } from "../../port/IdSource.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import { clockFacts } from "../store/clockFacts.ts"
import type { Commit } from "../store/commit.ts"
import { knownFirst } from "../store/knownFacts.ts"

/** How many events are read at once. */
const distributedAtOnce = 50

/**
 * Subscribers that are read for an event: twice the limits. No guard of a commit has the number of records, so that creations at the same time can
 * exceed a limit. The webhooks above it would push others out of the newest 50, and these would get no events.
 */
const webhooksReadMax = 2 * webhooksMax
const subscriptionsReadMax = 2 * subscriptionsMax

/** The most event deliveries of one event. */
const subscribersMax = webhooksReadMax + subscriptionsReadMax

/** What the distribution of events needs. */
export interface EventDistributionDeps {
  readonly store: MailStoreShape
  readonly ids: IdSource["Service"]
  readonly commit: Commit
}

const loadSubscribers = ({ store }: EventDistributionDeps, projectId: ProjectId) =>
  Effect.map(
    store.read([
      { _tag: "Resources", projectId, kind: "webhook", parent: "", after: null, limit: webhooksReadMax },
      {
        _tag: "Resources",
        projectId: allProjects,
        kind: "subscription",
        parent: "",
        after: null,
        limit: subscriptionsReadMax
      }
    ]),
    ([webhooks, subscriptions]) => [...webhooks, ...subscriptions]
  )

/** The query for the oldest events of all projects that are not distributed yet. */
export const undistributedEvents = { _tag: "UndistributedEvents", limit: distributedAtOnce } as const

/** Reserves the ids of the event deliveries. */
const batchOf = ({ ids }: EventDistributionDeps, events: ReadonlyArray<EventRecord>) =>
  Effect.gen(function* () {
    const { now, ids: block } = yield* clockFacts(ids, Math.max(1, events.length) * subscribersMax)
    return {
      now,
      events: events.map((event, n): UndistributedEvent => ({ event, ids: advanceBlock(block, n * subscribersMax) }))
    }
  })

type Batch = Effect.Success<ReturnType<typeof batchOf>>

const loadEvents = (deps: EventDistributionDeps): Effect.Effect<Batch, StoreUnavailable> =>
  Effect.flatMap(deps.store.read([undistributedEvents]), ([events]) => batchOf(deps, events))

const ofProject = ({ now, events }: Batch, projectId: ProjectId): Batch => ({
  now,
  events: events.filter(({ event }) => event.projectId === projectId)
})

const loadFacts = (
  deps: EventDistributionDeps,
  projectId: ProjectId,
  events: Effect.Effect<Batch, StoreUnavailable>
): Effect.Effect<DistributionFacts, StoreUnavailable> =>
  Effect.zipWith(events, loadSubscribers(deps, projectId), (loaded, subscribers) => ({
    ...ofProject(loaded, projectId),
    subscribers
  }))

const decide = (facts: DistributionFacts) => Result.succeed(distributeEvents(facts))

/** Distributes the events of one project in one commit. Repeats within bounds when another process distributes the same events. */
const distributeOf = (deps: EventDistributionDeps, projectId: ProjectId, batch: Batch) =>
  deps.commit(loadFacts(deps, projectId, knownFirst(Effect.succeed(batch), loadEvents(deps))), decide, "bounded")

/** Distributes the events of one project, or returns `null` when another process distributes the same events. */
const distributeOnce = (deps: EventDistributionDeps, projectId: ProjectId, batch: Batch) =>
  Effect.catchTag(deps.commit(loadFacts(deps, projectId, Effect.succeed(batch)), decide, "once"), "Conflict", () =>
    Effect.succeed(null)
  )

/** Distributes the events of each project in a commit of its own. */
const distributeBatch = <A>(
  deps: EventDistributionDeps,
  batch: Batch,
  distributeProject: (
    deps: EventDistributionDeps,
    projectId: ProjectId,
    batch: Batch
  ) => Effect.Effect<A, StoreUnavailable>
): Effect.Effect<ReadonlyArray<A>, StoreUnavailable> =>
  Effect.forEach(
    new Set(batch.events.map(({ event }) => event.projectId)),
    (projectId) => distributeProject(deps, projectId, batch),
    { concurrency: "unbounded" }
  )

/** What became of a batch of events. */
export interface DistributedBatch extends Distributed {
  /** Another process distributes some of the same events. */
  readonly isContended: boolean
  /** More events may wait than the batch could have. */
  readonly isFull: boolean
}

/** Distributes events of `undistributedEvents`, except those that another process distributes at the same time. */
export const distribute = (
  deps: EventDistributionDeps,
  events: ReadonlyArray<EventRecord>
): Effect.Effect<DistributedBatch, StoreUnavailable> =>
  Effect.gen(function* () {
    const isFull = events.length === distributedAtOnce
    if (events.length === 0) return { distributed: 0, eventDeliveries: 0, isContended: false, isFull }
    const results = yield* distributeBatch(deps, yield* batchOf(deps, events), distributeOnce)
    const ended = results.filter((result) => result !== null)
    return {
      distributed: ended.reduce((sum, { distributed }) => sum + distributed, 0),
      eventDeliveries: ended.reduce((sum, { eventDeliveries }) => sum + eventDeliveries, 0),
      isContended: results.includes(null),
      isFull
    }
  })

/** Distributes all events so far to the current subscribers. A subscriber that is created afterwards gets none of these events. */
export const distributeAll = (deps: EventDistributionDeps): Effect.Effect<number, StoreUnavailable> =>
  Effect.gen(function* () {
    let distributed = 0
    while (true) {
      const batch = yield* loadEvents(deps)
      if (batch.events.length === 0) return distributed
      const results = yield* distributeBatch(deps, batch, distributeOf)
      distributed += results.reduce((sum, result) => sum + result.distributed, 0)
    }
  })
