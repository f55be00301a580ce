/**
 * The transport port: hands one message to a relay for one recipient and returns the outcome.
 */
import type { Effect } from "effect"
import { Context, Data } from "effect"
import type { HeaderFields } from "../domain/message/HeaderField.ts"
import type { DeliveryId } from "../domain/value/Id.ts"
import type { Instant } from "../domain/value/Instant.ts"
import type { SmtpReply } from "../domain/delivery/SmtpReply.ts"

/**
 * There is no answer of the relay: no connection was made, the connection was lost, or the transport itself failed. The core decides by the
 * phase of the attempt what follows.
 */
export class TransportUnavailable extends Data.TaggedError("TransportUnavailable")<{
  readonly reason: string
  readonly cause?: unknown
}> {
  /** Yes. The core decides by the phase of the attempt whether and when it tries again. */
  get isRetryable() {
    return true
  }
}

/**
 * The transport must end the hand-off and not send the final bytes. Another worker has claimed the delivery (`lease_lost`), half of the lease passed
 * during the commit (`too_late`), the recipient is suppressed, or the phase could not be committed (`not_recorded`).
 */
export class HandOffRevoked extends Data.TaggedError("HandOffRevoked")<{
  readonly why: "lease_lost" | "too_late" | "suppressed" | "not_recorded"
}> {
  /** No. The transport ends this hand-off. */
  get isRetryable() {
    return false
  }
}

/** What the transport guarantees. */
export interface TransportCapabilities {
  /** A positive reply means that the message is delivered, not only relayed. */
  readonly confirmsDelivery: boolean
  /** The transport runs `beforeFinalize` after the whole body and before `CRLF.CRLF`. */
  readonly signalsFinalize: boolean
  /** The relay drops a second hand-off of one `Message-ID`. */
  readonly idempotentHandOff: boolean
  /** The largest message that the relay takes, in bytes; `null` when no limit is known. */
  readonly maxMessageBytes: number | null
  /** The relay takes addresses that are not ASCII (RFC 6531). */
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

/** One attempt to give a message to the relay. */
export interface HandOff {
  /** The delivery. It is the same in all attempts. */
  readonly deliveryId: DeliveryId
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /** The sender and the recipient of the SMTP envelope. */
  readonly envelope: { readonly from: string; readonly to: string }
  /** The message to send. */
  readonly message: OutgoingMessage
  /**
   * Commits the phase `finalizing`. A transport with `signalsFinalize` runs this effect once, before the final bytes. When it fails, the
   * transport does not send the final bytes and fails with the same error.
   */
  readonly beforeFinalize: Effect.Effect<void, HandOffRevoked>
}

/** The answer of the relay. The core classifies a refusal. */
export type HandOffOutcome =
  | { readonly _tag: "Accepted"; readonly reply: SmtpReply }
  | { readonly _tag: "Delivered"; readonly reply: SmtpReply }
  | { readonly _tag: "Refused"; readonly reply: SmtpReply }

/** Gives mail to a relay. After an interruption, the transport has ended the connection. */
export interface TransportShape {
  /** What this transport guarantees. Constant. */
  readonly capabilities: TransportCapabilities
  /** Interruptible at any point. The caller enforces the deadline. */
  readonly handOff: (handOff: HandOff) => Effect.Effect<HandOffOutcome, TransportUnavailable | HandOffRevoked>
}

/**
 * Gives mail to a relay. `@mailkeep/smtp` has transports; `docs/adapters/write-a-transport.md` says how to write one.
 *
 * @example
 * ```ts
 * import { transportFromPromises } from "@mailkeep/core/adapter"
 *
 * // A transport that prints each message instead of sending it.
 * export const layer = transportFromPromises({
 *   capabilities: {
 *     confirmsDelivery: true,
 *     signalsFinalize: true,
 *     idempotentHandOff: false,
 *     maxMessageBytes: null,
 *     smtpUtf8: true
 *   },
 *   handOff: async ({ envelope, message, beforeFinalize }) => {
 *     await beforeFinalize()
 *     console.log(envelope.to, message.subject)
 *     return { _tag: "Delivered", reply: { stage: "finalizing", code: 250, enhancedCode: "2.0.0", text: "Printed" } }
 *   }
 * })
 * ```
 */
export class Transport extends Context.Service<Transport, TransportShape>()("@mailkeep/core/port/Transport") {}
