/**
 * Cancels and reschedules a scheduled message. The change applies to all of its deliveries or to none. Source: docs/spec/coverage.md S3; decision 0008.
 */
import { Result } from "effect"
import type { DomainScope } from "../../domain/access/ApiKey.ts"
import { isInScope } from "../../domain/access/ApiKey.ts"
import { isErased } from "../../domain/contact/addressRedaction.ts"
import type { Change } from "../../domain/store/Change.ts"
import type { Delivery } from "../../domain/delivery/Delivery.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import { MessageNotFound, MessageNotScheduled } from "../../domain/message/MessageFailure.ts"
import { PlanLimitReached } from "../../domain/plan/PlanFailure.ts"
import { SenderOutsideScope } from "../../domain/access/AccessFailure.ts"
import type { DeliveryId, IdBlock, MessageId } from "../../domain/value/Id.ts"
import { idAt } from "../../domain/value/Id.ts"
import { idempotencyExpiry } from "../../domain/message/Idempotency.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import { utcDayOf } from "../../domain/value/Instant.ts"
import { issue } from "../../domain/value/Issue.ts"
import type { Message } from "../../domain/message/Message.ts"
import { idempotencyKeyOf } from "../../domain/message/Message.ts"
import type { Plan } from "../../domain/plan/Plan.ts"
import { dailyCounter, excessOf } from "../../domain/plan/Plan.ts"
import { windowIssue } from "../../domain/message/SendingWindow.ts"
import type { Decision } from "../store/Decision.ts"
import { invalidInput, unchanged } from "../store/Decision.ts"
import { applyTransition, transitionChanges } from "../delivery/transition.ts"
import { addToCounters } from "../plan/usageChange.ts"

export interface CancelMessage {
  readonly messageId: string
  /** The domain scope of the caller. An API key cannot change a message of a domain outside its scope. */
  readonly domainScope: DomainScope
}

export interface RescheduleMessage extends CancelMessage {
  readonly scheduledAt: Instant
}

export interface ScheduledMessageFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly message: Message | null
  readonly deliveries: ReadonlyArray<Delivery>
}

export interface RescheduleFacts extends ScheduledMessageFacts {
  readonly plan: Plan
  /** The daily count of the UTC day of the new time. */
  readonly usedThatDay: number
}

/** What a cancellation returns. */
export interface CanceledMessage {
  readonly messageId: MessageId
  /** In UTC milliseconds. A repeat of the cancellation gets the first time. */
  readonly canceledAt: Instant
  readonly deliveryIds: ReadonlyArray<DeliveryId>
}

/** What a change of the scheduled time returns. */
export interface RescheduledMessage {
  readonly messageId: MessageId
  /** The new time, in UTC milliseconds. */
  readonly scheduledAt: Instant
  readonly deliveryIds: ReadonlyArray<DeliveryId>
}

const idsOf = (deliveries: ReadonlyArray<Delivery>) => deliveries.map(({ id }) => id)

/**
 * The deliveries that decide whether a message is scheduled or canceled. The erasure of a person has canceled the delivery to this person alone, and
 * the message stays one for its other recipients.
 */
const withoutErased = (deliveries: ReadonlyArray<Delivery>): ReadonlyArray<Delivery> => {
  const others = deliveries.filter((delivery) => !(isErased(delivery) && delivery.status === "canceled"))
  return others.length === 0 ? deliveries : others
}

/** Returns a delivery that does not have the status, if there is one. */
const findWithout = (deliveries: ReadonlyArray<Delivery>, status: Delivery["status"]) =>
  deliveries.find((delivery) => delivery.status !== status)

/**
 * Cancels all deliveries of a message. The decision for a message that is already canceled changes nothing. It only gives back what was counted,
 * so it needs no plan.
 */
export const cancelMessage = (
  { messageId, domainScope }: CancelMessage,
  { now, ids, message, deliveries }: ScheduledMessageFacts
): Result.Result<Decision<CanceledMessage>, SenderOutsideScope | MessageNotFound | MessageNotScheduled> => {
  if (message === null) return Result.fail(new MessageNotFound({ messageId }))
  if (!isInScope(domainScope, message.domain)) return Result.fail(new SenderOutsideScope({ domain: message.domain }))
  const others = withoutErased(deliveries)
  const canceledAt = others[0]?.canceledAt
  if (canceledAt !== undefined && canceledAt !== null && findWithout(others, "canceled") === undefined)
    return Result.succeed(unchanged({ messageId: message.id, canceledAt, deliveryIds: idsOf(deliveries) }))
  const left = findWithout(others, "scheduled")
  if (left !== undefined) return Result.fail(new MessageNotScheduled({ messageId: message.id, deliveryId: left.id }))
  const transitions = others.map((delivery) => applyTransition(delivery, "CancelRequested", now))
  return Result.succeed({
    answer: { messageId: message.id, canceledAt: now, deliveryIds: idsOf(deliveries) },
    changes: [
      ...transitions.flatMap((transition, index) => transitionChanges(transition, now, idAt(ids, "evt", index))),
      ...addToCounters(
        message.projectId,
        transitions.flatMap(({ counterChanges }) => counterChanges)
      )
    ]
  })
}

/** Reschedules all deliveries of a message, and moves their daily counts to the new UTC day. */
export const rescheduleMessage = (
  { messageId, domainScope, scheduledAt }: RescheduleMessage,
  { now, ids, plan, message, deliveries, usedThatDay }: RescheduleFacts
): Result.Result<
  Decision<RescheduledMessage>,
  SenderOutsideScope | InvalidArgument | MessageNotFound | MessageNotScheduled | PlanLimitReached
> => {
  if (message !== null && !isInScope(domainScope, message.domain))
    return Result.fail(new SenderOutsideScope({ domain: message.domain }))
  const outsideWindow = windowIssue(scheduledAt, now)
  if (outsideWindow !== undefined) return invalidInput([outsideWindow])
  if (message === null) return Result.fail(new MessageNotFound({ messageId }))
  const others = withoutErased(deliveries)
  const left = findWithout(others, "scheduled")
  if (left !== undefined) return Result.fail(new MessageNotScheduled({ messageId: message.id, deliveryId: left.id }))

  if (message.expiresAt !== null && message.expiresAt <= scheduledAt) {
    const expired = issue(["scheduledAt"], "too_far_ahead", "must be before the message expires")
    return invalidInput([expired])
  }

  const day = utcDayOf(scheduledAt)
  const moving = others.filter(({ countedDay }) => countedDay !== day)
  const excess = moving.length === 0 ? undefined : excessOf(plan.dailySends, usedThatDay, moving.length)
  if (excess !== undefined) return Result.fail(new PlanLimitReached({ code: "daily_sending_limit_exceeded", excess }))
  const counterChanges = moving.flatMap(({ countedDay }) => [
    { name: dailyCounter(countedDay!), by: -1 },
    { name: dailyCounter(day), by: 1 }
  ])
  const key = idempotencyKeyOf(message)
  const extended: ReadonlyArray<Change> =
    key === null
      ? []
      : [
          {
            _tag: "ExtendIdempotency",
            projectId: message.projectId,
            key,
            expiresAt: idempotencyExpiry(message.createdAt, scheduledAt)
          }
        ]
  return Result.succeed({
    answer: { messageId: message.id, scheduledAt, deliveryIds: idsOf(deliveries) },
    changes: [
      ...others.flatMap((delivery, index) =>
        transitionChanges(
          applyTransition(delivery, "Rescheduled", now, { scheduledAt, dueAt: scheduledAt, countedDay: day }),
          now,
          idAt(ids, "evt", index)
        )
      ),
      ...addToCounters(message.projectId, counterChanges, plan),
      ...extended
    ]
  })
}
