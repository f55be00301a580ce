/**
 * What `readReports` returns: delivery status reports (bounces, delays, confirmations), complaints, and the facts that help to find the
 * delivery that a report is about.
 */
import type { BounceCause } from "@mailkeep/core/binding"

/** What a message is about, in the eyes of the reader of reports. */
export type MailReportKind = "delivery-status" | "complaint" | "automatic-reply" | "disposition" | "other"

/**
 * What the reporting system did with the message. Only `failed` is final and negative.
 *
 * Source: RFC 3464 §2.3.3
 */
export type DeliveryAction = "failed" | "delayed" | "delivered" | "relayed" | "expanded"

/** The SMTP command that the remote system refused. `data` covers the command `DATA` and the end of the message. */
export type RefusedCommand = "connect" | "mail" | "rcpt" | "data"

/** What a remote system reports about the delivery to one recipient. */
export interface DeliveryStatusReport {
  readonly _tag: "DeliveryStatus"
  /** The address that the reporting system tried. After a forward, this address differs from the one that was mailed. */
  readonly recipient: string | null
  /** The address as the sender gave it, if the report names it. */
  readonly originalRecipient: string | null
  readonly action: DeliveryAction
  /** Such as `5.1.1` (RFC 3463), from the field `Status` or the reply. A specific code of the remote system wins over the code of the reporting one. */
  readonly enhancedCode: string | null
  /** The three-digit SMTP reply code. */
  readonly smtpCode: number | null
  /** The command that was refused, if the report says so. */
  readonly command: RefusedCommand | null
  /** The reply or the explanation, on one line without control characters, at most 1,000 characters. Remote text: show it, never run it. */
  readonly diagnostic: string
  /** Why the delivery failed, as far as it matters for the address; `null` unless the action is `failed`. */
  readonly cause: BounceCause | null
  /** `true` if the fields of RFC 3464 were read, `false` if rules for free text were used. */
  readonly standard: boolean
}

/**
 * The type of a feedback report. An unregistered type is `other`. `not-spam` is the opposite of a complaint.
 *
 * Source: RFC 5965 §7.3, RFC 6591 §3.1
 */
export type FeedbackType = "abuse" | "fraud" | "virus" | "other" | "not-spam" | "auth-failure" | "opt-out"

/** What a recipient, or the system of a recipient, reports about a message that was delivered. */
export interface ComplaintReport {
  readonly _tag: "Complaint"
  readonly feedbackType: FeedbackType
  /** `Original-Rcpt-To`, or the only address in `To` of the returned message. Empty if the report hides the recipient. At most 100. */
  readonly recipients: ReadonlyArray<string>
  /** The envelope sender of the reported message. */
  readonly originalMailFrom: string | null
  /** `true` for a report of RFC 5965, `false` for another known format. */
  readonly standard: boolean
}

/** A report that a message carries. */
export type MailReport = DeliveryStatusReport | ComplaintReport

/**
 * Facts of the report that may name the delivery. They are hints from an unsigned message. Use the envelope recipient of the report, which is
 * the signed return path, to find the delivery. Use these hints only to confirm it, or for the log.
 */
export interface ReportCorrelation {
  /**
   * Addresses that may be the return path that was used: `To`, `Delivered-To`, `X-Original-To` and `Envelope-To` of the report, and
   * `Return-Path` of the returned message. In lower case, at most 20.
   */
  readonly returnPaths: ReadonlyArray<string>
  /** `Original-Envelope-Id`: what the sender gave as `ENVID`. */
  readonly envelopeId: string | null
  /** `Message-ID` of the returned message, then `In-Reply-To` and `X-Original-Message-ID` of the report. With angle brackets, at most 20. */
  readonly messageIds: ReadonlyArray<string>
}

/** What `readReports` found in a message. */
export interface MailReports {
  readonly kind: MailReportKind
  /** Empty unless the kind is `delivery-status` or `complaint`. At most 100. */
  readonly reports: ReadonlyArray<MailReport>
  readonly correlation: ReportCorrelation
}
