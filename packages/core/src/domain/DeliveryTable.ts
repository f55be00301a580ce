/**
 * The delivery machine as data: every move a delivery may make, what it costs, what it tells, and where that is written.
 * `DeliveryMachine.ts` interprets it; the reference page, its diagram and the stores' `CHECK` lists are compared with it.
 *
 * What a row cannot say: `refunds` is given back only while no attempt reached the relay (decision 0015, ledger), and a report
 * is believed only by the use case that verified it.
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

/** The kinds of event a delivery's move may append. Source: interface, Events. */
export type DeliveryEventKind =
  | "email.delivered"
  | "email.bounced"
  | "email.failed"
  | "email.accepted"
  | "email.complained"
  | "email.suppressed"
  | "email.canceled"
  | "email.delayed"

/** What a move adds to the project's counters, per delivery. Source: decision 0015, the ledger. */
export interface LedgerEffect {
  readonly waiting?: 1 | -1
  readonly daily?: 1 | -1
  readonly allowance?: 1
}

export interface DeliveryRow {
  readonly from: DeliveryStatus | "none"
  /** The row holds only for a delivery with this reason. */
  readonly fromReason?: DeliveryReason
  readonly on: string
  readonly to: DeliveryStatus
  readonly reason?: DeliveryReason
  readonly ledger?: LedgerEffect
  /** Daily count and allowance are given back when no attempt reached the relay. */
  readonly refunds?: true
  /** `email.delayed` once a delivery: only while it has told nothing yet. */
  readonly emits?: DeliveryEventKind
  /** The sentence of the interface or the decision that the row comes from. */
  readonly source: string
}

const accepted = { daily: 1, allowance: 1 } as const
const planned = { waiting: 1, daily: 1 } as const
const due = { waiting: -1, allowance: 1 } as const
const unsent = { waiting: -1, daily: -1 } as const

/** Reports settle a delivery at once, whatever was thought to be under way. */
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
  { from: "none", on: "SendAccepted", to: "queued", ledger: accepted, source: "decision 0015, ledger" },
  { from: "none", on: "SendScheduled", to: "scheduled", ledger: planned, source: "interface, Delivery status, row 1" },
  { from: "none", on: "SendSuppressed", to: "suppressed", emits: "email.suppressed", source: "decision 0004" },

  { from: "scheduled", on: "DueReached", to: "queued", ledger: due, source: "interface, Delivery status" },
  {
    from: "scheduled",
    on: "DueSuppressed",
    to: "suppressed",
    ledger: unsent,
    emits: "email.suppressed",
    source: "interface, Delivery status, row 3"
  },
  {
    from: "scheduled",
    on: "DueOverAllowance",
    to: "failed",
    reason: "quota_exceeded",
    ledger: unsent,
    emits: "email.failed",
    source: "interface, Delivery status, row 2"
  },
  {
    from: "scheduled",
    on: "DueKeyRevoked",
    to: "failed",
    reason: "api_key_revoked",
    ledger: unsent,
    emits: "email.failed",
    source: "interface, Delivery status, row 3"
  },
  {
    from: "scheduled",
    on: "DueDomainUnverified",
    to: "failed",
    reason: "sending_failed",
    ledger: unsent,
    emits: "email.failed",
    source: "decision 0004"
  },
  {
    from: "scheduled",
    on: "CancelRequested",
    to: "canceled",
    reason: "canceled",
    ledger: unsent,
    emits: "email.canceled",
    source: "interface, Delivery status, row 4"
  },
  { from: "scheduled", on: "Rescheduled", to: "scheduled", source: "interface, Delivery status, row 5" },

  // Claimed while the clock stood ahead; it has been set back.
  { from: "scheduled", on: "NotYetDue", to: "scheduled", source: "decision 0006" },
  { from: "queued", on: "NotYetDue", to: "queued", source: "decision 0006" },

  { from: "queued", on: "Claimed", to: "sending", source: "decision 0006" },
  {
    from: "queued",
    on: "RecipientSuppressed",
    to: "suppressed",
    refunds: true,
    emits: "email.suppressed",
    source: "decision 0015, ledger"
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
  { from: "sending", on: "ReleasedBeforeDot", to: "queued", source: "decision 0006" },
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

  // The worker that seemed dead comes back in time and knows the relay's answer.
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

/** What the row tells of a delivery that has told of so many moves before. */
export const emittedBy = ({ emits }: DeliveryRow, sequence: number): DeliveryEventKind | undefined =>
  emits === "email.delayed" && sequence > 0 ? undefined : emits

/** The triggers that the table knows for a status. */
export type TriggerFrom<S extends DeliveryRow["from"]> = Extract<(typeof deliveryTable)[number], { from: S }>["on"]
