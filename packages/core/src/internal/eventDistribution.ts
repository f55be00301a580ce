/**
 * Distributes events: creates an event delivery for each subscriber that wants an event.
 */
import { Clock, Effect, Result } from "effect"
import type { Subscriber } from "../decide/event/distributeEvents.ts"
import { distributeEvents } from "../decide/event/distributeEvents.ts"
import { subscriptionsMax } from "../decide/event/subscription.ts"
import type { ProjectId } from "../domain/access/Project.ts"
import { allProjects } from "../domain/event/Subscription.ts"
import { webhooksMax } from "../domain/webhook/Webhook.ts"
import type { EventRecord } from "../domain/event/EventRecord.ts"
import type { IdSource } from "../port/IdSource.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import type { Commit } from "./commit.ts"
import { knownFirst } from "./knownFacts.ts"

/** How many events are read at once. */
const distributedAtOnce = 50

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
const loadEvents = ({ store }: EventDistribution) =>
  Effect.map(store.read([{ _tag: "UndistributedEvents", limit: distributedAtOnce }]), ([events]) => events)

/** Distributes events of one project in one commit. Repeats within bounds when another process distributes the same events. */
const distributeOf = (deps: EventDistribution, projectId: ProjectId, events: ReadonlyArray<EventRecord>) => {
  const { ids, commit } = deps
  const loaded = Effect.map(loadEvents(deps), (found) => found.filter((one) => one.projectId === projectId))
  const load = Effect.zipWith(
    knownFirst(Effect.succeed(events), loaded),
    loadSubscribers(deps, projectId),
    (events, subscribers) => ({ events, subscribers })
  )
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const block = yield* ids.reserve(now, distributedAtOnce * (webhooksMax + subscriptionsMax))
    return yield* commit(load, (facts) => Result.succeed(distributeEvents({ ...facts, now, ids: block })), "bounded")
  })
}

const distributeBatch = (deps: EventDistribution, events: ReadonlyArray<EventRecord>) =>
  Effect.gen(function* () {
    const byProject = Map.groupBy(events, ({ projectId }) => projectId)
    const counts = yield* Effect.forEach(byProject, ([projectId, own]) => distributeOf(deps, projectId, own), {
      concurrency: "unbounded"
    })
    return counts.reduce((sum, count) => sum + count, 0)
  })

/** Distributes one batch and returns its number of events. The events of each project are a commit of their own. */
export const distribute = (deps: EventDistribution): Effect.Effect<number, StoreUnavailable> =>
  Effect.flatMap(loadEvents(deps), (events) => distributeBatch(deps, events))

/** Distributes all events so far to the current subscribers. A subscriber that is created afterwards gets none of these events. */
export const distributeAll = (deps: EventDistribution): Effect.Effect<number, StoreUnavailable> =>
  Effect.gen(function* () {
    let distributed = 0
    while (true) {
      const events = yield* loadEvents(deps)
      if (events.length === 0) return distributed
      distributed += yield* distributeBatch(deps, events)
    }
  })
