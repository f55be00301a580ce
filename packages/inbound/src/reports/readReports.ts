/**
 * Reads a raw message that came back: a delivery status notification, a bounce in free text, a complaint, an automatic reply or something
 * else. A pure function: it throws nothing, and it takes bounded time and memory for any bytes.
 */
import { decodedText, decodedTexts } from "./decodedText.ts"
import { isAutomaticReply, isDispositionNotification } from "./automaticReply.ts"
import { statusFieldsInText, statusFieldsOf, statusReportsOf } from "./deliveryStatus.ts"
import type { StatusContext, StatusFields } from "./deliveryStatus.ts"
import { complaintOf, outlookComplaintOf } from "./feedbackReport.ts"
import { headerFieldsOf } from "../mime/headerFields.ts"
import type { ParsedHeaderFields } from "../mime/headerFields.ts"
import type { MailReport, MailReportKind, MailReports } from "./MailReport.ts"
import { readMimeMessage } from "./mimeParts.ts"
import type { MimeMessage, MimePart } from "./mimeParts.ts"
import { ownSubjectOf, withoutSubjectLines } from "./quotedSubject.ts"
import { refusedCommandsIn } from "./refusedCommand.ts"
import { correlationOf } from "./reportCorrelation.ts"
import { subjectOf } from "./subject.ts"
import {
  failedRecipientsOf,
  isFromMailSystem,
  paragraphsByRecipient,
  mentionsFailure,
  splitReturned,
  textBounceReports,
  unnamedBounceReports
} from "./textBounce.ts"

/** What the receiver of a message knows about it besides its bytes. */
export interface ReadReportsOptions {
  /** The envelope sender (`MAIL FROM`), without brackets. Empty for the null sender. `null` or absent if it is not known. */
  readonly envelopeSender?: string | null
}

const explanationCharactersMax = 65_536
const statusPartsMax = 10

const isStatusPart = ({ type }: MimePart): boolean =>
  type === "message/delivery-status" || type === "message/global-delivery-status"
const isFeedbackPart = ({ type }: MimePart): boolean => type === "message/feedback-report"
const isReturnedPart = ({ type }: MimePart): boolean =>
  type === "message/rfc822" ||
  type === "message/global" ||
  type === "text/rfc822-headers" ||
  type === "message/global-headers"
const isTextPart = ({ type }: MimePart): boolean => type === "text/plain" || type.startsWith("multipart/")

/** The message in the shape in which the rules need it. */
interface ReadableMessage {
  readonly mime: MimeMessage
  /** The subject, without the subject of the returned message. */
  readonly subject: string
  /** The text for people, without the returned message and its subject. */
  readonly explanation: string
  /** The returned message, as far as it is needed. */
  readonly returnedText: string
  readonly returned: ParsedHeaderFields
}

/** The header fields at the beginning of a text, which may begin with empty lines. */
const headerAtStart = (text: string): ParsedHeaderFields =>
  headerFieldsOf(text.trimStart().split(/\n[ \t]*\n/, 1)[0] ?? "")

const readableOf = (mime: MimeMessage): ReadableMessage => {
  const returnedAt = mime.parts.findIndex(isReturnedPart)
  const before = returnedAt === -1 ? mime.parts : mime.parts.slice(0, returnedAt)
  const plain = before.filter(isTextPart)
  const shown = plain.length > 0 ? plain : before.filter(({ type }) => type === "text/html").slice(0, 1)
  const text = decodedTexts(shown).join("\n")
  const { explanation, returned } = splitReturned(text.slice(0, explanationCharactersMax))
  const returnedPart = mime.parts[returnedAt]
  const returnedText = returnedPart === undefined ? returned : decodedText(returnedPart)
  const returnedHeader = headerAtStart(returnedText)
  const returnedSubject = subjectOf(returnedHeader)
  return {
    mime,
    subject: ownSubjectOf(subjectOf(mime.headers), returnedSubject),
    explanation: withoutSubjectLines(explanation, returnedSubject),
    returnedText,
    returned: returnedHeader
  }
}

const noFields: ParsedHeaderFields = new Map()

const answer = (
  { mime, returned }: ReadableMessage,
  kind: MailReportKind,
  reports: ReadonlyArray<MailReport> = [],
  report: ParsedHeaderFields = noFields
): MailReports => ({ kind, reports, correlation: correlationOf({ headers: mime.headers, report, returned }) })

const contextOf = ({ mime, explanation }: ReadableMessage): StatusContext => {
  const paragraphs = paragraphsByRecipient(explanation)
  return {
    failedRecipients: failedRecipientsOf(mime.headers),
    commands: refusedCommandsIn(explanation),
    explanationFor: (recipient) => paragraphs.get(recipient.toLowerCase()) ?? ""
  }
}

const mergedFields = (parts: ReadonlyArray<StatusFields>): StatusFields => ({
  message: parts[0]?.message ?? noFields,
  recipients: parts.flatMap(({ recipients }) => recipients)
})

const complaintIn = (message: ReadableMessage): MailReports | null => {
  const { mime, returned } = message
  const part = mime.parts.find(isFeedbackPart)
  if (part !== undefined) {
    const fields = headerFieldsOf(decodedText(part))
    return answer(message, "complaint", [complaintOf(fields, returned)], fields)
  }
  const complaint = outlookComplaintOf(mime.headers, returned)
  return complaint === null ? null : answer(message, "complaint", [complaint])
}

const statusAnswer = (message: ReadableMessage, fields: StatusFields): MailReports | null => {
  if (fields.recipients.length === 0) return null
  const reports = statusReportsOf(fields, contextOf(message))
  return reports.length === 0 ? null : answer(message, "delivery-status", reports, fields.message)
}

const isReportMessage = ({ type, parts }: MimeMessage): boolean =>
  type === "multipart/report" && parts.some(isStatusPart)

/**
 * A gateway may wrap the notification of another system in a message of its own, as a part or as text. The wrapped message is read only if
 * the gateway itself reports nothing, because the returned message of any other bounce is no evidence.
 */
const wrappedAnswer = ({ mime, returnedText }: ReadableMessage): MailReports | null => {
  if (mime.type === "multipart/report") return null
  const part = mime.parts.find(({ type }) => type === "message/rfc822")
  const inner = part?.body ?? new TextEncoder().encode(returnedText.trimStart())
  const wrapped = readMimeMessage(inner)
  return isReportMessage(wrapped) ? readAny(wrapped, null) : null
}

const bounceIn = (message: ReadableMessage, envelopeSender: string | null): MailReports | null => {
  const { mime, subject, explanation } = message
  if (mime.type !== "multipart/report" && !isFromMailSystem(mime.headers, envelopeSender, explanation)) return null
  const inText = statusAnswer(message, statusFieldsInText(explanation))
  if (inText !== null) return inText
  const speaks = mentionsFailure(subject, explanation)
  const named = speaks ? textBounceReports(mime.headers, subject, explanation) : []
  if (named.length > 0) return answer(message, "delivery-status", named)
  const wrapped = wrappedAnswer(message)
  if (wrapped !== null || !speaks) return wrapped
  const unnamed = unnamedBounceReports(subject, explanation)
  return unnamed.length > 0 ? answer(message, "delivery-status", unnamed) : null
}

const readAny = (mime: MimeMessage, envelopeSender: string | null): MailReports => {
  const message = readableOf(mime)
  const complaint = complaintIn(message)
  if (complaint !== null) return complaint
  const statusParts = decodedTexts(mime.parts.filter(isStatusPart).slice(0, statusPartsMax)).map(statusFieldsOf)
  const status = statusAnswer(message, mergedFields(statusParts))
  if (status !== null) return status
  if (isDispositionNotification(mime)) return answer(message, "disposition")
  const bounce = bounceIn(message, envelopeSender)
  if (bounce !== null) return bounce
  return answer(message, isAutomaticReply(mime.headers) ? "automatic-reply" : "other")
}

/**
 * Reads the reports of a raw message. At most 10 MiB are read; limits on levels, parts, headers and texts keep the work bounded. A message
 * that is no report gives no report and no failure.
 *
 * @example
 * ```ts
 * import { readReports } from "@mailkeep/inbound"
 *
 * const raw = [
 *   'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
 *   "",
 *   "--b",
 *   "Content-Type: message/delivery-status",
 *   "",
 *   "Reporting-MTA: dns; mx.example.org",
 *   "",
 *   "Final-Recipient: rfc822; ada@example.org",
 *   "Action: failed",
 *   "Status: 5.1.1",
 *   "--b--"
 * ].join("\r\n")
 *
 * const { kind, reports } = readReports(new TextEncoder().encode(raw))
 * console.log(kind, reports[0]?._tag === "DeliveryStatus" && reports[0].cause) // delivery-status mailbox_unknown
 * ```
 */
export const readReports = (raw: Uint8Array, options: ReadReportsOptions = {}): MailReports =>
  readAny(readMimeMessage(raw), options.envelopeSender ?? null)
