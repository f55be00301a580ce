/**
 * The shape of a row of the state machine of a delivery.
 */
import type { DeliveryEventKind, DeliveryReason, DeliveryStatus } from "./DeliveryStatus.ts"

/** What a transition of one delivery adds to the project's counters. Source: decision 0015 (the counters for each delivery). */
interface CounterEffect {
  readonly scheduledRecipients?: 1 | -1
  readonly daily?: 1 | -1
  readonly allowance?: 1
}

/** One transition of a delivery: from a status, by a trigger, to a status, with its effects. */
export interface DeliveryRow {
  readonly from: DeliveryStatus | "none"
  /** The row applies only to a delivery with this reason. */
  readonly fromReason?: DeliveryReason
  readonly trigger: string
  readonly to: DeliveryStatus
  readonly reason?: DeliveryReason
  readonly counters?: CounterEffect
  /** The daily count and the allowance are refunded if no attempt reached the relay. */
  readonly refunds?: true
  /** The event of the transition. `email.delayed` is emitted only if the delivery has no event yet. */
  readonly emits?: DeliveryEventKind
  /** The part of the specification, or the decision, that defines the row. */
  readonly source: string
}

/** Returns the kind of event that the row appends. `sequence` is the number of earlier events of the delivery. */
export const emittedBy = ({ emits }: DeliveryRow, sequence: number): DeliveryEventKind | undefined =>
  emits === "email.delayed" && sequence > 0 ? undefined : emits
