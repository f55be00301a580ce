/**
 * Reads the fields of a delivery status notification, from the part `message/delivery-status` or from a text that contains them.
 * Source: RFC 3464 §2, RFC 6533 §3
 */
import { addressOfField, isSameAddress } from "./addresses.ts"
import { chosenStatus, codesIn, shownDiagnostic, statusOfField } from "./enhancedStatus.ts"
import { statusReportOf } from "./failureCause.ts"
import { firstValue, headerFieldsOf } from "../mime/headerFields.ts"
import type { ParsedHeaderFields } from "../mime/headerFields.ts"
import type { DeliveryAction, DeliveryStatusReport } from "./MailReport.ts"
import type { RefusedCommands } from "./refusedCommand.ts"

/** Recipients of one notification that are read. */
const recipientsMax = 100
const blocksMax = 1000

/** The notification as its fields. */
export interface StatusFields {
  /** The fields about the message, such as `Original-Envelope-Id`. */
  readonly message: ParsedHeaderFields
  /** The fields about each recipient, at most 100. */
  readonly recipients: ReadonlyArray<ParsedHeaderFields>
}

/** The words of RFC 3464 §2.3.3, and the forms that occur instead. */
const actionTexts: ReadonlyArray<readonly [RegExp, DeliveryAction]> = [
  [/^fail/i, "failed"],
  [/^(?:delay|defer)/i, "delayed"],
  [/^deliver/i, "delivered"],
  [/^relay/i, "relayed"],
  [/^expan/i, "expanded"]
]

/** A block of fields is about a recipient if it names one, or if it has an action. */
const isAboutRecipient = (fields: ParsedHeaderFields): boolean =>
  fields.has("final-recipient") ||
  fields.has("original-recipient") ||
  (fields.has("action") && fields.has("diagnostic-code"))

const firstOfRecipient = /^(final-recipient|original-recipient|action)[ \t]*:/i

/** Some systems leave out the empty line between two recipients. A repeated field begins the next one. */
const withoutMissingBreaks = (block: string): ReadonlyArray<string> => {
  const blocks: Array<Array<string>> = [[]]
  let seen = new Set<string>()
  for (const line of block.split("\n")) {
    const name = firstOfRecipient.exec(line)?.[1]?.toLowerCase()
    if (name !== undefined && seen.has(name)) {
      blocks.push([])
      seen = new Set()
    }
    if (name !== undefined) seen.add(name)
    blocks.at(-1)?.push(line)
  }
  return blocks.map((lines) => lines.join("\n"))
}

/** Splits at empty lines. */
const blocksOf = (text: string): ReadonlyArray<ParsedHeaderFields> =>
  text
    .split(/\n[ \t]*\n/, blocksMax)
    .flatMap(withoutMissingBreaks)
    .map(headerFieldsOf)
    .filter((fields) => fields.size > 0)

const messageFieldsOf = (blocks: ReadonlyArray<ParsedHeaderFields>): ParsedHeaderFields =>
  blocks.find((fields) => fields.has("reporting-mta") || fields.has("original-envelope-id")) ?? new Map()

/** Reads a part `message/delivery-status`. */
export const statusFieldsOf = (text: string): StatusFields => {
  const blocks = blocksOf(text)
  const recipients = blocks.filter(isAboutRecipient).slice(0, recipientsMax)
  return { message: messageFieldsOf(blocks), recipients }
}

/**
 * Reads the same fields from a text in which they are not a part of their own, as some gateways and broken messages have them. A block counts
 * only with both a recipient and an action.
 */
export const statusFieldsInText = (text: string): StatusFields => {
  const blocks = blocksOf(text)
  const recipients = blocks.filter((fields) => isAboutRecipient(fields) && fields.has("action")).slice(0, recipientsMax)
  return { message: messageFieldsOf(blocks), recipients }
}

/** `Action` decides. Without it, the class of the status decides. */
const actionOf = (
  fields: ParsedHeaderFields,
  enhancedCode: string | null,
  smtpCode: number | null
): DeliveryAction | null => {
  const word = firstValue(fields, "action") ?? ""
  const [, named] = actionTexts.find(([text]) => text.test(word)) ?? []
  if (named !== undefined) return named
  const kind = enhancedCode?.[0] ?? smtpCode?.toString()[0]
  return kind === "5" ? "failed" : kind === "4" ? "delayed" : kind === "2" ? "relayed" : null
}

/** What the rest of the message adds to the fields. */
export interface StatusContext {
  /** `X-Failed-Recipients` of the report. */
  readonly failedRecipients: ReadonlyArray<string>
  readonly commands: RefusedCommands
  /** What the explanation says about a recipient, for a report without `Diagnostic-Code`. */
  readonly explanationFor: (recipient: string) => string
}

const recipientOf = (fields: ParsedHeaderFields, { failedRecipients }: StatusContext): string | null => {
  const named =
    addressOfField(firstValue(fields, "final-recipient")) ?? addressOfField(firstValue(fields, "original-recipient"))
  // Exim names the file or the program that failed. The header names the address.
  return named ?? (failedRecipients.length === 1 ? (failedRecipients[0] ?? null) : null)
}

const diagnosticOf = (fields: ParsedHeaderFields): { readonly type: string | null; readonly text: string } => {
  const value = firstValue(fields, "diagnostic-code") ?? ""
  const [, type, text] = /^\s*([a-z0-9-]{1,40})[ \t]*;(.*)$/is.exec(value) ?? []
  return { type: type?.toLowerCase() ?? null, text: (text ?? value).trim() }
}

/** The text from the first opening parenthesis to the last closing one. */
const commentOf = (value: string): string => {
  const start = value.indexOf("(")
  return start < 0 ? "" : value.slice(start + 1, Math.max(start + 1, value.lastIndexOf(")")))
}

const reportOf = (fields: ParsedHeaderFields, context: StatusContext): DeliveryStatusReport | null => {
  const recipient = recipientOf(fields, context)
  const { type, text } = diagnosticOf(fields)
  const statusField = firstValue(fields, "status")
  const explanation = text === "" && recipient !== null ? context.explanationFor(recipient) : ""
  const comment = commentOf(statusField ?? "")
  const diagnostic = shownDiagnostic(text || explanation || comment)
  const codes = codesIn(diagnostic)
  const reportedEnhancedCode = statusOfField(statusField)
  const enhancedCode = chosenStatus(reportedEnhancedCode, codes.enhancedCode)
  const action = actionOf(fields, enhancedCode, codes.smtpCode)
  if (action === null) return null
  const command = context.commands.commandFor([text, explanation, recipient ?? ""])
  const category = firstValue(fields, "x-powermta-bouncecategory")?.toLowerCase() ?? null
  const facts = {
    reportedEnhancedCode,
    remoteEnhancedCode: codes.enhancedCode,
    enhancedCode,
    smtpCode: codes.smtpCode,
    command,
    diagnostic,
    diagnosticType: type,
    category,
    recipient,
    standard: true
  }
  return statusReportOf(facts, action, addressOfField(firstValue(fields, "original-recipient")))
}

/** Returns a report per recipient. Of two blocks about the same recipient and action, the first counts. */
export const statusReportsOf = (fields: StatusFields, context: StatusContext): ReadonlyArray<DeliveryStatusReport> => {
  const reports: Array<DeliveryStatusReport> = []
  for (const each of fields.recipients.slice(0, recipientsMax)) {
    const report = reportOf(each, context)
    if (report === null) continue
    const isRepeated = reports.some(
      ({ recipient, action }) =>
        action === report.action &&
        recipient !== null &&
        report.recipient !== null &&
        isSameAddress(recipient, report.recipient)
    )
    if (!isRepeated) reports.push(report)
  }
  return reports
}
