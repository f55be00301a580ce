/**
 * Carries out one row of the delivery table: the delivery's next state, what the row costs, and the event it appends.
 * Which trigger fires is for the deciders.
 */
import { Result } from "effect"
import type { Change } from "../domain/Change.ts"
import type { Delivery, DeliveryState } from "../domain/Delivery.ts"
import { deliveryState } from "../domain/Delivery.ts"
import { step } from "../domain/DeliveryMachine.ts"
import type { DeliveryRow, DeliveryStatus, Trigger } from "../domain/DeliveryTable.ts"
import { emittedBy } from "../domain/DeliveryTable.ts"
import type { EventId } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import type { CounterName, Plan } from "../domain/Plan.ts"
import { dailyCounter } from "../domain/Plan.ts"
import type { ProjectId } from "../domain/Project.ts"
import type { SmtpReply } from "../domain/SmtpReply.ts"
import { shownReply } from "../domain/SmtpReply.ts"

export interface Movement {
  readonly before: Delivery
  readonly after: Delivery
  readonly row: DeliveryRow
  /** What to add to each counter. */
  readonly spends: ReadonlyArray<{ readonly name: CounterName; readonly by: number }>
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
    default:
      return {}
  }
}

/** A claim or a lease means something only while the dispatcher still has work to do. */
const holding = (status: DeliveryStatus): Partial<DeliveryState> =>
  status === "sending"
    ? {}
    : status === "scheduled" || status === "queued"
      ? { worker: null }
      : { worker: null, dueAt: null }

interface Accounts {
  readonly state: Partial<DeliveryState>
  readonly spends: Movement["spends"]
}

/** The row's line in the ledger of decision 0015. A refund gives back exactly what the delivery still holds. */
const accounts = (delivery: Delivery, row: DeliveryRow, now: Instant): Accounts => {
  const spends: Array<{ readonly name: CounterName; readonly by: number }> = []
  let state: Partial<DeliveryState> = {}
  const refund = row.refunds === true && !delivery.reachedRelay
  if (row.ledger?.waiting !== undefined) spends.push({ name: "waiting", by: row.ledger.waiting })
  if (row.ledger?.allowance === 1) {
    spends.push({ name: "allowance", by: 1 })
    state = { ...state, chargedAt: now }
  } else if (refund && delivery.chargedAt !== null) {
    spends.push({ name: "allowance", by: -1 })
    state = { ...state, chargedAt: null }
  }
  if (row.ledger?.daily === 1 && delivery.countedDay !== null) {
    spends.push({ name: dailyCounter(delivery.countedDay), by: 1 })
  } else if ((row.ledger?.daily === -1 || refund) && delivery.countedDay !== null) {
    spends.push({ name: dailyCounter(delivery.countedDay), by: -1 })
    state = { ...state, countedDay: null }
  }
  return { state, spends }
}

/**
 * The movement of a delivery by a trigger. `patch` is what the decider knows besides. A trigger that the table does not know for
 * the delivery's status is a mistake in the decider, and thrown.
 */
export const move = (
  before: Delivery,
  on: Trigger,
  now: Instant,
  patch: Partial<DeliveryState> = {},
  from: DeliveryRow["from"] = before.status
): Movement => {
  const row = Result.getOrThrow(step(from, on, before.reason))
  const { state, spends } = accounts(before, row, now)
  const after: Delivery = {
    ...before,
    reason: row.reason ?? null,
    ...timestamps(row.to, before, now),
    ...holding(row.to),
    ...state,
    ...patch,
    status: row.to,
    token: before.token + 1,
    sequence: before.sequence + (emittedBy(row, before.sequence) === undefined ? 0 : 1)
  }
  return { before, after, row, spends }
}

/** A claim believed a clock that has been set back since: the delivery waits on, and nobody holds it. */
export const isNotYetDue = ({ dueAt }: Delivery, now: Instant): boolean => dueAt !== null && dueAt > now

/** The event of a movement, when its row emits one. */
export const movementEvent = (
  { before, after, row }: Movement,
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
          smtpCode: reply?.code ?? null,
          enhancedCode: reply?.enhancedCode ?? null,
          message: reply === null ? after.statusMessage : shownReply(reply)
        }
      }
    }
  ]
}

/** The change that writes a movement, and its event. */
export const movementChanges = (
  movement: Movement,
  now: Instant,
  eventId: EventId,
  reply: SmtpReply | null = null
): ReadonlyArray<Change> => {
  const { before, after } = movement
  return [
    { _tag: "MoveDelivery", id: before.id, from: before.status, token: before.token, next: deliveryState(after) },
    ...movementEvent(movement, now, eventId, reply)
  ]
}

/** The limit of the plan that a counter is held against. */
const limitOf = (plan: Plan, name: CounterName): number | null =>
  name === "waiting"
    ? plan.scheduledRecipients
    : name === "allowance"
      ? plan.sendingAllowance
      : name === "contacts"
        ? plan.contacts
        : plan.dailySends

/** One change for each counter that the spends move. */
export const spendCounters = (
  projectId: ProjectId,
  spends: ReadonlyArray<{ readonly name: CounterName; readonly by: number }>,
  plan: Plan
): ReadonlyArray<Change> => {
  const sums = new Map<CounterName, number>()
  for (const { name, by } of spends) sums.set(name, (sums.get(name) ?? 0) + by)
  return [...sums].flatMap(([name, by]): ReadonlyArray<Change> =>
    by === 0 ? [] : [{ _tag: "SpendCounter", projectId, name, by, max: by > 0 ? limitOf(plan, name) : null }]
  )
}
