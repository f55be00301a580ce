/**
 * Decides whether the report of a failure shows that the mailbox or the domain does not exist. The rules for codes and texts are the core's.
 * Here are the doubts about who says so: a report quotes another system, or draws its own conclusions. Source: RFC 5321 §4.3.2; decision 0022.
 */
import {
  causeByEnhancedCode,
  isAboutRecipient,
  isDeliveryTimeExpired,
  refusalSentence,
  saysDomainUnknown,
  saysMailboxMissing,
  saysMailboxUnavailable,
  saysMailboxUnknown,
  saysNoMailAccepted,
  saysOtherCause,
  textDecidesFor
} from "@mailkeep/core/binding"
import type { BounceCause } from "@mailkeep/core/binding"
import type { DeliveryAction, DeliveryStatusReport, RefusedCommand } from "./MailReport.ts"

/** The facts of a failed delivery. */
export interface FailureFacts {
  /** What the reporting system gave in `Status`. */
  readonly reportedEnhancedCode: string | null
  /** The enhanced code in the reply of the remote system. */
  readonly remoteEnhancedCode: string | null
  /** The one of the two that describes the failure. */
  readonly enhancedCode: string | null
  readonly smtpCode: number | null
  readonly command: RefusedCommand | null
  readonly diagnostic: string
  /** The type of `Diagnostic-Code` in lower case, such as `smtp` or `x-unix`. */
  readonly diagnosticType: string | null
  /** `X-PowerMTA-BounceCategory` in lower case. */
  readonly category: string | null
  readonly recipient: string | null
  /** The fields of RFC 3464 were read. */
  readonly standard: boolean
}

/** The program that puts mail into the mailboxes of the reporting system, and says so itself. */
const localAgentText = /\bmail\.local: unknown user\b/i

/** The reply code for a user of another system (RFC 5321 §3.4). Its text has no fixed form. */
const userNotLocal = 551

const isTemporary = ({ reportedEnhancedCode, enhancedCode, smtpCode }: FailureFacts): boolean =>
  reportedEnhancedCode?.startsWith("4") === true ||
  enhancedCode?.startsWith("4") === true ||
  (smtpCode !== null && smtpCode >= 400 && smtpCode < 500)

/** The system gave up after a time, and quotes no code. */
const expiryText =
  /\b(?:message|mail|delivery|it) (?:has )?expired\b|\bretry timeout\b|\bqueue(?:d)? (?:for )?too long\b|\bafter (?:multiple|several|\d+) (?:retries|attempts|days|hours|minutes)\b|\b\d+ attempts\b|\bfor (?:the (?:last|past) )?\d+ (?:seconds|minutes|hours|days)\b|\btimed? ?out\b|\bconnection refused\b|\bunable to connect\b|\brequests to connect\b|\bnetwork is (?:down|unreachable)\b|\bno route to host\b/i

/** Haraka gives the code of an unknown domain to one whose servers it could not reach until its last retry. */
const noServerText = /\btried all MXs\b/i

const hasNoCode = ({ reportedEnhancedCode, remoteEnhancedCode, smtpCode }: FailureFacts): boolean =>
  (reportedEnhancedCode === null || textDecidesFor(reportedEnhancedCode)) &&
  remoteEnhancedCode === null &&
  smtpCode === null

const namesRecipient = ({ diagnostic, recipient }: FailureFacts): boolean =>
  recipient !== null && diagnostic.toLowerCase().includes(recipient.toLowerCase())

/** Without a specific code, a text is believed only as a reply to `RCPT`: other replies use the same words for a refused message. */
const isMailboxUnknownByText = (facts: FailureFacts, sentence: string): boolean => {
  if (localAgentText.test(sentence)) return true
  if (!isAboutRecipient(facts.smtpCode)) return false
  const saysUnknown = saysMailboxUnknown(sentence)
  if (facts.command === "rcpt") return saysUnknown || saysMailboxUnavailable(sentence)
  if (facts.command !== null || !facts.standard) return false
  // A report that lacks the status: the reply that names the recipient is the only evidence.
  if (facts.enhancedCode === null) return saysUnknown && namesRecipient(facts)
  return saysMailboxUnavailable(sentence)
}

const isDomainUnknownByText = ({ command }: FailureFacts, sentence: string): boolean =>
  (command === null || command === "rcpt") && saysDomainUnknown(sentence)

/** sendmail makes 5.1.1 of any 550 to `RCPT`. A diagnostic without a code of its own must then speak of an unknown address. */
const isInferredStatus = (facts: FailureFacts): boolean =>
  facts.enhancedCode === "5.1.1" &&
  facts.remoteEnhancedCode === null &&
  facts.diagnostic !== "" &&
  (facts.smtpCode === null ? facts.diagnosticType !== null : facts.smtpCode !== userNotLocal)

const causeByCode = (facts: FailureFacts, enhancedCode: string, sentence: string): BounceCause | null => {
  if (!isInferredStatus(facts)) return causeByEnhancedCode(enhancedCode, sentence)
  if (saysMailboxUnknown(sentence) || saysMailboxUnavailable(sentence)) return "mailbox_unknown"
  return saysDomainUnknown(sentence) ? "domain_unknown" : "refused"
}

/** Some systems refuse a missing mailbox only after the message, and their relay invents the code. */
const isMailboxMissing = ({ command, smtpCode, remoteEnhancedCode }: FailureFacts, sentence: string): boolean =>
  smtpCode !== null &&
  (command === null || command === "rcpt" || command === "data") &&
  (remoteEnhancedCode === null || textDecidesFor(remoteEnhancedCode)) &&
  saysMailboxMissing(sentence)

const causeByText = (facts: FailureFacts, sentence: string): BounceCause => {
  if (facts.category === "bad-mailbox" || isMailboxUnknownByText(facts, sentence)) return "mailbox_unknown"
  return facts.category === "bad-domain" || isDomainUnknownByText(facts, sentence) ? "domain_unknown" : "refused"
}

/** Decides the cause of a failed delivery. */
export const failureCauseOf = (facts: FailureFacts): BounceCause => {
  if (isTemporary(facts) || isDeliveryTimeExpired(facts.enhancedCode, facts.diagnostic)) return "expired"
  const sentence = refusalSentence(facts.diagnostic)
  if (noServerText.test(sentence) || (hasNoCode(facts) && expiryText.test(sentence))) return "expired"
  // The output of a delivery program: its exit code says little about the address.
  if (facts.diagnosticType === "x-unix" || saysOtherCause(sentence)) return "refused"
  if (saysNoMailAccepted(sentence)) return "domain_unknown"
  if (isMailboxMissing(facts, sentence)) return "mailbox_unknown"
  const byCode = facts.enhancedCode === null ? null : causeByCode(facts, facts.enhancedCode, sentence)
  return byCode ?? causeByText(facts, sentence)
}

/** Makes the report of a delivery from its facts. Only a failed delivery has a cause. */
export const statusReportOf = (
  facts: FailureFacts,
  action: DeliveryAction,
  originalRecipient: string | null
): DeliveryStatusReport => {
  const { recipient, enhancedCode, smtpCode, command, diagnostic, standard } = facts
  const cause = action === "failed" ? failureCauseOf(facts) : null
  return {
    _tag: "DeliveryStatus",
    recipient,
    originalRecipient,
    action,
    enhancedCode,
    smtpCode,
    command,
    diagnostic,
    cause,
    standard
  }
}
