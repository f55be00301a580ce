/**
 * Reads bounces in free text, as Exim, qmail, old sendmail, Exchange 5.5 and many gateways write them. Each paragraph of the explanation that
 * begins with an address, or that names one after a word of failure, is about a recipient.
 */
import { hasSubjectOfReply, isAutomaticReply } from "./automaticReply.ts"
import { addressSource } from "@mailkeep/core/binding"
import { addressesIn, isSameAddress } from "./addresses.ts"
import { codesIn, shownDiagnostic } from "./enhancedStatus.ts"
import { statusReportOf } from "./failureCause.ts"
import { firstValue, valuesOf } from "../mime/headerFields.ts"
import type { ParsedHeaderFields } from "../mime/headerFields.ts"
import type { DeliveryAction, DeliveryStatusReport } from "./MailReport.ts"
import { refusedCommandsIn } from "./refusedCommand.ts"
import { subjectOf } from "./subject.ts"
import {
  daemonLocalPart,
  daemonName,
  delayText,
  failureText,
  finalText,
  introducerText,
  isSeparator,
  isTraceField,
  noReplyLocalPart,
  permanentReplyLine,
  refusalLine,
  statusField
} from "./textBounceRules.ts"

const recipientsMax = 100
const linesMax = 2000
const lineCharactersMax = 1000

/** Whether a mail has a sign of a bounce besides the null sender. The vacation program of a person may send with the null sender too. */
const looksLikeBounce = (headers: ParsedHeaderFields, localPart: string, explanation: string): boolean =>
  noReplyLocalPart.test(localPart) ||
  mentionsFailure(subjectOf(headers), "") ||
  codesIn(explanation).enhancedCode !== null

/**
 * Says whether a mail system sent the message. Vacation programs may send with a null sender or under a similar name, but most of them mark
 * their messages, so the weak signs count only without a mark.
 */
export const isFromMailSystem = (
  headers: ParsedHeaderFields,
  envelopeSender: string | null,
  explanation: string
): boolean => {
  if (headers.has("x-failed-recipients")) return true
  if (hasSubjectOfReply(headers)) return false
  const from = firstValue(headers, "from")?.slice(0, 1000) ?? ""
  const localPart = addressesIn(from, 1)[0]?.split("@")[0] ?? from.trim()
  if (from.includes("<>") || daemonLocalPart.test(localPart)) return true
  if (headers.has("auto-submitted") || headers.has("precedence") || isAutomaticReply(headers)) return false
  if (daemonName.test(from)) return true
  const returnPath = firstValue(headers, "return-path")
  const isNullSender = envelopeSender === "" || returnPath === "" || /^<(?:mailer-daemon)?>$/i.test(returnPath ?? "")
  return isNullSender && looksLikeBounce(headers, localPart, explanation)
}

/** Says whether the subject or the text speaks of a delivery that failed or is late. */
export const mentionsFailure = (subject: string, explanation: string): boolean => {
  const text = `${subject.slice(0, 500)}\n${explanation.slice(0, 4000)}`.replace(/\s+/g, " ")
  return failureText.test(text) || delayText.test(text) || refusalLine.test(explanation.slice(0, 4000))
}

/** The text before the returned message, and the returned message. */
export interface SplitText {
  readonly explanation: string
  readonly returned: string
}

/** Splits a text at the line that introduces the returned message. Reads at most 2,000 lines. */
export const splitReturned = (text: string): SplitText => {
  const lines = text.split("\n", linesMax)
  const at = lines.findIndex((line, index) => isSeparator(line) || (index > 0 && isTraceField(line)))
  if (at === -1) return { explanation: lines.join("\n"), returned: "" }
  const separator = lines[at] ?? ""
  return {
    explanation: lines.slice(0, at).join("\n"),
    returned: lines.slice(isTraceField(separator) ? at : at + 1).join("\n")
  }
}

interface Paragraph {
  readonly recipient: string
  readonly lines: ReadonlyArray<string>
}

const atLineStart = new RegExp(
  `^[\\s>*•–-]{0,20}["'<]{0,2}(${addressSource})["'>]{0,2}(?:\\s*<(${addressSource})>)?`,
  "u"
)
const afterReply = new RegExp(
  `^\\s*(?:<<<\\s*)?[245]\\d\\d[ -](?:[245]\\.\\d{1,3}\\.\\d{1,3} )?<(${addressSource})>`,
  "u"
)

/** Returns the address that a line is about. In `name@a.example <ada@b.example>` it is the one in brackets. */
const addressOfLine = (line: string): string | null => {
  if (statusField.test(line)) return null
  const [, plain, bracketed] = atLineStart.exec(line) ?? []
  if (bracketed !== undefined || plain !== undefined) return bracketed ?? plain ?? null
  const [, replied] = afterReply.exec(line) ?? []
  if (replied !== undefined) return replied
  const [address] = addressesIn(line, 1)
  if (address === undefined) return null
  return introducerText.test(line.slice(0, line.indexOf(address)).slice(-120)) ? address : null
}

/** A transcript of sendmail 5 names the recipient after the dialogue; every other text names it first. */
const isTranscriptOnly = (explanation: string): boolean =>
  /transcript of (?:the )?session follows/i.test(explanation) && !/following addresses had/i.test(explanation)

const paragraphsOf = (explanation: string, excluded: ReadonlyArray<string>): ReadonlyArray<Paragraph> => {
  const namesLast = isTranscriptOnly(explanation)
  const paragraphs: Array<{ recipient: string; lines: Array<string> }> = []
  let pending: Array<string> = []
  for (const each of explanation.split("\n")) {
    const line = each.slice(0, lineCharactersMax)
    const found = line.includes("@") ? addressOfLine(line) : null
    const recipient = found !== null && !excluded.some((one) => isSameAddress(one, found)) ? found : null
    const current = paragraphs.at(-1)
    if (recipient === null || (current !== undefined && isSameAddress(current.recipient, recipient))) {
      if (namesLast && recipient === null) pending.push(line)
      else current?.lines.push(line)
      continue
    }
    if (paragraphs.length >= recipientsMax) break
    paragraphs.push({ recipient, lines: [...pending, line] })
    pending = []
  }
  return paragraphs
}

/** Joins the lines of a recipient that is named several times. */
const joined = (paragraphs: ReadonlyArray<Paragraph>): ReadonlyArray<Paragraph> => {
  const byRecipient = new Map<string, Paragraph>()
  for (const { recipient, lines } of paragraphs) {
    const folded = recipient.toLowerCase()
    const first = byRecipient.get(folded)
    byRecipient.set(
      folded,
      first === undefined ? { recipient, lines } : { ...first, lines: [...first.lines, ...lines] }
    )
  }
  return [...byRecipient.values()]
}

/** Returns what an explanation says about each recipient, by the address in lower case. */
export const paragraphsByRecipient = (explanation: string): ReadonlyMap<string, string> =>
  new Map(
    joined(paragraphsOf(explanation, [])).map(({ recipient, lines }) => [recipient.toLowerCase(), lines.join("\n")])
  )

const recipientFieldsCharactersMax = 65_536

/** The addresses of `X-Failed-Recipients`, which Exim and Gmail set. */
export const failedRecipientsOf = (headers: ParsedHeaderFields): ReadonlyArray<string> =>
  addressesIn(valuesOf(headers, "x-failed-recipients").join(", ").slice(0, recipientFieldsCharactersMax), recipientsMax)

/** The diagnostic codes of the Internet Mail Service of Exchange 5.5 that name an unknown recipient. */
const exchangeCodes: ReadonlyMap<string, string> = new Map([["000C05A6", "5.1.1"]])

const exchangeEnhancedCodeIn = (text: string): string | null => {
  const [, code] = /\bMSEXCH:.{0,300}\(([0-9A-F]{8})\)/s.exec(text) ?? []
  return exchangeCodes.get(code ?? "") ?? null
}

const codeCharactersMax = 1000

/** The beginning of a text, with its line breaks: a code at the beginning of a line is one. */
const trimmedLines = (text: string): string => {
  const lines = text.slice(0, 4 * codeCharactersMax).split("\n")
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n")
    .slice(0, codeCharactersMax)
}

const reportOf = (action: DeliveryAction, recipient: string | null, text: string): DeliveryStatusReport => {
  const diagnostic = shownDiagnostic(text)
  const { smtpCode, enhancedCode: found } = codesIn(trimmedLines(text))
  const enhancedCode = found ?? exchangeEnhancedCodeIn(diagnostic)
  const command = refusedCommandsIn(text).commandFor([])
  const facts = {
    reportedEnhancedCode: null,
    remoteEnhancedCode: enhancedCode,
    enhancedCode,
    smtpCode,
    command,
    diagnostic,
    diagnosticType: null,
    category: null,
    recipient,
    standard: false
  }
  return statusReportOf(facts, action, null)
}

/** The addresses of the fields that name the sender and the receiver of the bounce. No failed recipient is among them. */
const ownAddressesOf = (headers: ParsedHeaderFields): ReadonlyArray<string> => {
  const values = ["to", "from", "reply-to"].flatMap((name) => valuesOf(headers, name))
  return addressesIn(values.join(", ").slice(0, recipientFieldsCharactersMax), recipientsMax)
}

const paragraphsOfBounce = (headers: ParsedHeaderFields, explanation: string): ReadonlyArray<Paragraph> => {
  const failed = failedRecipientsOf(headers)
  if (failed.length === 0) return joined(paragraphsOf(explanation, ownAddressesOf(headers)))
  const paragraphs = paragraphsByRecipient(explanation)
  return failed.map((recipient) => ({ recipient, lines: [paragraphs.get(recipient.toLowerCase()) ?? ""] }))
}

const hasCode = (text: string): boolean => {
  const { smtpCode, enhancedCode } = codesIn(text)
  return smtpCode !== null || enhancedCode !== null
}

/** Some texts name the reason before the address. */
const namesNoReason = (own: string, explanation: string, recipient: string): boolean =>
  shownDiagnostic(own).length < recipient.length + 8 || (!hasCode(own) && hasCode(explanation))

const actionOf = (subject: string, explanation: string): DeliveryAction => {
  const statement = `${subject.slice(0, 500)}\n${explanation.slice(0, 8000)}`.replace(/\s+/g, " ")
  return delayText.test(statement) && !finalText.test(statement) ? "delayed" : "failed"
}

/**
 * Reads the recipients of a bounce. `explanation` is the text before the returned message. `subject` and `explanation` are those of the mail system,
 * without the subject of the returned message. Call this only for a message that a mail system sent and that speaks of a failure.
 */
export const textBounceReports = (
  headers: ParsedHeaderFields,
  subject: string,
  explanation: string
): ReadonlyArray<DeliveryStatusReport> => {
  const action = actionOf(subject, explanation)
  const paragraphs = paragraphsOfBounce(headers, explanation)
  return paragraphs.map(({ recipient, lines }) => {
    const own = lines.join("\n")
    const isReasonElsewhere = paragraphs.length === 1 && namesNoReason(own, explanation, recipient)
    return reportOf(action, recipient, isReasonElsewhere ? explanation : own)
  })
}

/**
 * Reads a bounce that names no recipient, as Yahoo and Exim write them. Only words or a reply that are final count. Such a bounce shows nothing about
 * the address that was mailed, because the failed one may be the member of an alias.
 */
export const unnamedBounceReports = (subject: string, explanation: string): ReadonlyArray<DeliveryStatusReport> => {
  const isFinal =
    finalText.test(explanation.slice(0, 8000).replace(/\s+/g, " ")) || permanentReplyLine.test(explanation)
  if (!isFinal || actionOf(subject, explanation) !== "failed") return []
  const report = reportOf("failed", null, explanation)
  return [{ ...report, cause: report.cause === "expired" ? "expired" : "refused" }]
}
