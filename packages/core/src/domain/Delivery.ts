/**
 * A delivery: one message on its way to one recipient, and its attempts.
 */
import type { SendingSource } from "./ApiKey.ts"
import type { DeliveryReason, DeliveryStatus } from "./DeliveryTable.ts"
import type { ContactId, DeliveryId, MessageId } from "./Id.ts"
import type { Instant, UtcDay } from "./Instant.ts"
import type { ProjectId } from "./Project.ts"

export type RecipientKind = "to" | "cc" | "bcc"
export type BounceType = "hard" | "soft"

/** What acceptance fixed. */
export interface DeliveryIdentity {
  readonly id: DeliveryId
  readonly projectId: ProjectId
  readonly messageId: MessageId
  readonly kind: RecipientKind
  /** As given. */
  readonly recipient: string
  /** Its canonical form. */
  readonly address: string
  /** The contact that had the address at acceptance. */
  readonly contactId: ContactId | null
  readonly source: SendingSource
  readonly createdAt: Instant
}

/** What moves change. */
export interface DeliveryState {
  readonly status: DeliveryStatus
  readonly reason: DeliveryReason | null
  /** A sentence for people: the relay's last words, or what the reason means. */
  readonly statusMessage: string | null
  readonly scheduledAt: Instant | null
  /** When a claim may next take it; `null` when no claim will. */
  readonly dueAt: Instant | null
  /** When it was queued: its lifetime counts from here. */
  readonly queuedAt: Instant | null
  /** The worker that claimed it. */
  readonly worker: string | null
  /** Grows with every claim and move; a write that names an older one changes nothing. */
  readonly token: number
  /** Attempts begun. */
  readonly attempts: number
  /** Temporary refusals of the recipient so far: the place in the retry schedule. */
  readonly deferrals: number
  /** Attempts that ended without an answer after the final dot. */
  readonly ambiguous: number
  /** Workers that died while sending it. */
  readonly crashes: number
  /** An attempt got a reply to its envelope or went past the final dot. */
  readonly reachedRelay: boolean
  /** The UTC day in whose daily count it is, if any. */
  readonly countedDay: UtcDay | null
  /** When the sending allowance was charged, if it is. */
  readonly chargedAt: Instant | null
  /** Events appended so far. */
  readonly sequence: number
  readonly bounceType: BounceType | null
  readonly canceledAt: Instant | null
  readonly acceptedAt: Instant | null
  readonly deliveredAt: Instant | null
  readonly bouncedAt: Instant | null
  readonly complainedAt: Instant | null
  readonly failedAt: Instant | null
}

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

/** The summary of a delivery whose message has that subject. */
export const summaryOf = (
  { id, createdAt, recipient, status, scheduledAt }: Omit<DeliverySummary, "subject">,
  subject: string
): DeliverySummary => ({ id, createdAt, recipient, subject, status, scheduledAt })

/** `started` before the connection; `dot` once the body is written and before `CRLF.CRLF`; then `ended`. */
export const attemptPhases = ["started", "dot", "ended"] as const
export type AttemptPhase = (typeof attemptPhases)[number]

export const attemptOutcomes = [
  "accepted",
  "delivered",
  "deferred",
  "rejected",
  "suppressed",
  "released",
  "lost",
  "ambiguous"
] as const
export type AttemptOutcome = (typeof attemptOutcomes)[number]

export interface AttemptState {
  readonly phase: AttemptPhase
  readonly outcome: AttemptOutcome | null
  readonly smtpCode: number | null
  readonly enhancedCode: string | null
  readonly message: string | null
  readonly durationMillis: number | null
}

export interface Attempt extends AttemptState {
  readonly deliveryId: DeliveryId
  /** From 1. */
  readonly number: number
  readonly startedAt: Instant
}

/** An attempt before its connection. */
export const freshAttempt = {
  phase: "started",
  outcome: null,
  smtpCode: null,
  enhancedCode: null,
  message: null,
  durationMillis: null
} as const satisfies AttemptState

/** A delivery nobody has touched yet. */
export const freshState: DeliveryState = {
  status: "queued",
  reason: null,
  statusMessage: null,
  scheduledAt: null,
  dueAt: null,
  queuedAt: null,
  worker: null,
  token: 0,
  attempts: 0,
  deferrals: 0,
  ambiguous: 0,
  crashes: 0,
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
  failedAt: null
}

/** The part of a delivery that moves change. */
export const deliveryState = (delivery: Delivery): DeliveryState => {
  const {
    id: _i,
    projectId: _p,
    messageId: _m,
    kind: _k,
    recipient: _r,
    address: _a,
    contactId: _c,
    source: _s,
    createdAt: _t,
    ...state
  } = delivery
  return state
}
