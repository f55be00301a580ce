/**
 * The port of a transport that keeps the mail that it gets, such as the stub. The development mailbox shows this mail. Source: decision 0058.
 */
import type { Effect } from "effect"
import { Context } from "effect"
import type { Instant } from "../domain/value/Instant.ts"
import type { HandOff, TransportUnavailable } from "./Transport.ts"

/** The last hand-off of a delivery. */
export interface CapturedMail extends Pick<HandOff, "projectId" | "deliveryId" | "attempt" | "envelope" | "message"> {
  /** When the hand-off began. */
  readonly at: Instant
}

/** Every outcome that a program can choose for the next hand-off to an address. */
export const nextOutcomes = ["accepted", "delivered", "deferred", "refused", "ambiguous"] as const
/**
 * The outcome of the next hand-off to an address. With `accepted`, a relay accepts the message and passes it on. With `delivered`, the server
 * of the recipient accepts it. `deferred` is a temporary refusal, and `refused` a permanent one. With `ambiguous`, the connection is lost after the
 * message and before the reply.
 */
export type NextOutcome = (typeof nextOutcomes)[number]

/** A message as SMTP would send it. */
export interface MailSource {
  /** In bytes. */
  readonly size: number
  /** Reads the bytes from the first one. */
  readonly read: () => AsyncIterable<Uint8Array>
}

/** A bounded memory of the mail that a transport got, and the outcomes that it gives next. */
export interface MailCaptureShape {
  /** Grows with each hand-off, each chosen outcome and each `clear`. */
  readonly version: () => number
  /** The kept mail by delivery, newest first. */
  readonly mails: () => ReadonlyArray<CapturedMail>
  /** The kept mail of this delivery. */
  readonly find: (deliveryId: string) => CapturedMail | undefined
  /** The MIME message that SMTP would send, with the same bytes; `null` if the mail is no longer kept. */
  readonly source: (deliveryId: string) => Effect.Effect<MailSource | null, TransportUnavailable>
  /** Chooses the outcome of the next hand-off to this address; `null` removes the choice. Compares addresses in lower case. */
  readonly setNextOutcome: (recipient: string, outcome: NextOutcome | null) => void
  /** The chosen outcomes, oldest first. */
  readonly nextOutcomes: () => ReadonlyArray<{ readonly recipient: string; readonly outcome: NextOutcome }>
  /** Forgets the kept mail. The log of the deliveries stays. */
  readonly clear: () => void
}

/**
 * The mail that a transport kept. A transport that sends mail does not provide this port.
 *
 * @example
 * ```ts
 * import { MailCapture } from "@mailkeep/core/adapter"
 * import { Effect } from "effect"
 *
 * export const subjects = Effect.map(MailCapture, ({ mails }) => mails().map(({ message }) => message.subject))
 * ```
 */
export class MailCapture extends Context.Service<MailCapture, MailCaptureShape>()("@mailkeep/core/port/MailCapture") {}
