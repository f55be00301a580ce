/**
 * The story of one delivery: what happened to it, why, and what it waits for. Source: decision 0049.
 */
import type { OnAmbiguous } from "../access/Project.ts"
import type { SendingSource } from "../access/ApiKey.ts"
import type { EventDeliveryStatus } from "../event/EventDelivery.ts"
import type { EventKind } from "../event/MailEvent.ts"
import type { ApiKeyId, DeliveryId, EventDeliveryId, EventId, MessageId } from "../value/Id.ts"
import type { Instant } from "../value/Instant.ts"
import type { AttemptOutcome, AttemptPhase, BounceType, RecipientKind } from "./Delivery.ts"
import type { DeliveryReason, DeliveryStatus } from "./DeliveryStatus.ts"

/** The fields of each kind of entry. */
export interface DeliveryEntryFields {
  /** The message was accepted, with a delivery for the recipient. */
  readonly accepted: {
    readonly source: SendingSource
    /** The API key that sent the message; `null` for the embedding product. `name` is empty if the API key has none. */
    readonly apiKey: { readonly id: ApiKeyId; readonly name: string } | null
    /** `null` if the send had none. */
    readonly idempotencyKey: string | null
    /** The scheduled time now. A change of the scheduled time leaves no other trace. `null` if the message was sent at once. */
    readonly scheduledAt: Instant | null
    /** No attempt begins at or after this instant; `null` means the default lifetime. */
    readonly expiresAt: Instant | null
  }
  /** The recipient is suppressed, so that the delivery ended without mail. */
  readonly suppressed: {
    readonly reason: DeliveryReason | null
    /** From when the reason applies; `null` if the recipient no longer has the reason. */
    readonly since: Instant | null
  }
  /** The delivery is in the queue. */
  readonly queued: {
    /** Whether the delivery is charged to the sending allowance. A delivery that never reached the relay is refunded when it ends. */
    readonly charged: boolean
  }
  /** A worker has claimed the delivery. Only the present claim is recorded. */
  readonly claimed: {
    readonly worker: string
    /** Until when the claim is respected; `null` if the lease has been deleted. */
    readonly leaseUntil: Instant | null
  }
  readonly attempt_started: {
    /** From 1. */
    readonly attempt: number
    /** The phase that the attempt has now. */
    readonly phase: AttemptPhase
  }
  readonly attempt_ended: {
    readonly attempt: number
    readonly outcome: AttemptOutcome
    readonly smtpCode: number | null
    readonly enhancedCode: string | null
    /** The text of the relay's reply, or an explanation. */
    readonly statusMessage: string | null
    readonly durationMillis: number
    /** The policy for an ambiguous attempt, and who set it; otherwise `null`. */
    readonly onAmbiguous: { readonly policy: OnAmbiguous; readonly from: "send" | "project" | "default" } | null
  }
  /** Another attempt follows. */
  readonly retry: {
    readonly attempt: number
    /** When the attempt began, or is due. */
    readonly dueAt: Instant
  }
  /** An attempt, or the dispatcher before an attempt, gave the delivery a new status. */
  readonly status_changed: {
    readonly status: "accepted" | "delivered" | "bounced" | "failed"
    readonly reason: DeliveryReason | null
  }
  /** The relay accepted an ambiguous attempt, and its answer arrived late. */
  readonly late_acceptance: {}
  /** A report about the delivery arrived after the hand-off. */
  readonly report_received: {
    readonly report: "delivered" | "bounced" | "complained"
    readonly bounceType: BounceType | null
  }
  readonly canceled: {}
  /** An event was appended. It is in the store for `retention.eventsMillis`, 30 days by default. */
  readonly event: {
    readonly eventId: EventId
    readonly eventKind: EventKind
    readonly eventDeliveries: ReadonlyArray<ExplainedEventDelivery>
  }
}

/** The name of a kind of entry. */
export type DeliveryEntryKind = keyof DeliveryEntryFields

/** An entry of one kind. */
export type DeliveryEntryOf<K extends DeliveryEntryKind> = {
  readonly [Kind in K]: {
    readonly kind: Kind
    /** `null` if the store has no time for it. */
    readonly at: Instant | null
    /** A sentence in English, without the content of the message. */
    readonly text: string
  } & DeliveryEntryFields[Kind]
}[K]

/** Something that happened to a delivery. A check of `kind` narrows its fields. */
export type DeliveryEntry = DeliveryEntryOf<DeliveryEntryKind>

/** An event on its way to one subscriber. */
export interface ExplainedEventDelivery {
  readonly id: EventDeliveryId
  /** The id of the webhook or of the subscription. */
  readonly subscriber: string
  /** The name of the subscription; `null` for a webhook, and for a subscription that has been deleted. */
  readonly name: string | null
  readonly status: EventDeliveryStatus
  /** The number of attempts since the event delivery was created or replayed. */
  readonly attemptCount: number
  /** When the next attempt is due; `null` if none follows. */
  readonly nextAttemptAt: Instant | null
}

/** What a delivery waits for. */
export interface DeliveryNow {
  /**
   * - `scheduled_time`: the time that the sender chose.
   * - `retry`: the time of the next attempt.
   * - `dispatcher`: a worker. The delivery is due, and no claim is live.
   * - `hand_off`: the end of the work of its worker.
   * - `recovery`: another worker, because its own has stopped.
   * - `report`: a report. The relay has the message.
   * - `null`: nothing.
   */
  readonly waitsFor: "scheduled_time" | "retry" | "dispatcher" | "hand_off" | "recovery" | "report" | null
  /** The end of the wait; `null` if it is not known. */
  readonly until: Instant | null
  /** A sentence in English. */
  readonly text: string
}

/** What happened to a delivery, and what it waits for. Without the content of the message. */
export interface DeliveryStory {
  readonly deliveryId: DeliveryId
  readonly messageId: MessageId
  readonly recipient: string
  readonly recipientKind: RecipientKind
  readonly status: DeliveryStatus
  readonly reason: DeliveryReason | null
  /** Oldest first. Entries without a time are last. */
  readonly entries: ReadonlyArray<DeliveryEntry>
  readonly now: DeliveryNow
}
