/**
 * What `readReports` returns: delivery status reports (bounces, delays, confirmations), complaints, and the facts that help to find the
 * delivery that a report is about.
 */

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

/**
 * Why a delivery failed, as far as it matters for the address. The cause `mailbox-unknown` is a mailbox that does not exist. The cause
 * `domain-unknown` is a domain that does not exist or takes no mail. The cause `expired` means temporary failures until the system gave up.
 * The cause `refused` is every other one, and every doubt.
 */
export type FailureCause = "mailbox-unknown" | "domain-unknown" | "expired" | "refused"

/** What a remote system reports about the delivery to one recipient. */
export interface DeliveryStatusReport {
  readonly _tag: "DeliveryStatus"
  /** The address that the reporting system tried. After a forward, this address differs from the one that was mailed. */
  readonly recipient: string | null
  /** The address as the sender gave it, if the report names it. */
  readonly originalRecipient: string | null
  readonly action: DeliveryAction
  /** An enhanced status code such as `5.1.1`. A specific code of the remote system wins over the code of the reporting one. */
  readonly status: string | null
  /** The three-digit SMTP reply code. */
  readonly code: number | null
  /** The command that was refused, if the report says so. */
  readonly command: RefusedCommand | null
  /** The reply or the explanation, on one line without control characters, at most 1,000 characters. Remote text: show it, never run it. */
  readonly diagnostic: string
  /** `null` unless the action is `failed`. */
  readonly cause: FailureCause | null
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

/**
 * Says how a failed delivery bounced: `hard` if the mailbox or the domain does not exist, otherwise `soft`. Returns `null` if the delivery has
 * not failed.
 */
export const bounceTypeOf = (report: DeliveryStatusReport): "hard" | "soft" | null => {
  if (report.action !== "failed") return null
  return report.cause === "mailbox-unknown" || report.cause === "domain-unknown" ? "hard" : "soft"
}
