/**
 * The transport port: hands one message to a relay for one recipient, and says what became of it.
 */
import type { Effect } from "effect"
import { Context, Data } from "effect"
import type { HeaderFields } from "../domain/HeaderField.ts"
import type { DeliveryId } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import type { SmtpReply } from "../domain/SmtpReply.ts"

/** The connection or the relay was lost before it answered. What that means depends on the phase. */
export class TransportUnavailable extends Data.TaggedError("TransportUnavailable")<{
  readonly reason: string
  readonly cause?: unknown
}> {}

/**
 * The hand-off may not go on, and the transport must not send the final dot: the lease is lost, the recipient is suppressed, or the phase
 * could not be committed.
 */
export class HandOffRevoked extends Data.TaggedError("HandOffRevoked")<{
  readonly why: "lease_lost" | "suppressed" | "not_recorded"
}> {}

/** What the transport can promise. */
export interface TransportCapabilities {
  /** A positive reply means delivered, not merely relayed. */
  readonly confirmsDelivery: boolean
  /** Runs `beforeFinalDot` when all of the body is written and before `CRLF.CRLF`. */
  readonly marksFinalDot: boolean
  /** The relay drops a second hand-off of one `Message-ID`. */
  readonly idempotentHandoff: boolean
  readonly maxMessageBytes: number | null
  readonly smtpUtf8: boolean
}

/** One message for one recipient. The same over all attempts of a delivery, so that a receiver can drop a double. */
export interface OutgoingMessage {
  /** With angle brackets. */
  readonly messageId: string
  readonly date: Instant
  readonly from: { readonly name: string | null; readonly address: string }
  readonly replyTo: string | null
  readonly to: ReadonlyArray<string>
  readonly cc: ReadonlyArray<string>
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  /** Further fields, after the others; none of them is one that the message has by itself. */
  readonly headers: HeaderFields
}

export interface HandOff {
  readonly deliveryId: DeliveryId
  /** From 1. */
  readonly attempt: number
  readonly envelope: { readonly from: string; readonly to: string }
  readonly message: OutgoingMessage
  /**
   * Commits phase `dot`. A transport that marks runs it once, before the final dot; when it fails, no dot is sent and the
   * failure is passed on.
   */
  readonly beforeFinalDot: Effect.Effect<void, HandOffRevoked>
}

/** The relay's answer; a refusal is classified by the core. */
export type HandOffOutcome =
  | { readonly _tag: "Accepted"; readonly reply: SmtpReply }
  | { readonly _tag: "Delivered"; readonly reply: SmtpReply }
  | { readonly _tag: "Refused"; readonly reply: SmtpReply }

export interface TransportShape {
  readonly capabilities: TransportCapabilities
  /** Interruptible at any point; the caller keeps the deadline. */
  readonly handOff: (handOff: HandOff) => Effect.Effect<HandOffOutcome, TransportUnavailable | HandOffRevoked>
}

export class Transport extends Context.Service<Transport, TransportShape>()("@mailkeep/core/port/Transport") {}
