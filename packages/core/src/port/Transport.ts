/**
 * The transport port: hands one message to a relay for one recipient and returns the outcome.
 */
import type { Effect } from "effect"
import { Context, Data } from "effect"
import type { HeaderFields } from "../domain/HeaderField.ts"
import type { DeliveryId } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import type { SmtpReply } from "../domain/SmtpReply.ts"

/** The connection was lost before the relay answered. The core decides by the phase of the attempt what follows. */
export class TransportUnavailable extends Data.TaggedError("TransportUnavailable")<{
  readonly reason: string
  readonly cause?: unknown
}> {}

/**
 * The transport must end the hand-off and not send the final dot. The reason is a lost lease, a suppressed recipient, or a phase that could not
 * be committed.
 */
export class HandOffRevoked extends Data.TaggedError("HandOffRevoked")<{
  readonly why: "lease_lost" | "suppressed" | "not_recorded"
}> {}

/** What the transport guarantees. */
export interface TransportCapabilities {
  /** A positive reply means that the message is delivered, not only relayed. */
  readonly confirmsDelivery: boolean
  /** The transport runs `beforeFinalize` after the whole body and before `CRLF.CRLF`. */
  readonly signalsFinalize: boolean
  /** The relay drops a second hand-off of one `Message-ID`. */
  readonly idempotentHandoff: boolean
  readonly maxMessageBytes: number | null
  readonly smtpUtf8: boolean
}

/** One message for one recipient. It is the same in all attempts of a delivery, so that a receiver can drop a duplicate. */
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
  /** Further header fields, after the standard ones. None of them has the name of a standard field of this message. */
  readonly headers: HeaderFields
}

export interface HandOff {
  readonly deliveryId: DeliveryId
  /** The number of the attempt, from 1. */
  readonly attempt: number
  readonly envelope: { readonly from: string; readonly to: string }
  readonly message: OutgoingMessage
  /**
   * Commits the phase `finalizing`. A transport with `signalsFinalize` runs this effect once, before the final dot. When it fails, the
   * transport does not send the final dot and fails with the same error.
   */
  readonly beforeFinalize: Effect.Effect<void, HandOffRevoked>
}

/** The answer of the relay. The core classifies a refusal. */
export type HandOffOutcome =
  | { readonly _tag: "Accepted"; readonly reply: SmtpReply }
  | { readonly _tag: "Delivered"; readonly reply: SmtpReply }
  | { readonly _tag: "Refused"; readonly reply: SmtpReply }

export interface TransportShape {
  readonly capabilities: TransportCapabilities
  /** Interruptible at any point. The caller enforces the deadline. */
  readonly handOff: (handOff: HandOff) => Effect.Effect<HandOffOutcome, TransportUnavailable | HandOffRevoked>
}

export class Transport extends Context.Service<Transport, TransportShape>()("@mailkeep/core/port/Transport") {}
