/**
 * The state machine of a delivery as data. Each row has a transition, its counter effects, its event and its source.
 * `DeliveryMachine.ts` interprets the table. Tests compare it with the reference page, its diagram and the stores' `CHECK` lists.
 *
 * Two rules are outside the table. `refunds` applies only if no attempt reached the relay (decision 0015, usage audit).
 * The use case that receives a report must verify the report.
 */

/** The values of a delivery's `status`. Source: interface, Delivery status. */
export const deliveryStatuses = [
  "scheduled",
  "canceled",
  "queued",
  "sending",
  "accepted",
  "delivered",
  "bounced",
  "complained",
  "failed",
  "suppressed"
] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** The values of `delivery_reason`. Source: decision 0017. */
export const deliveryReasons = [
  "unsubscribed",
  "complaint",
  "hard_bounce",
  "invalid",
  "manual",
  "recipient_blocked",
  "temporary_failure",
  "delivery_uncertain",
  "message_blocked",
  "sending_failed",
  "quota_exceeded",
  "api_key_revoked",
  "canceled"
] as const
export type DeliveryReason = (typeof deliveryReasons)[number]

/** The kinds of event that a transition of a delivery can append. Source: interface, Events. */
export type DeliveryEventKind =
  | "email.delivered"
  | "email.bounced"
  | "email.failed"
  | "email.accepted"
  | "email.complained"
  | "email.suppressed"
  | "email.canceled"
  | "email.delayed"

/** What a transition of one delivery adds to the project's counters. Source: decision 0015, the usage audit. */
export interface CounterEffect {
  readonly scheduledRecipients?: 1 | -1
  readonly daily?: 1 | -1
  readonly allowance?: 1
}

export interface DeliveryRow {
  readonly from: DeliveryStatus | "none"
  /** The row applies only to a delivery with this reason. */
  readonly fromReason?: DeliveryReason
  readonly on: string
  readonly to: DeliveryStatus
  readonly reason?: DeliveryReason
  readonly counters?: CounterEffect
  /** The daily count and the allowance are refunded if no attempt reached the relay. */
  readonly refunds?: true
  /** The event of the transition. `email.delayed` is emitted only if the delivery has no event yet. */
  readonly emits?: DeliveryEventKind
  /** The part of the interface, or the decision, that defines the row. */
  readonly source: string
}

const accepted = { daily: 1, allowance: 1 } as const
const planned = { scheduledRecipients: 1, daily: 1 } as const
const due = { scheduledRecipients: -1, allowance: 1 } as const
const unsent = { scheduledRecipients: -1, daily: -1 } as const

/** A report changes the status at once, also while the delivery is queued or sending. */
const reports = <const F extends DeliveryStatus>(from: F) =>
  [
    { from, on: "DeliveredReported", to: "delivered", emits: "email.delivered", source: "decision 0003" },
    {
      from,
      on: "BounceReported",
      to: "bounced",
      reason: "hard_bounce",
      emits: "email.bounced",
      source: "decision 0003"
    },
    {
      from,
      on: "ComplaintReported",
      to: "complained",
      reason: "complaint",
      emits: "email.complained",
      source: "decision 0003"
    }
  ] as const

export const deliveryTable = [
  { from: "none", on: "SendAccepted", to: "queued", counters: accepted, source: "decision 0015, usage audit" },
  {
    from: "none",
    on: "SendScheduled",
    to: "scheduled",
    counters: planned,
    source: "interface, Delivery status, row 1"
  },
  { from: "none", on: "SendSuppressed", to: "suppressed", emits: "email.suppressed", source: "decision 0004" },

  { from: "scheduled", on: "DueReached", to: "queued", counters: due, source: "interface, Delivery status" },
  {
    from: "scheduled",
    on: "DueSuppressed",
    to: "suppressed",
    counters: unsent,
    emits: "email.suppressed",
    source: "interface, Delivery status, row 3"
  },
  {
    from: "scheduled",
    on: "DueOverAllowance",
    to: "failed",
    reason: "quota_exceeded",
    counters: unsent,
    emits: "email.failed",
    source: "interface, Delivery status, row 2"
  },
  {
    from: "scheduled",
    on: "DueKeyRevoked",
    to: "failed",
    reason: "api_key_revoked",
    counters: unsent,
    emits: "email.failed",
    source: "interface, Delivery status, row 3"
  },
  {
    from: "scheduled",
    on: "DueDomainUnverified",
    to: "failed",
    reason: "sending_failed",
    counters: unsent,
    emits: "email.failed",
    source: "decision 0004"
  },
  {
    from: "scheduled",
    on: "CancelRequested",
    to: "canceled",
    reason: "canceled",
    counters: unsent,
    emits: "email.canceled",
    source: "interface, Delivery status, row 4"
  },
  { from: "scheduled", on: "Rescheduled", to: "scheduled", source: "interface, Delivery status, row 5" },

  // The clock moved backwards after the delivery was claimed, so the delivery is not due yet.
  { from: "scheduled", on: "NotYetDue", to: "scheduled", source: "decision 0006" },
  { from: "queued", on: "NotYetDue", to: "queued", source: "decision 0006" },

  { from: "queued", on: "Claimed", to: "sending", source: "decision 0006" },
  {
    from: "queued",
    on: "RecipientSuppressed",
    to: "suppressed",
    refunds: true,
    emits: "email.suppressed",
    source: "decision 0015, usage audit"
  },
  {
    from: "queued",
    on: "SendExpired",
    to: "failed",
    reason: "temporary_failure",
    refunds: true,
    emits: "email.failed",
    source: "decision 0006"
  },
  {
    from: "queued",
    on: "MessageTooLarge",
    to: "failed",
    reason: "message_blocked",
    refunds: true,
    emits: "email.failed",
    source: "decision 0006"
  },

  { from: "sending", on: "TransportAccepted", to: "accepted", emits: "email.accepted", source: "decision 0003" },
  { from: "sending", on: "TransportDelivered", to: "delivered", emits: "email.delivered", source: "decision 0003" },
  {
    from: "sending",
    on: "RecipientRejected",
    to: "bounced",
    reason: "hard_bounce",
    emits: "email.bounced",
    source: "decision 0003"
  },
  {
    from: "sending",
    on: "RecipientRefused",
    to: "bounced",
    reason: "recipient_blocked",
    emits: "email.bounced",
    source: "decision 0003"
  },
  {
    from: "sending",
    on: "MessageRefused",
    to: "failed",
    reason: "message_blocked",
    refunds: true,
    emits: "email.failed",
    source: "decision 0003"
  },
  {
    from: "sending",
    on: "SenderRefused",
    to: "failed",
    reason: "sending_failed",
    refunds: true,
    emits: "email.failed",
    source: "decision 0003"
  },
  {
    from: "sending",
    on: "MessageNotSendable",
    to: "failed",
    reason: "sending_failed",
    refunds: true,
    emits: "email.failed",
    source: "decision 0034"
  },
  { from: "sending", on: "TransportDeferred", to: "queued", emits: "email.delayed", source: "decision 0006" },
  {
    from: "sending",
    on: "DeferredTooLong",
    to: "bounced",
    reason: "temporary_failure",
    emits: "email.bounced",
    source: "decision 0006"
  },
  {
    from: "sending",
    on: "RelayUnreachable",
    to: "failed",
    reason: "temporary_failure",
    refunds: true,
    emits: "email.failed",
    source: "decision 0006"
  },
  { from: "sending", on: "ReleasedBeforeFinalizing", to: "queued", source: "decision 0006" },
  { from: "sending", on: "WorkerDied", to: "queued", source: "decision 0006" },
  {
    from: "sending",
    on: "WorkerDiedTooOften",
    to: "failed",
    reason: "sending_failed",
    refunds: true,
    emits: "email.failed",
    source: "decision 0006"
  },
  { from: "sending", on: "OutcomeLost", to: "queued", source: "decision 0006" },
  {
    from: "sending",
    on: "OutcomeGivenUp",
    to: "failed",
    reason: "delivery_uncertain",
    emits: "email.failed",
    source: "decision 0006"
  },
  {
    from: "sending",
    on: "RecipientSuppressed",
    to: "suppressed",
    refunds: true,
    emits: "email.suppressed",
    source: "decision 0006"
  },

  // The lease of the worker lapsed, but the worker still runs and reports the relay's answer late.
  { from: "queued", on: "AcceptanceReported", to: "accepted", emits: "email.accepted", source: "decision 0035" },
  {
    from: "failed",
    fromReason: "delivery_uncertain",
    on: "AcceptanceReported",
    to: "accepted",
    emits: "email.accepted",
    source: "decision 0035"
  },
  ...reports("queued"),
  ...reports("sending"),
  ...reports("accepted"),
  ...reports("failed").map((row) => ({ ...row, fromReason: "delivery_uncertain" as const })),
  {
    from: "delivered",
    on: "BounceReported",
    to: "bounced",
    reason: "hard_bounce",
    emits: "email.bounced",
    source: "decision 0003"
  },
  {
    from: "delivered",
    on: "ComplaintReported",
    to: "complained",
    reason: "complaint",
    emits: "email.complained",
    source: "decision 0003"
  },
  {
    from: "bounced",
    on: "ComplaintReported",
    to: "complained",
    reason: "complaint",
    emits: "email.complained",
    source: "decision 0003"
  }
] as const satisfies ReadonlyArray<DeliveryRow>

export type Trigger = (typeof deliveryTable)[number]["on"]
export const triggers: ReadonlyArray<Trigger> = [...new Set(deliveryTable.map((row) => row.on))]

/** Returns the kind of event that the row appends. `sequence` is the number of earlier events of the delivery. */
export const emittedBy = ({ emits }: DeliveryRow, sequence: number): DeliveryEventKind | undefined =>
  emits === "email.delayed" && sequence > 0 ? undefined : emits

/** The triggers of the rows that start at a status. */
export type TriggerFrom<S extends DeliveryRow["from"]> = Extract<(typeof deliveryTable)[number], { from: S }>["on"]
