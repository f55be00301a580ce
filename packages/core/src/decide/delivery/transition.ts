/**
 * Applies one row of the delivery table: the next state of the delivery, the counter changes and the event.
 * The decisions choose the trigger.
 */
import { Result } from "effect"
import type { Change } from "../../domain/store/Change.ts"
import type { Delivery, DeliveryState } from "../../domain/delivery/Delivery.ts"
import { deliveryState } from "../../domain/delivery/Delivery.ts"
import { step } from "../../domain/delivery/DeliveryMachine.ts"
import type { DeliveryRow } from "../../domain/delivery/DeliveryRow.ts"
import type { DeliveryStatus } from "../../domain/delivery/DeliveryStatus.ts"
import type { Trigger } from "../../domain/delivery/DeliveryTable.ts"
import { emittedBy } from "../../domain/delivery/DeliveryRow.ts"
import type { EventId } from "../../domain/value/Id.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import { secondMillis } from "../../domain/value/Instant.ts"
import { dailyCounter } from "../../domain/plan/Plan.ts"
import type { SmtpReply } from "../../domain/delivery/SmtpReply.ts"
import { shownReply } from "../../domain/delivery/SmtpReply.ts"
import type { UsageChange } from "../plan/usageChange.ts"
import { addToCounters } from "../plan/usageChange.ts"

export interface Transition {
  readonly before: Delivery
  readonly after: Delivery
  readonly row: DeliveryRow
  /** The amounts to add to counters. */
  readonly counterChanges: ReadonlyArray<UsageChange>
}

const timestamps = (status: DeliveryStatus, delivery: Delivery, now: Instant): Partial<DeliveryState> => {
  switch (status) {
    case "canceled":
      return { canceledAt: now }
    case "accepted":
      return { acceptedAt: delivery.acceptedAt ?? now }
    case "delivered":
      return { acceptedAt: delivery.acceptedAt ?? now, deliveredAt: now }
    case "bounced":
      return { bouncedAt: now }
    case "complained":
      return { complainedAt: now }
    case "failed":
      return { failedAt: now }
    case "suppressed":
      return { suppressedAt: now }
    default:
      return {}
  }
}

/** Clears the claim, and also `dueAt` if the dispatcher has no more work for the delivery. */
const claimFields = (status: DeliveryStatus): Partial<DeliveryState> =>
  status === "sending"
    ? {}
    : status === "scheduled" || status === "queued"
      ? { worker: null }
      : { worker: null, dueAt: null }

/** A difference between the clocks of two processes, or a step back of the clock, up to this size makes no retry due early. */
const retrySkewMillis = 30 * secondMillis

/**
 * The same for a delivery that is due at once. It is small, because such a delivery can wait for so long. Without it, a claim whose clock is only a
 * millisecond behind would look for deliveries that were due before the clock was set back.
 */
const immediateSkewMillis = secondMillis

/** When `dueAt` was set, by the clock. A time that the sender chose is awaited by the wall clock alone. Source: decision 0044. */
const dueSetAtOf = (
  { dueSetAt }: Delivery,
  status: DeliveryStatus,
  dueAt: Instant | null | undefined,
  now: Instant
): Instant | null =>
  status === "scheduled" || dueAt === null
    ? null
    : dueAt === undefined
      ? dueSetAt
      : dueAt <= now
        ? dueAt - immediateSkewMillis
        : now - retrySkewMillis

interface UsageEffect {
  readonly state: Partial<DeliveryState>
  readonly counterChanges: Transition["counterChanges"]
}

/** Computes the counter changes of a row (decision 0015, the counters for each delivery). A refund returns exactly what the delivery was charged and counted. */
const usageEffect = (delivery: Delivery, row: DeliveryRow, now: Instant): UsageEffect => {
  const counterChanges: Array<UsageChange> = []
  let state: Partial<DeliveryState> = {}
  const refund = row.refunds === true && !delivery.reachedRelay
  if (row.counters?.scheduledRecipients !== undefined)
    counterChanges.push({ name: "scheduledRecipients", by: row.counters.scheduledRecipients })
  if (row.counters?.allowance === 1) {
    counterChanges.push({ name: "allowance", by: 1 })
    state = { ...state, chargedAt: now }
  } else if (refund && delivery.chargedAt !== null) {
    counterChanges.push({ name: "allowance", by: -1 })
    state = { ...state, chargedAt: null }
  }
  if (row.counters?.daily === 1 && delivery.countedDay !== null) {
    counterChanges.push({ name: dailyCounter(delivery.countedDay), by: 1 })
  } else if ((row.counters?.daily === -1 || refund) && delivery.countedDay !== null) {
    counterChanges.push({ name: dailyCounter(delivery.countedDay), by: -1 })
    state = { ...state, countedDay: null }
  }
  return { state, counterChanges }
}

/**
 * Applies a trigger to a delivery. `patch` contains additional fields from the decision.
 * Throws if the table has no row for the status and the trigger, because this is an error in the decision.
 */
export const applyTransition = (
  before: Delivery,
  trigger: Trigger,
  now: Instant,
  patch: Partial<DeliveryState> = {},
  from: DeliveryRow["from"] = before.status
): Transition => {
  const row = Result.getOrThrow(step(from, trigger, before.reason))
  const { state, counterChanges } = usageEffect(before, row, now)
  const changed = { ...claimFields(row.to), ...patch }
  const after: Delivery = {
    ...before,
    reason: row.reason ?? null,
    ...timestamps(row.to, before, now),
    ...state,
    ...changed,
    dueSetAt: dueSetAtOf(before, row.to, changed.dueAt, now),
    status: row.to,
    fencingToken: before.fencingToken + 1,
    sequence: before.sequence + (emittedBy(row, before.sequence) === undefined ? 0 : 1)
  }
  return { before, after, row, counterChanges }
}

/** Returns the event of a transition, if its row emits one. */
export const transitionEvent = (
  { before, after, row }: Transition,
  now: Instant,
  eventId: EventId,
  reply: SmtpReply | null = null
): ReadonlyArray<Change> => {
  const kind = emittedBy(row, before.sequence)
  if (kind === undefined) return []
  return [
    {
      _tag: "AppendEvent",
      event: {
        id: eventId,
        projectId: after.projectId,
        occurredAt: now,
        kind,
        data: {
          deliveryId: after.id,
          messageId: after.messageId,
          recipient: after.recipient,
          contactId: after.contactId,
          status: after.status,
          previousStatus: row.from === "none" ? null : before.status,
          reason: after.reason,
          sequence: after.sequence,
          bounceType: after.bounceType,
          smtpCode: reply?.smtpCode ?? null,
          enhancedCode: reply?.enhancedCode ?? null,
          message: reply === null ? after.statusMessage : shownReply(reply)
        }
      }
    }
  ]
}

/** Returns the change that writes a transition, and its event, if any. */
export const transitionChanges = (
  transition: Transition,
  now: Instant,
  eventId: EventId,
  reply: SmtpReply | null = null
): ReadonlyArray<Change> => {
  const { before, after } = transition
  return [
    {
      _tag: "TransitionDelivery",
      projectId: before.projectId,
      id: before.id,
      from: before.status,
      fencingToken: before.fencingToken,
      next: deliveryState(after)
    },
    ...transitionEvent(transition, now, eventId, reply)
  ]
}

/**
 * Returns the changes of a transition that cannot exceed a limit: it adds nothing to a counter, or gives back what was counted.
 */
export const transitionAndRefunds = (
  transition: Transition,
  now: Instant,
  eventId: EventId,
  reply: SmtpReply | null = null
): ReadonlyArray<Change> => [
  ...transitionChanges(transition, now, eventId, reply),
  ...addToCounters(transition.before.projectId, transition.counterChanges)
]
