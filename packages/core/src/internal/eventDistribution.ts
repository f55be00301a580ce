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
import type { IdSource } from "../port/IdSource.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import type { Commit } from "./commit.ts"

/** How many events one commit distributes. */
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

/** Distributes one batch and returns its number of events. Repeats within bounds when another process distributes the same events. */
export const distribute = (deps: EventDistribution): Effect.Effect<number, StoreUnavailable> => {
  const { store, ids, commit } = deps
  const load = Effect.gen(function* () {
    const [events] = yield* store.read([{ _tag: "UndistributedEvents", limit: distributedAtOnce }])
    const projects = [...new Set(events.map(({ projectId }) => projectId))]
    const subscribers = yield* Effect.forEach(projects, (id) =>
      Effect.map(loadSubscribers(deps, id), (found) => [id, found] as const)
    )
    return { events, subscribers: new Map(subscribers) }
  })
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const block = yield* ids.reserve(now, distributedAtOnce * (webhooksMax + subscriptionsMax))
    return yield* commit(load, (facts) => Result.succeed(distributeEvents({ ...facts, now, ids: block })), "bounded")
  })
}

/** Distributes all events so far to the current subscribers. A subscriber that is created afterwards gets none of these events. */
export const distributeAll = (deps: EventDistribution): Effect.Effect<number, StoreUnavailable> =>
  Effect.gen(function* () {
    let distributed = 0
    for (let count = yield* distribute(deps); count > 0; count = yield* distribute(deps)) distributed += count
    return distributed
  })
