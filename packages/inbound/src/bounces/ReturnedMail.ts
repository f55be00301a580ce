/**
 * What a bounce listener asks and does. A program can give its own.
 */
import type { StoreUnavailable } from "@mailkeep/core"
import type { Effect } from "effect"
import type { MailReports } from "../reports/MailReport.ts"

/** A returned message, for one recipient of its envelope. */
export interface ReturnedMessage {
  /** The address that the other server gave in `MAIL`; empty for `<>`. */
  readonly envelopeSender: string
  /** The address that the other server gave in `RCPT`. It is the return path of a delivery. */
  readonly envelopeRecipient: string
  /** The message, or the first 10 MiB of a larger one. A report is at the beginning, before the message that it is about. */
  readonly raw: Uint8Array
  /** What `readReports` finds in the message. The message is read once for all its recipients, at the first call. */
  readonly reports: () => MailReports
}

/**
 * What became of a message. The outcome `recorded` means that its reports are stored, or that they say nothing new. The outcome `unmatched`
 * means that no delivery has this return path. The outcome `no_report` means that the message reports nothing final, such as a delay.
 */
export type ReturnedOutcome = "recorded" | "unmatched" | "no_report"

/** What a bounce listener asks and does. */
export interface ReturnedMail {
  /** Whether mail to this address is taken. Every other address is refused before its message is read. */
  readonly isReturnPath: (address: string) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Records what the message reports. It runs once for each recipient of the envelope; addresses that differ only in case are one recipient. It
   * may run again for the same message.
   */
  readonly receive: (message: ReturnedMessage) => Effect.Effect<ReturnedOutcome, StoreUnavailable>
}
