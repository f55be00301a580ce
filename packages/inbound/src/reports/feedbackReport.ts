/**
 * Reads complaints: the part `message/feedback-report` of RFC 5965, and the complaint of Outlook.com, which has no such part.
 * Source: RFC 5965 §3, RFC 6591 §3
 */
import { addressesIn, addressOfField } from "./addresses.ts"
import { firstValue, valuesOf } from "../mime/headerFields.ts"
import type { ParsedHeaderFields } from "../mime/headerFields.ts"
import type { ComplaintReport, FeedbackType } from "./MailReport.ts"
import { subjectOf } from "./subject.ts"

const complaintRecipientsMax = 100
const receiversCharactersMax = 65_536

/** The type in its field. Comments may be before it. Source: RFC 5965 §3. */
const typeForm = /^(?:\s*\([^()]*\))*\s*([a-z-]+)/i

const feedbackTypes: ReadonlySet<string> = new Set(["abuse", "fraud", "virus", "not-spam", "auth-failure", "opt-out"])
const isFeedbackType = (text: string): text is FeedbackType => feedbackTypes.has(text)

/** Only one address can be the recipient of the report. Several in `To` say nothing about who complained. */
const onlyRecipientOf = (returned: ParsedHeaderFields): ReadonlyArray<string> => {
  const receivers = [...valuesOf(returned, "to"), ...valuesOf(returned, "cc")].join(", ")
  const found = addressesIn(receivers.slice(0, receiversCharactersMax), 2)
  return found.length === 1 ? found : []
}

const addressesOf = (values: ReadonlyArray<string>): ReadonlyArray<string> =>
  values
    .slice(0, complaintRecipientsMax)
    .map(addressOfField)
    .filter((address) => address !== null)

/** Returns the complaint that the fields describe. `returned` are the header fields of the returned message. */
export const complaintOf = (fields: ParsedHeaderFields, returned: ParsedHeaderFields): ComplaintReport => {
  const type = typeForm.exec(firstValue(fields, "feedback-type") ?? "")?.[1]?.toLowerCase() ?? ""
  const named = addressesOf([...valuesOf(fields, "original-rcpt-to"), ...valuesOf(fields, "removal-recipient")])
  return {
    _tag: "Complaint",
    feedbackType: isFeedbackType(type) ? type : "other",
    recipients: named.length > 0 ? named : onlyRecipientOf(returned),
    originalMailFrom: addressOfField(firstValue(fields, "original-mail-from")),
    standard: true
  }
}

/**
 * Reads the complaint of Outlook.com: the message, returned as it is, with a field that names the recipient. Returns `null` for any other
 * message.
 */
export const outlookComplaintOf = (
  headers: ParsedHeaderFields,
  returned: ParsedHeaderFields
): ComplaintReport | null => {
  const recipient = addressOfField(firstValue(returned, "x-hmxmroriginalrecipient"))
  if (recipient === null || !/^\s*complaint about message\b/i.test(subjectOf(headers))) return null
  return {
    _tag: "Complaint",
    feedbackType: "abuse",
    recipients: [recipient],
    originalMailFrom: addressOfField(firstValue(returned, "return-path")),
    standard: false
  }
}
