/**
 * The transport port: hands one message to a relay for one recipient and returns the outcome.
 */
import type { Effect, Redacted } from "effect"
import { Context, Data } from "effect"
import type { ProjectId } from "../domain/access/Project.ts"
import type { HeaderFields } from "../domain/message/HeaderField.ts"
import type { DeliveryId } from "../domain/value/Id.ts"
import type { Instant } from "../domain/value/Instant.ts"
import type { RelaySetting } from "../domain/delivery/RelaySetting.ts"
import type { SmtpReply } from "../domain/delivery/SmtpReply.ts"

/**
 * There is no answer of the relay: no connection was made, the connection was lost, or the transport itself failed. The core decides by the
 * phase of the attempt what follows.
 */
export class TransportUnavailable extends Data.TaggedError("TransportUnavailable")<{
  readonly reason: string
  readonly cause?: unknown
  /**
   * `true` if the relay has certainly not accepted the message, for example because the end of data was not sent. The attempt is then not ambiguous,
   * whatever its phase. Default `false`: the phase decides.
   */
  readonly certainlyNotAccepted?: boolean
  /**
   * `false` if the failure says nothing about the relay, for example because a file of the message could not be read. The hand-offs of other messages
   * then continue as before. Default `true`.
   */
  readonly relayFault?: boolean
  /** The setting that somebody must correct before the relay takes mail, if the transport knows it. The health shows it. */
  readonly wrongSetting?: RelaySetting
}> {
  override get message() {
    return this.reason
  }
  /** Retryable: the core decides by the phase of the attempt whether and when it tries again. */
  get isRetryable() {
    return true
  }
}

const handOffRevokedMessages: Readonly<Record<HandOffRevoked["why"], string>> = {
  lease_lost: "Another worker has claimed the delivery.",
  too_late: "Half of the lease passed during the commit.",
  suppressed: "The recipient is suppressed.",
  not_stored: "The phase of the attempt could not be stored.",
  store_unavailable: "The message could not be loaded.",
  repeated: "The transport has run beforeFinalize before in this hand-off."
}

/**
 * The transport must end the hand-off and not send the end of data. Another worker has claimed the delivery (`lease_lost`). Or half of the lease passed
 * during the commit (`too_late`). Or the recipient is suppressed (`suppressed`). Or the phase could not be committed (`not_stored`). Or the message
 * could not be loaded (`store_unavailable`). Or the transport ran `beforeFinalize` before in this hand-off (`repeated`).
 */
export class HandOffRevoked extends Data.TaggedError("HandOffRevoked")<{
  readonly why: "lease_lost" | "too_late" | "suppressed" | "not_stored" | "store_unavailable" | "repeated"
}> {
  override get message() {
    return handOffRevokedMessages[this.why]
  }
  /** Not retryable: the transport ends this hand-off. */
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
  /**
   * The relay itself drops a second hand-off of one `Message-ID` to one recipient. It does so also when its first answer was lost, and for as long as the core tries
   * (72 hours by default). It drops none to another recipient, and none after a refusal. `deliveryId` is the idempotency key for this.
   */
  readonly idempotentHandOff: boolean
  /**
   * The largest message that the relay takes, in bytes: at least 1, or `null` when no limit is known. The core makes no attempt for a message whose bodies and
   * files alone are larger. Only the transport knows the size with the encodings and the header: it answers with a refusal such as 552 5.3.4.
   */
  readonly maxMessageBytes: number | null
  /** The relay takes addresses that are not ASCII (RFC 6531). */
  readonly smtpUtf8: boolean
  /**
   * How many hand-offs the dispatcher may run at once: at least 1. A transport with few connections sets it, because the deadline of a hand-off also counts the wait for a
   * connection. Default: no limit but that of the dispatcher.
   */
  readonly handOffsAtOnceMax?: number
}

/** One message for one recipient. It is the same in all attempts of a delivery, so that a receiver can drop a duplicate. */
export interface OutgoingMessage {
  /** The header field `Message-ID` with angle brackets (RFC 5322 §3.6.4). Copies of one message with `cc` or `bcc` have the same. */
  readonly messageIdHeader: string
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
  readonly attachments: ReadonlyArray<OutgoingAttachment>
}

/** A file of the message. Its bytes are the same in all attempts. */
export interface OutgoingAttachment {
  /** One line without control characters and without a path separator. At most 255 characters. */
  readonly filename: string
  /**
   * A media type without parameters, such as `application/pdf` (RFC 2045 §5.1). A calendar file can have a method, as in
   * `text/calendar; method=REQUEST`: make it a part of the `multipart/alternative`, where mail programs look for an invitation.
   */
  readonly contentType: string
  /** The `Content-ID` without angle brackets, to which the html refers as `cid:…` (RFC 2392); `null` without one. */
  readonly contentId: string | null
  /** `inline`: the html shows it. `attachment`: a program offers it for saving (RFC 2183). */
  readonly disposition: "attachment" | "inline"
  /** In bytes. */
  readonly size: number
  /** Reads the bytes in pieces from the store. Each call begins at the first byte. */
  readonly read: () => AsyncIterable<Uint8Array>
}

/** The DKIM key with which the transport signs the message (RFC 6376). */
export interface DkimSignature {
  /** The domain of the sender (`d=`). */
  readonly domain: string
  /** The name of the key below `_domainkey` (`s=`). */
  readonly selector: string
  /** PKCS #8 PEM. */
  readonly privateKey: Redacted.Redacted<string>
}

/** One attempt to give a message to the relay. */
export interface HandOff {
  /** The project of the delivery. */
  readonly projectId: ProjectId
  /** The delivery. It is the same in all attempts. */
  readonly deliveryId: DeliveryId
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /**
   * The return path and the recipient of the SMTP envelope (RFC 5321 §3.3). The return path names the delivery when the project has a host for
   * bounces; otherwise it is the sender's address.
   */
  readonly envelope: { readonly from: string; readonly to: string }
  /** The message to send. */
  readonly message: OutgoingMessage
  /** How to sign the message; `null` when the sender domain has no DKIM key. A transport whose relay signs may ignore it. */
  readonly dkim: DkimSignature | null
  /**
   * Commits the phase `finalizing`. A transport with `signalsFinalize` runs this effect once, before the end of data. When it fails, the
   * transport does not send the end of data and fails with the same error. After a success, a second run fails, and the attempt is ambiguous: the
   * transport may have sent the message before.
   */
  readonly beforeFinalize: Effect.Effect<void, HandOffRevoked>
}

/** The answer of the relay. The core classifies a refusal. */
export type HandOffOutcome =
  | { readonly _tag: "Accepted"; readonly reply: SmtpReply }
  | { readonly _tag: "Delivered"; readonly reply: SmtpReply }
  | {
      readonly _tag: "Refused"
      readonly reply: SmtpReply
      /**
       * `false` if the transport itself refused, so that the relay has not seen the envelope. The delivery is then not charged to the sending
       * allowance, and the refusal does not count as an answer of the relay. Default: `true` from the stage `mail` on.
       */
      readonly reachedRelay?: boolean
    }

/** Gives mail to a relay. After an interruption, the transport has ended the connection. */
export interface TransportShape {
  /** What this transport guarantees. Constant. */
  readonly capabilities: TransportCapabilities
  /**
   * One try to give the message to the relay, without a retry of its own: a retry after a lost answer doubles the mail. Interruptible at any point. The caller
   * enforces the deadline.
   */
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
 *     return { _tag: "Delivered", reply: { stage: "endOfData", smtpCode: 250, enhancedCode: "2.0.0", text: "Printed" } }
 *   }
 * })
 * ```
 */
export class Transport extends Context.Service<Transport, TransportShape>()("@mailkeep/core/port/Transport") {}
