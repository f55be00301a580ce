/**
 * A delivery: one message to one recipient, and its attempts.
 */
import type { SendingSource } from "../access/ApiKey.ts"
import type { DeliveryReason, DeliveryStatus } from "./DeliveryStatus.ts"
import type { ContactId, DeliveryId, MessageId } from "../value/Id.ts"
import type { Instant, UtcDay } from "../value/Instant.ts"
import type { ProjectId } from "../access/Project.ts"

/** The header field that names the recipient. No header field names a `bcc` recipient. */
export type RecipientKind = "to" | "cc" | "bcc"
/**
 * `hard`: refused for good, because of the mailbox, a block or the content. `soft`: temporary failures until the end, or a full mailbox.
 */
export type BounceType = "hard" | "soft"

/** The fields that acceptance sets and that never change. */
export interface DeliveryIdentity {
  readonly id: DeliveryId
  readonly projectId: ProjectId
  readonly messageId: MessageId
  readonly kind: RecipientKind
  /** The address as the send request has it. */
  readonly recipient: string
  /** The canonical form of `recipient`. */
  readonly address: string
  /** The contact that had the address at acceptance. */
  readonly contactId: ContactId | null
  readonly source: SendingSource
  /** Whether the send was scheduled, or has `List-Unsubscribe`. Claims take immediate and bulk mail alternately. Source: decision 0043. */
  readonly bulk: boolean
  readonly createdAt: Instant
}

/** The fields that transitions change. */
export interface DeliveryState {
  readonly status: DeliveryStatus
  readonly reason: DeliveryReason | null
  /** A sentence for people: the last reply of the relay, or an explanation of the reason. */
  readonly statusMessage: string | null
  readonly scheduledAt: Instant | null
  /** The instant from which a claim can take the delivery; `null` means never. */
  readonly dueAt: Instant | null
  /**
   * The time of the clock when `dueAt` was set, minus 30 s, or minus 1 s if the delivery was due at once. A clock that shows an earlier time was set back,
   * so the delivery is due. `null` if it waits until its scheduled time, whatever the clock showed before. Source: decision 0044.
   */
  readonly dueSetAt: Instant | null
  /** When the delivery was queued. Its lifetime starts at this instant. */
  readonly queuedAt: Instant | null
  /** The worker that claimed the delivery. */
  readonly worker: string | null
  /** Grows with each claim and each transition. A write with an older token is refused. */
  readonly fencingToken: number
  /** The number of started attempts. */
  readonly attemptCount: number
  /** The number of temporary refusals of the recipient. It is the position in the retry schedule. */
  readonly deferrals: number
  /**
   * The number of attempts that ended while finalizing without an answer, so that the relay may have the message. Over a transport with
   * `idempotentHandOff` they are not ambiguous, but they count: a delivery that ends without another answer is uncertain.
   */
  readonly ambiguousAttempts: number
  /** The number of workers that died while they sent the delivery. */
  readonly workerDeaths: number
  /**
   * Whether the relay may know the delivery: an attempt received a reply to its envelope, or it ended in the phase `finalizing`. A revoked
   * hand-off and a message that is not sendable do not count, nor a failure that is `certainlyNotAccepted` without `signalsFinalize`.
   */
  readonly reachedRelay: boolean
  /** The UTC day whose daily count includes the delivery, if any. */
  readonly countedDay: UtcDay | null
  /** When the delivery was charged to the sending allowance; `null` if it is not charged. */
  readonly chargedAt: Instant | null
  /** The number of events that were appended for the delivery. */
  readonly sequence: number
  readonly bounceType: BounceType | null
  readonly canceledAt: Instant | null
  readonly acceptedAt: Instant | null
  readonly deliveredAt: Instant | null
  readonly bouncedAt: Instant | null
  readonly complainedAt: Instant | null
  readonly failedAt: Instant | null
  readonly suppressedAt: Instant | null
}

/** A delivery: one message to one recipient. */
export interface Delivery extends DeliveryIdentity, DeliveryState {}

/** A delivery as the log lists it. */
export interface DeliverySummary {
  readonly id: DeliveryId
  readonly createdAt: Instant
  readonly recipient: string
  readonly subject: string
  readonly status: DeliveryStatus
  readonly scheduledAt: Instant | null
}

/** Makes the summary of a delivery. `subject` is the subject of its message. */
export const summaryOf = (
  { id, createdAt, recipient, status, scheduledAt }: Omit<DeliverySummary, "subject">,
  subject: string
): DeliverySummary => ({ id, createdAt, recipient, subject, status, scheduledAt })

/**
 * `started` from before the connection; `finalizing` from after the body and before `CRLF.CRLF`; then `ended`. For a transport without
 * `signalsFinalize`, `finalizing` begins before the whole hand-off.
 */
export const attemptPhases = ["started", "finalizing", "ended"] as const
/** The phase of an attempt. Source: decision 0006. */
export type AttemptPhase = (typeof attemptPhases)[number]

/** Every outcome of an attempt that has ended. */
export const attemptOutcomes = [
  "accepted",
  "delivered",
  "deferred",
  "rejected",
  "suppressed",
  "stopped",
  "no_reply",
  "ambiguous"
] as const
/** The outcome of an attempt that has ended. `ambiguous`: the relay may or may not have the message. */
export type AttemptOutcome = (typeof attemptOutcomes)[number]

/** The fields of an attempt that change. */
export interface AttemptState {
  readonly phase: AttemptPhase
  readonly outcome: AttemptOutcome | null
  readonly smtpCode: number | null
  readonly enhancedCode: string | null
  /** The text of the reply, or an explanation. */
  readonly statusMessage: string | null
  readonly durationMillis: number | null
}

/** One try to give a delivery to the transport. */
export interface Attempt extends AttemptState {
  readonly projectId: ProjectId
  readonly deliveryId: DeliveryId
  /** From 1. */
  readonly number: number
  readonly startedAt: Instant
}

/** The state of an attempt before its connection. */
export const freshAttempt = {
  phase: "started",
  outcome: null,
  smtpCode: null,
  enhancedCode: null,
  statusMessage: null,
  durationMillis: null
} as const satisfies AttemptState

/** The state of a new delivery before any transition. `status` is a placeholder: the first transition sets it. */
export const freshState: DeliveryState = {
  status: "queued",
  reason: null,
  statusMessage: null,
  scheduledAt: null,
  dueAt: null,
  dueSetAt: null,
  queuedAt: null,
  worker: null,
  fencingToken: 0,
  attemptCount: 0,
  deferrals: 0,
  ambiguousAttempts: 0,
  workerDeaths: 0,
  reachedRelay: false,
  countedDay: null,
  chargedAt: null,
  sequence: 0,
  bounceType: null,
  canceledAt: null,
  acceptedAt: null,
  deliveredAt: null,
  bouncedAt: null,
  complainedAt: null,
  failedAt: null,
  suppressedAt: null
}

/** Returns the fields of a delivery that transitions change. */
export const deliveryState = (delivery: Delivery): DeliveryState => {
  const {
    id: _i,
    projectId: _p,
    messageId: _m,
    kind: _k,
    recipient: _r,
    address: _a,
    contactId: _c,
    bulk: _b,
    source: _s,
    createdAt: _t,
    ...state
  } = delivery
  return state
}
