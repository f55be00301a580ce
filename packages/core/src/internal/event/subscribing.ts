/**
 * Registers the handlers of this process as subscribers of events, and deletes subscriptions. Source: decision 0028.
 */
import { Effect, Result } from "effect"
import { deleteSubscription, ensureSubscription } from "../../decide/event/subscription.ts"
import type { EventKind } from "../../domain/event/MailEvent.ts"
import { allProjects } from "../../domain/event/Subscription.ts"
import { parseSubscription, parseSubscriptionName } from "../../domain/event/SubscriptionInput.ts"
import type { DeletedSubscriptions } from "./deletedSubscriptions.ts"
import type { EventDistributionDeps } from "./eventDistribution.ts"
import { distributeAll } from "./eventDistribution.ts"
import type { EventHandler, RegisteredHandler } from "./eventHandler.ts"
import { resourceOfKind, resourcesOf } from "../store/resources.ts"
import { validated } from "../validated.ts"
import type { WakeUpChannel } from "../worker/workLoop.ts"

/** What subscriptions need. */
export interface SubscribingDeps extends EventDistributionDeps {
  /** By the id of the subscription. */
  readonly handlers: Map<string, RegisteredHandler>
  readonly deletedSubscriptions: DeletedSubscriptions
  readonly wakeUp: { readonly events: Pick<WakeUpChannel, "notify"> }
}

const subscriptionsOf = (deps: SubscribingDeps) => resourcesOf(deps, "subscription")

/** Stores the subscription, and registers its handler while the scope lasts. */
export const subscribe = Effect.fn("EventSender.subscribe")(function* (
  deps: SubscribingDeps,
  name: string,
  handler: EventHandler,
  kinds: ReadonlyArray<EventKind>
) {
  const input = yield* validated(parseSubscription, { name, kinds, handler })
  const load = Effect.map(yield* subscriptionsOf(deps).newFacts(allProjects, input.name), ({ named, ...facts }) => ({
    ...facts,
    existing: resourceOfKind(named, "subscription")
  }))
  // A new subscription gets no event from before its registration.
  if ((yield* load).existing === null) yield* distributeAll(deps)
  const id = yield* deps.commit(load, (facts) => ensureSubscription(input, facts), "bounded")
  // Another object for each registration, because a program can register one function twice.
  const registered: RegisteredHandler = { name: input.name, kinds: input.kinds, handle: handler }
  yield* Effect.acquireRelease(
    Effect.sync(() => deps.handlers.set(id, registered)),
    () => Effect.sync(() => deps.handlers.get(id) === registered && deps.handlers.delete(id))
  )
  yield* deps.wakeUp.events.notify
})

/** Deletes the subscription of this name, if there is one. The event sender then drops the events that wait for its handler. */
export const unsubscribe = Effect.fn("EventSender.unsubscribe")(function* (deps: SubscribingDeps, name: string) {
  const input = yield* validated(parseSubscriptionName, { name })
  const id = yield* deps.commit(
    deps.store.read([subscriptionsOf(deps).named(allProjects, input.name)]),
    ([named]) => Result.succeed(deleteSubscription(resourceOfKind(named, "subscription"))),
    "bounded"
  )
  if (id === null) return
  deps.handlers.delete(id)
  deps.deletedSubscriptions.add(id)
  yield* deps.wakeUp.events.notify
})
