/**
 * Cancels and reschedules a scheduled message. The change applies to all of its deliveries or to none. Source: interface, Delivery status; decision 0008.
 */
import { Result } from "effect"
import type { DomainScope } from "../domain/ApiKey.ts"
import { isInScope } from "../domain/ApiKey.ts"
import type { Change } from "../domain/Change.ts"
import type { Delivery } from "../domain/Delivery.ts"
import {
  InvalidArgument,
  MessageNotFound,
  MessageNotScheduled,
  PlanLimitReached,
  SenderOutsideScope
} from "../domain/Failure.ts"
import type { DeliveryId, IdBlock, MessageId } from "../domain/Id.ts"
import { idAt } from "../domain/Id.ts"
import { idempotencyExpiry } from "../domain/Idempotency.ts"
import type { Instant } from "../domain/Instant.ts"
import { utcDayOf } from "../domain/Instant.ts"
import { issue } from "../domain/Issue.ts"
import type { Message } from "../domain/Message.ts"
import type { Plan } from "../domain/Plan.ts"
import { dailyCounter, fits } from "../domain/Plan.ts"
import { windowIssue } from "../domain/SendingWindow.ts"
import type { Decision } from "./Decision.ts"
import { settled } from "./Decision.ts"
import { applyTransition, transitionChanges, spendCounters } from "./transition.ts"

export interface MessageFacts {
  readonly now: Instant
  /** The domain scope of the caller. An API key cannot change a message of a domain outside its scope. */
  readonly domainScope: DomainScope
  readonly ids: IdBlock
  readonly plan: Plan
  readonly message: Message | null
  readonly deliveries: ReadonlyArray<Delivery>
}

export interface CanceledMessage {
  readonly messageId: MessageId
  readonly canceledAt: Instant
  readonly deliveryIds: ReadonlyArray<DeliveryId>
}

export interface RescheduledMessage {
  readonly messageId: MessageId
  readonly scheduledAt: Instant
  readonly deliveryIds: ReadonlyArray<DeliveryId>
}

const idsOf = (deliveries: ReadonlyArray<Delivery>) => deliveries.map(({ id }) => id)

/** Returns a delivery that does not have the status, if there is one. */
const findWithout = (deliveries: ReadonlyArray<Delivery>, status: Delivery["status"]) =>
  deliveries.find((delivery) => delivery.status !== status)

export const cancelMessage = (
  messageId: string,
  { now, domainScope, ids, plan, message, deliveries }: MessageFacts
): Result.Result<Decision<CanceledMessage>, SenderOutsideScope | MessageNotFound | MessageNotScheduled> => {
  if (message === null) return Result.fail(new MessageNotFound({ messageId }))
  if (!isInScope(domainScope, message.domain)) return Result.fail(new SenderOutsideScope({ domain: message.domain }))
  const canceledAt = deliveries[0]?.canceledAt
  if (canceledAt !== undefined && canceledAt !== null && findWithout(deliveries, "canceled") === undefined)
    return Result.succeed(settled({ messageId: message.id, canceledAt, deliveryIds: idsOf(deliveries) }))
  const left = findWithout(deliveries, "scheduled")
  if (left !== undefined) return Result.fail(new MessageNotScheduled({ messageId: message.id, deliveryId: left.id }))
  const transitions = deliveries.map((delivery) => applyTransition(delivery, "CancelRequested", now))
  return Result.succeed({
    answer: { messageId: message.id, canceledAt: now, deliveryIds: idsOf(deliveries) },
    changes: [
      ...transitions.flatMap((transition, index) => transitionChanges(transition, now, idAt(ids, "evt", index))),
      ...spendCounters(
        message.projectId,
        transitions.flatMap(({ spends }) => spends),
        plan
      )
    ]
  })
}

/** Reschedules a message. `usedThatDay` is the daily count of the UTC day of the new time. */
export const rescheduleMessage = (
  { messageId, scheduledAt }: { readonly messageId: string; readonly scheduledAt: Instant },
  { now, domainScope, ids, plan, message, deliveries, usedThatDay }: MessageFacts & { readonly usedThatDay: number }
): Result.Result<
  Decision<RescheduledMessage>,
  SenderOutsideScope | InvalidArgument | MessageNotFound | MessageNotScheduled | PlanLimitReached
> => {
  if (message !== null && !isInScope(domainScope, message.domain))
    return Result.fail(new SenderOutsideScope({ domain: message.domain }))
  const outsideWindow = windowIssue(scheduledAt, now)
  if (outsideWindow !== undefined) return Result.fail(new InvalidArgument({ context: "body", issues: [outsideWindow] }))
  if (message === null) return Result.fail(new MessageNotFound({ messageId }))
  const left = findWithout(deliveries, "scheduled")
  if (left !== undefined) return Result.fail(new MessageNotScheduled({ messageId: message.id, deliveryId: left.id }))

  if (message.expiresAt !== null && message.expiresAt <= scheduledAt) {
    const expired = issue(["scheduledAt"], "too_far_ahead", "must be before the message expires")
    return Result.fail(new InvalidArgument({ context: "body", issues: [expired] }))
  }

  const day = utcDayOf(scheduledAt)
  const moving = deliveries.filter(({ countedDay }) => countedDay !== day)
  if (moving.length > 0 && !fits(plan.dailySends, usedThatDay, moving.length))
    return Result.fail(new PlanLimitReached({ code: "daily_sending_limit_exceeded" }))
  const spends = moving.flatMap(({ countedDay }) => [
    { name: dailyCounter(countedDay!), by: -1 },
    { name: dailyCounter(day), by: 1 }
  ])
  const extended: Change = {
    _tag: "ExtendIdempotency",
    projectId: message.projectId,
    key: message.idempotencyKey,
    expiresAt: idempotencyExpiry(message.createdAt, scheduledAt)
  }
  return Result.succeed({
    answer: { messageId: message.id, scheduledAt, deliveryIds: idsOf(deliveries) },
    changes: [
      ...deliveries.flatMap((delivery, index) =>
        transitionChanges(
          applyTransition(delivery, "Rescheduled", now, { scheduledAt, dueAt: scheduledAt, countedDay: day }),
          now,
          idAt(ids, "evt", index)
        )
      ),
      ...spendCounters(message.projectId, spends, plan),
      extended
    ]
  })
}
