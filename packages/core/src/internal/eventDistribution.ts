/**
 * Distributes events: creates an event delivery for each subscriber that wants an event.
 */
import { Clock, Effect, Result } from "effect"
import type { Subscriber, UndistributedEvent } from "../decide/event/distributeEvents.ts"
import { distributeEvents } from "../decide/event/distributeEvents.ts"
import { subscriptionsMax } from "../decide/event/subscription.ts"
import type { ProjectId } from "../domain/access/Project.ts"
import { allProjects } from "../domain/event/Subscription.ts"
import { advanceBlock } from "../domain/value/Id.ts"
import { webhooksMax } from "../domain/webhook/Webhook.ts"
import type { IdSource } from "../port/IdSource.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import type { Commit } from "./commit.ts"
import { knownFirst } from "./knownFacts.ts"

/** How many events are read at once. */
const distributedAtOnce = 50

/** The most event deliveries of one event. */
const subscribersMax = webhooksMax + subscriptionsMax

/** What the distribution of events needs. */
export interface EventDistribution {
  readonly store: MailStoreShape
  readonly ids: IdSource["Service"]
  readonly commit: Commit
}

const loadSubscribers = ({ store }: EventDistribution, projectId: ProjectId) =>
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

/** The oldest events of all projects that are not distributed yet. */
const loadEvents = ({ store, ids }: EventDistribution) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const [events] = yield* store.read([{ _tag: "UndistributedEvents", limit: distributedAtOnce }])
    const block = yield* ids.reserve(now, Math.max(1, events.length) * subscribersMax)
    return {
      now,
      events: events.map((event, n): UndistributedEvent => ({ event, ids: advanceBlock(block, n * subscribersMax) }))
    }
  })

type Batch = Effect.Success<ReturnType<typeof loadEvents>>

const ofProject = ({ now, events }: Batch, projectId: ProjectId): Batch => ({
  now,
  events: events.filter(({ event }) => event.projectId === projectId)
})

/** Distributes the events of one project in one commit. Repeats within bounds when another process distributes the same events. */
const distributeOf = (deps: EventDistribution, projectId: ProjectId, batch: Batch) => {
  const events = knownFirst(Effect.succeed(batch), loadEvents(deps))
  const load = Effect.zipWith(events, loadSubscribers(deps, projectId), (loaded, subscribers) => ({
    ...ofProject(loaded, projectId),
    subscribers
  }))
  return deps.commit(load, (facts) => Result.succeed(distributeEvents(facts)), "bounded")
}

const distributeBatch = (deps: EventDistribution, batch: Batch) =>
  Effect.gen(function* () {
    const projects = new Set(batch.events.map(({ event }) => event.projectId))
    const counts = yield* Effect.forEach(projects, (projectId) => distributeOf(deps, projectId, batch), {
      concurrency: "unbounded"
    })
    return counts.reduce((sum, count) => sum + count, 0)
  })

/** Distributes one batch and returns its number of events. The events of each project are a commit of their own. */
export const distribute = (deps: EventDistribution): Effect.Effect<number, StoreUnavailable> =>
  Effect.flatMap(loadEvents(deps), (batch) => distributeBatch(deps, batch))

/** Distributes all events so far to the current subscribers. A subscriber that is created afterwards gets none of these events. */
export const distributeAll = (deps: EventDistribution): Effect.Effect<number, StoreUnavailable> =>
  Effect.gen(function* () {
    let distributed = 0
    while (true) {
      const batch = yield* loadEvents(deps)
      if (batch.events.length === 0) return distributed
      distributed += yield* distributeBatch(deps, batch)
    }
  })
