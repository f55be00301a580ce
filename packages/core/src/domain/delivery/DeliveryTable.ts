/**
 * The state machine of a delivery as data. Each row has a transition, its counter effects, its event and its source.
 * `step` finds a row, and `applyTransition` applies it. Tests compare the table with the reference page, its diagram and the stores' `CHECK` lists.
 *
 * Some rules are outside the table. A transition sets the timestamp of its new status, such as `bouncedAt`. A transition clears the claim, except to
 * `sending`. A transition clears `dueAt` when the dispatcher has no more work for the delivery. A refund (`refunds`) happens only if the relay was
 * not reached (decision 0015, the counters for each delivery). The event `email.delayed` is appended only as the first event of a delivery. The use
 * case that receives a report must verify the report.
 */
import type { DeliveryRow } from "./DeliveryRow.ts"
import type { DeliveryStatus } from "./DeliveryStatus.ts"

const countAsQueued = { daily: 1, allowance: 1 } as const

const countAsScheduled = { scheduledRecipients: 1, daily: 1 } as const

const countWhenDue = { scheduledRecipients: -1, allowance: 1 } as const

const uncountScheduled = { scheduledRecipients: -1, daily: -1 } as const

/** Each report of a bounce, with the reason that it gives. */
const bounceReports = {
  BounceReported: "hard_bounce",
  BlockReported: "recipient_blocked",
  MessageBlockReported: "message_blocked",
  ExpiryReported: "temporary_failure"
} as const

type BounceReport = keyof typeof bounceReports

const bounceReport = <const F extends DeliveryStatus, const On extends BounceReport>(from: F, trigger: On) =>
  ({
    from,
    trigger,
    to: "bounced",
    reason: bounceReports[trigger],
    emits: "email.bounced",
    source: "decision 0040"
  }) as const

/** A report of a bounce or a complaint changes the status at once, also while the delivery is queued or sending. */
const badReports = <const F extends DeliveryStatus>(from: F) =>
  [
    bounceReport(from, "BounceReported"),
    bounceReport(from, "BlockReported"),
    bounceReport(from, "MessageBlockReported"),
    bounceReport(from, "ExpiryReported"),
    complaintReport(from)
  ] as const

const complaintReport = <const F extends DeliveryStatus>(from: F) =>
  ({
    from,
    trigger: "ComplaintReported",
    to: "complained",
    reason: "complaint",
    emits: "email.complained",
    source: "decision 0003"
  }) as const

const reports = <const F extends DeliveryStatus>(from: F) =>
  [
    { from, trigger: "DeliveredReported", to: "delivered", emits: "email.delivered", source: "decision 0003" },
    ...badReports(from)
  ] as const

/** Nothing refunds the charge, because the relay may have the message. */
const ambiguousFailure = <const F extends DeliveryStatus>(from: F) =>
  ({
    from,
    trigger: "AmbiguousFailure",
    to: "failed",
    reason: "delivery_uncertain",
    emits: "email.failed",
    source: "decision 0006"
  }) as const

/** Every transition of a delivery. A delivery makes no other. */
export const deliveryTable = [
  { from: "none", trigger: "SendAccepted", to: "queued", counters: countAsQueued, source: "decision 0015 (counters)" },
  {
    from: "none",
    trigger: "SendScheduled",
    to: "scheduled",
    counters: countAsScheduled,
    source: "docs/spec/coverage.md S3.2"
  },
  { from: "none", trigger: "SendSuppressed", to: "suppressed", emits: "email.suppressed", source: "decision 0004" },

  {
    from: "scheduled",
    trigger: "DueReached",
    to: "queued",
    counters: countWhenDue,
    source: "docs/spec/coverage.md S3.3 and S3.9"
  },
  {
    from: "scheduled",
    trigger: "DueSuppressed",
    to: "suppressed",
    counters: uncountScheduled,
    emits: "email.suppressed",
    source: "docs/spec/coverage.md S3.5"
  },
  {
    from: "scheduled",
    trigger: "DueOverAllowance",
    to: "failed",
    reason: "quota_exceeded",
    counters: uncountScheduled,
    emits: "email.failed",
    source: "docs/spec/coverage.md S3.4"
  },
  {
    from: "scheduled",
    trigger: "DueKeyRevoked",
    to: "failed",
    reason: "api_key_revoked",
    counters: uncountScheduled,
    emits: "email.failed",
    source: "docs/spec/coverage.md S3.6"
  },
  {
    from: "scheduled",
    trigger: "DueDomainUnverified",
    to: "failed",
    reason: "sending_failed",
    counters: uncountScheduled,
    emits: "email.failed",
    source: "decision 0013"
  },
  {
    from: "scheduled",
    trigger: "CancelRequested",
    to: "canceled",
    reason: "canceled",
    counters: uncountScheduled,
    emits: "email.canceled",
    source: "docs/spec/coverage.md S3.7"
  },
  { from: "scheduled", trigger: "Rescheduled", to: "scheduled", source: "docs/spec/coverage.md S3.8" },

  // The clock moved backwards after the delivery was claimed, so the delivery is not due yet.
  { from: "scheduled", trigger: "NotYetDue", to: "scheduled", source: "decision 0006" },
  { from: "queued", trigger: "NotYetDue", to: "queued", source: "decision 0006" },

  { from: "queued", trigger: "AttemptBegan", to: "sending", source: "decision 0006" },
  {
    from: "queued",
    trigger: "RecipientSuppressed",
    to: "suppressed",
    refunds: true,
    emits: "email.suppressed",
    source: "decision 0015 (counters)"
  },
  {
    from: "queued",
    trigger: "SendExpired",
    to: "failed",
    reason: "temporary_failure",
    refunds: true,
    emits: "email.failed",
    source: "decision 0022"
  },
  // The send expired, but the relay may have the message from an ambiguous attempt.
  ambiguousFailure("queued"),
  {
    from: "queued",
    trigger: "MessageTooLarge",
    to: "failed",
    reason: "message_blocked",
    refunds: true,
    emits: "email.failed",
    source: "decision 0006"
  },

  { from: "sending", trigger: "TransportAccepted", to: "accepted", emits: "email.accepted", source: "decision 0003" },
  {
    from: "sending",
    trigger: "TransportDelivered",
    to: "delivered",
    emits: "email.delivered",
    source: "decision 0003"
  },
  {
    from: "sending",
    trigger: "MailboxUnknown",
    to: "bounced",
    reason: "hard_bounce",
    emits: "email.bounced",
    source: "decision 0003"
  },
  {
    from: "sending",
    trigger: "RecipientBlocked",
    to: "bounced",
    reason: "recipient_blocked",
    emits: "email.bounced",
    source: "decision 0003"
  },
  {
    from: "sending",
    trigger: "MessageRefused",
    to: "failed",
    reason: "message_blocked",
    refunds: true,
    emits: "email.failed",
    source: "decision 0003"
  },
  {
    from: "sending",
    trigger: "SenderRefused",
    to: "failed",
    reason: "sending_failed",
    refunds: true,
    emits: "email.failed",
    source: "decision 0003"
  },
  {
    from: "sending",
    trigger: "MessageNotSendable",
    to: "failed",
    reason: "sending_failed",
    refunds: true,
    emits: "email.failed",
    source: "decision 0034"
  },
  { from: "sending", trigger: "TransportDeferred", to: "queued", emits: "email.delayed", source: "decision 0006" },
  {
    from: "sending",
    trigger: "DeferredTooLong",
    to: "bounced",
    reason: "temporary_failure",
    emits: "email.bounced",
    source: "decision 0022"
  },
  {
    from: "sending",
    trigger: "UnreachableTooLong",
    to: "failed",
    reason: "temporary_failure",
    refunds: true,
    emits: "email.failed",
    source: "decision 0022"
  },
  { from: "sending", trigger: "HandOffStopped", to: "queued", source: "decision 0006" },
  { from: "sending", trigger: "WorkerDied", to: "queued", source: "decision 0006" },
  {
    from: "sending",
    trigger: "WorkerDiedTooOften",
    to: "failed",
    reason: "sending_failed",
    refunds: true,
    emits: "email.failed",
    source: "decision 0006"
  },
  { from: "sending", trigger: "AmbiguousRetry", to: "queued", source: "decision 0006" },
  ambiguousFailure("sending"),
  {
    from: "sending",
    trigger: "RecipientSuppressed",
    to: "suppressed",
    refunds: true,
    emits: "email.suppressed",
    source: "decision 0006"
  },

  // The lease of the worker lapsed, but the worker still runs and has the relay's answer late.
  { from: "queued", trigger: "LateAcceptance", to: "accepted", emits: "email.accepted", source: "decision 0035" },
  {
    from: "failed",
    fromReason: "delivery_uncertain",
    trigger: "LateAcceptance",
    to: "accepted",
    emits: "email.accepted",
    source: "decision 0035"
  },
  { from: "queued", trigger: "LateDelivery", to: "delivered", emits: "email.delivered", source: "decision 0035" },
  {
    from: "failed",
    fromReason: "delivery_uncertain",
    trigger: "LateDelivery",
    to: "delivered",
    emits: "email.delivered",
    source: "decision 0035"
  },
  ...reports("queued"),
  ...reports("sending"),
  ...reports("accepted"),
  ...reports("failed").map((row) => ({ ...row, fromReason: "delivery_uncertain" as const })),
  ...badReports("delivered"),
  complaintReport("bounced")
] as const satisfies ReadonlyArray<DeliveryRow>

export type Trigger = (typeof deliveryTable)[number]["trigger"]

export const triggers: ReadonlyArray<Trigger> = [...new Set(deliveryTable.map((row) => row.trigger))]

/** The triggers of the rows that start at a status. */
export type TriggerFrom<S extends DeliveryRow["from"]> = Extract<(typeof deliveryTable)[number], { from: S }>["trigger"]
