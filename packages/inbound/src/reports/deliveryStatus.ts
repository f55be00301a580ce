/**
 * Reads the fields of a delivery status notification, from the part `message/delivery-status` or from a text that contains them.
 * Source: RFC 3464 §2, RFC 6533 §3
 */
import { addressOfField, isSameAddress } from "./addresses.ts"
import { chosenStatus, codesIn, shownDiagnostic, statusOfField } from "./enhancedStatus.ts"
import type { RefusalCodes } from "./enhancedStatus.ts"
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

/** OpenSMTPD returns a message whose time in the queue is over with this text, and calls it delayed. */
const expiredText = /\bEnvelope expired\b/

/** `Action` decides. Without it, the class of the status decides. */
const actionOf = (
  fields: ParsedHeaderFields,
  { enhancedCode, smtpCode }: RefusalCodes,
  diagnostic: string
): DeliveryAction | null => {
  const word = firstValue(fields, "action") ?? ""
  const [, named] = actionTexts.find(([text]) => text.test(word)) ?? []
  if (named === "delayed" && enhancedCode?.endsWith(".4.7") === true && expiredText.test(diagnostic)) return "failed"
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

const nearCharacters = 40

/**
 * Exim reports each failed member of an alias under the name of the alias. Its header and its explanation name the members. Returns the next member
 * that has this reply, or `null` if the recipient is no such alias.
 */
const memberOf = (
  recipient: string,
  reply: string,
  { failedRecipients, explanationFor }: StatusContext,
  earlier: ReadonlyArray<DeliveryStatusReport>
): string | null => {
  if (failedRecipients.length < 2 || failedRecipients.some((failed) => isSameAddress(failed, recipient))) return null
  const left = failedRecipients.filter((failed) => !earlier.some((report) => report.recipient === failed))
  const start = reply.slice(0, nearCharacters)
  return left.find((member) => explanationFor(member).includes(start)) ?? left[0] ?? null
}

interface NamedRecipients {
  readonly recipient: string | null
  readonly originalRecipient: string | null
}

const namedRecipientOf = (fields: ParsedHeaderFields): string | null =>
  addressOfField(firstValue(fields, "final-recipient")) ?? addressOfField(firstValue(fields, "original-recipient"))

/** The recipients that several blocks name, in lower case. Such a recipient may be an alias with several members. */
const repeatedRecipients = (blocks: ReadonlyArray<ParsedHeaderFields>): ReadonlySet<string> => {
  const names = blocks.map((fields) => namedRecipientOf(fields)?.toLowerCase() ?? "")
  return new Set(names.filter((name, index) => name !== "" && names.indexOf(name) < index))
}

/** What is known of the other blocks of a notification. */
interface OtherBlocks {
  readonly repeated: ReadonlySet<string>
  readonly earlier: ReadonlyArray<DeliveryStatusReport>
}

const recipientsOf = (
  fields: ParsedHeaderFields,
  reply: string,
  context: StatusContext,
  { repeated, earlier }: OtherBlocks
): NamedRecipients => {
  const originalRecipient = addressOfField(firstValue(fields, "original-recipient"))
  const named = namedRecipientOf(fields)
  if (named === null) {
    // Exim names the file or the program that failed. The header names the address.
    const [failed, ...others] = context.failedRecipients
    return { recipient: others.length === 0 ? (failed ?? null) : null, originalRecipient }
  }
  if (!repeated.has(named.toLowerCase())) return { recipient: named, originalRecipient }
  // sendmail names the member of an alias here.
  const actual = addressOfField(firstValue(fields, "x-actual-recipient")) ?? memberOf(named, reply, context, earlier)
  if (actual === null || isSameAddress(actual, named)) return { recipient: named, originalRecipient }
  return { recipient: actual, originalRecipient: originalRecipient ?? named }
}

const diagnosticOf = (fields: ParsedHeaderFields): { readonly type: string | null; readonly text: string } => {
  // Some gateways write the reply into a field of their own.
  const value = firstValue(fields, "diagnostic-code") ?? firstValue(fields, "x-supplementary-info") ?? ""
  const [, type, text] = /^\s*([a-z0-9-]{1,40})[ \t]*;(.*)$/is.exec(value) ?? []
  return { type: type?.toLowerCase() ?? null, text: (text ?? value).trim() }
}

/** The text from the first opening parenthesis to the last closing one. */
const commentOf = (value: string): string => {
  const start = value.indexOf("(")
  return start < 0 ? "" : value.slice(start + 1, Math.max(start + 1, value.lastIndexOf(")")))
}

const reportOf = (
  fields: ParsedHeaderFields,
  context: StatusContext,
  others: OtherBlocks
): DeliveryStatusReport | null => {
  const { type, text } = diagnosticOf(fields)
  const { recipient, originalRecipient } = recipientsOf(fields, text, context, others)
  const statusField = firstValue(fields, "status")
  const explanation = text === "" && recipient !== null ? context.explanationFor(recipient) : ""
  const comment = commentOf(statusField ?? "")
  const diagnostic = shownDiagnostic(text || explanation || comment)
  const codes = codesIn(diagnostic)
  const reportedEnhancedCode = statusOfField(statusField)
  const enhancedCode = chosenStatus(reportedEnhancedCode, codes.enhancedCode)
  const action = actionOf(fields, { enhancedCode, smtpCode: codes.smtpCode }, diagnostic)
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
  return statusReportOf(facts, action, originalRecipient)
}

/** Returns a report per recipient. Of two blocks about the same recipient and action, the first counts. */
export const statusReportsOf = (fields: StatusFields, context: StatusContext): ReadonlyArray<DeliveryStatusReport> => {
  const reports: Array<DeliveryStatusReport> = []
  const blocks = fields.recipients.slice(0, recipientsMax)
  const repeated = repeatedRecipients(blocks)
  for (const each of blocks) {
    const report = reportOf(each, context, { repeated, earlier: reports })
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
