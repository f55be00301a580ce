/**
 * Creates the subscription of an in-process subscriber, changes its kinds of events, or deletes it. Source: decision 0028.
 */
import { Result } from "effect"
import type { EventKind } from "../../domain/event/MailEvent.ts"
import type { ValidSubscription } from "../../domain/event/SubscriptionInput.ts"
import type { ResourceOf } from "../../domain/store/Resource.ts"
import { TooManyRecords } from "../../domain/store/RecordFailure.ts"
import type { IdBlock } from "../../domain/value/Id.ts"
import { idAt } from "../../domain/value/Id.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import { allProjects } from "../../domain/event/Subscription.ts"
import type { Decision } from "../store/Decision.ts"
import { unchanged } from "../store/Decision.ts"

export interface SubscriptionFacts {
  readonly now: Instant
  readonly ids: IdBlock
  /** The subscription with this name. */
  readonly existing: ResourceOf<"subscription"> | null
  /** The number of all subscriptions. */
  readonly count: number
}

/** The maximum number of subscriptions. */
export const subscriptionsMax = 100

const isSame = (a: ReadonlyArray<EventKind>, b: ReadonlyArray<EventKind>): boolean =>
  a.length === b.length && a.every((kind, n) => kind === b[n])

/**
 * Writes nothing when the subscription exists with these kinds. The answer is the id of the subscription. Fails when the subscription is new
 * and there are 100 subscriptions.
 */
export const ensureSubscription = (
  { name, kinds }: ValidSubscription,
  { now, ids, existing, count }: SubscriptionFacts
): Result.Result<Decision<string>, TooManyRecords> => {
  if (existing !== null && isSame(existing.content.events, kinds)) return Result.succeed(unchanged(existing.id))
  if (existing === null && count >= subscriptionsMax)
    return Result.fail(new TooManyRecords({ record: "subscription", max: subscriptionsMax, owner: "program" }))
  const resource: ResourceOf<"subscription"> = {
    id: existing?.id ?? idAt(ids, "sub", 0),
    projectId: allProjects,
    kind: "subscription",
    parent: "",
    name,
    content: { events: kinds },
    createdAt: existing?.createdAt ?? now,
    updatedAt: now,
    revision: (existing?.revision ?? 0) + 1
  }
  return Result.succeed({
    answer: resource.id,
    changes: [{ _tag: "PutResource", resource, replaces: existing?.revision ?? null }]
  })
}

/** Deletes the subscription. The answer is its id, or `null` when there is none. */
export const deleteSubscription = (existing: ResourceOf<"subscription"> | null): Decision<string | null> =>
  existing === null
    ? unchanged(null)
    : {
        answer: existing.id,
        changes: [{ _tag: "RemoveResource", projectId: allProjects, id: existing.id, revision: existing.revision }]
      }
