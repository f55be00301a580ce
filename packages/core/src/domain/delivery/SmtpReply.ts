/**
 * What the refusal of a relay means, as a table. `docs/reference/relay-replies.md` is generated from it.
 * Source: decision 0022; RFC 5321 §4.2.1; RFC 3463.
 */
import type { Trigger } from "./DeliveryTable.ts"
import { shownText } from "../value/shownText.ts"
import {
  causeByEnhancedCode,
  isAboutRecipient,
  refusalSentence,
  saysDomainUnknown,
  saysInvalidRecipientOnly,
  saysMailboxFull,
  saysMailboxMissing,
  saysMailboxUnavailable,
  saysMailboxUnknown,
  saysOtherCause,
  textDecidesFor
} from "./refusalCause.ts"

export const smtpStages = ["connect", "greeting", "auth", "mail", "rcpt", "data", "endOfData"] as const
/** The stage of the SMTP dialogue in which the reply arrived. `endOfData`: after `<CRLF>.<CRLF>` (RFC 5321 §4.1.1.4). */
export type SmtpStage = (typeof smtpStages)[number]

/** A reply of a relay. */
export interface SmtpReply {
  readonly stage: SmtpStage
  /** The reply code (RFC 5321 §4.2.1), such as 550; `null` if there was none. */
  readonly smtpCode: number | null
  /** Such as `5.1.1` (RFC 3463); `null` if there was none. */
  readonly enhancedCode: string | null
  readonly text: string
}

/** The text of a reply as the log shows it. */
export const shownReply = (reply: SmtpReply): string => shownText(reply.text)

/** The meaning of a refusal. */
export interface RefusalMeaning {
  readonly trigger:
    | Extract<Trigger, "MailboxUnknown" | "RecipientBlocked" | "MessageRefused" | "SenderRefused">
    | "TransportDeferred"
  /** Whether the refusal shows that the mailbox or its domain does not exist. */
  readonly suppress: boolean
  /** The relay itself has a problem, so the refusal does not count as a deferral of the delivery. */
  readonly relayFault: boolean
}

/** A row of the table of refusals. The first row that matches applies. */
export interface RefusalRow {
  /** The replies of the row, in words. */
  readonly when: string
  /** Whether a reply is one of them. */
  readonly matches: (reply: SmtpReply) => boolean
  /** What the reply means for the delivery and for the relay. */
  readonly means: RefusalMeaning
  /** The RFC that says so. */
  readonly source: string
}

const deferred = (relayFault: boolean): RefusalMeaning => ({
  trigger: "TransportDeferred",
  suppress: false,
  relayFault
})
const refused = (trigger: RefusalMeaning["trigger"], suppress = false): RefusalMeaning => ({
  trigger,
  suppress,
  relayFault: false
})

/** Uses the reply code, or the enhanced code if there is no reply code. */
const isPermanent = ({ smtpCode, enhancedCode }: SmtpReply): boolean =>
  smtpCode === null ? enhancedCode?.startsWith("5") === true : smtpCode >= 500

/** Whether an enhanced code says more than that the failure is permanent (RFC 3463 §3.1). */
export const saysMoreThanPermanent = (enhancedCode: string | null): enhancedCode is string =>
  enhancedCode !== null && enhancedCode !== "5.0.0"

/** A permanent enhanced code. One of another class than the reply code does not count, and 5.0.0 says nothing more than the reply code. */
const permanentCodeOf = ({ enhancedCode }: SmtpReply): string | null =>
  saysMoreThanPermanent(enhancedCode) && enhancedCode.startsWith("5.") ? enhancedCode : null

/** The subject and the detail of an enhanced code, such as `1.1`. */
const subjectAndDetailOf = (reply: SmtpReply): string | null => permanentCodeOf(reply)?.slice(2) ?? null

const hasSubjectAndDetail =
  (...details: ReadonlyArray<string>) =>
  (reply: SmtpReply): boolean =>
    details.includes(subjectAndDetailOf(reply) ?? "")

const hasSubject =
  (...subjects: ReadonlyArray<string>) =>
  (reply: SmtpReply): boolean =>
    subjects.includes(subjectAndDetailOf(reply)?.split(".")[0] ?? "")

/** The subject and the detail of a temporary enhanced code, such as `2.0`. A code of another class does not count. */
const deferralDetailOf = ({ enhancedCode }: SmtpReply): string | null =>
  enhancedCode?.startsWith("4.") === true ? enhancedCode.slice(2) : null

/** Codes that do not say what is wrong with the mailbox. */
const unspecificMailboxCode = /\.[02]\.0$/

/**
 * Whether the mailbox is full (RFC 3463 §3.3). It can be emptied, so the address stays usable. Without a specific code the text decides, because Exim
 * and others give none.
 */
export const isMailboxFull = ({ enhancedCode, text }: SmtpReply): boolean =>
  enhancedCode === null || unspecificMailboxCode.test(enhancedCode)
    ? saysMailboxFull(text)
    : enhancedCode.endsWith(".2.2")

/** The sender's address is refused, although the subject of the code is an address (RFC 3463 §3.2). */
const senderDetails: ReadonlySet<string> = new Set(["1.7", "1.8"])

/**
 * Whether a temporary refusal is about the recipient: the address or the mailbox, unless the mailbox is full. Any other code is about the relay,
 * the route, the sender or the message. Without a specific enhanced code only 450 names the mailbox: 421, 451 and 452 are faults of the relay
 * (RFC 5321 §4.2.3).
 */
export const defersRecipient = (reply: SmtpReply): boolean => {
  if (reply.stage !== "rcpt" && reply.stage !== "endOfData") return false
  if (reply.smtpCode === 421 || reply.smtpCode === 454 || isMailboxFull(reply)) return false
  const detail = deferralDetailOf(reply)
  if (detail === null || detail.startsWith("0.")) return reply.smtpCode === 450
  return (detail.startsWith("1.") || detail.startsWith("2.")) && !senderDetails.has(detail)
}

const refusesRecipient = ({ stage, smtpCode }: SmtpReply): boolean => stage === "rcpt" && isAboutRecipient(smtpCode)

const isUnknownByCode = (reply: SmtpReply): boolean => {
  const enhancedCode = permanentCodeOf(reply)
  if (enhancedCode === null) return false
  const sentence = refusalSentence(reply.text)
  if (saysOtherCause(sentence)) return false
  const cause = causeByEnhancedCode(enhancedCode, sentence)
  return cause === "mailbox_unknown" || cause === "domain_unknown"
}

/** Whether the text alone shows the cause. A code of another class contradicts the reply code, so the text is no proof then. */
const isTextDecisive = ({ enhancedCode }: SmtpReply): boolean => enhancedCode === null || textDecidesFor(enhancedCode)

const isUnknownByText = (reply: SmtpReply): boolean => {
  if (!refusesRecipient(reply) || !isTextDecisive(reply)) return false
  const sentence = refusalSentence(reply.text)
  if (saysOtherCause(sentence) || saysInvalidRecipientOnly(sentence)) return false
  return saysMailboxUnknown(sentence) || saysMailboxUnavailable(sentence) || saysDomainUnknown(sentence)
}

const isMissingByText = (reply: SmtpReply): boolean => {
  const { stage, text } = reply
  if (!isPermanent(reply) || (stage !== "rcpt" && stage !== "data" && stage !== "endOfData")) return false
  if (!isTextDecisive(reply)) return false
  const sentence = refusalSentence(text)
  return saysMailboxMissing(sentence) && !saysOtherCause(sentence)
}

const tooLargeText = /\bmessage too (?:big|large)\b/i

/** Whether `MAIL` was refused because of the message. Without a specific enhanced code, 552 is about its size. */
const refusesMessageAtMail = (reply: SmtpReply): boolean => {
  if (reply.stage !== "mail") return false
  if (permanentCodeOf(reply) !== null) return hasSubjectAndDetail("3.4")(reply) || hasSubject("6")(reply)
  return reply.smtpCode === 552 || tooLargeText.test(reply.text)
}

/** Every refusal of a relay. The last row matches every reply. */
export const refusalTable: ReadonlyArray<RefusalRow> = [
  {
    when: "no connection, or any refusal up to the reply to `EHLO`",
    matches: ({ stage }) => stage === "connect" || stage === "greeting",
    means: deferred(true),
    source: "RFC 5321 §3.1"
  },
  {
    when: "421 or 454 at any stage",
    matches: ({ smtpCode }) => smtpCode === 421 || smtpCode === 454,
    means: deferred(true),
    source: "RFC 5321 §3.8; RFC 4954 §6"
  },
  {
    when: "any refusal of the login, and 530 at any stage: the operator corrects the login or the encryption",
    matches: ({ stage, smtpCode }) => stage === "auth" || smtpCode === 530,
    means: deferred(true),
    source: "RFC 4954 §6; RFC 3207 §4"
  },
  {
    when: "5xx to `RCPT` or later without an enhanced code, or with 5.0.0, 5.1.0 or 5.5.0, and the words of Yahoo or mail.ru for a missing mailbox",
    matches: isMissingByText,
    means: refused("MailboxUnknown", true),
    source: "RFC 5321 §4.2.3"
  },
  {
    when: "552 at `RCPT`: too many recipients or a full mailbox",
    matches: ({ stage, smtpCode }) => smtpCode === 552 && stage === "rcpt",
    means: deferred(false),
    source: "RFC 5321 §4.5.3.1.10"
  },
  {
    when: "any other 4xx",
    matches: (reply) => !isPermanent(reply),
    means: deferred(false),
    source: "RFC 5321 §4.2.1"
  },
  {
    when: "5xx at `MAIL` with x.3.4 or x.6.y, or 552 or a text about the size without an enhanced code: the message is too large or of the wrong form",
    matches: refusesMessageAtMail,
    means: refused("MessageRefused"),
    source: "RFC 1870 §6.1; RFC 6531 §3.5"
  },
  {
    when: "any other 5xx at `MAIL`",
    matches: ({ stage }) => stage === "mail",
    means: refused("SenderRefused"),
    source: "RFC 5321 §3.3"
  },
  {
    when: "5.1.1, 5.1.3 or 5.1.6: no such mailbox; 5.1.2, 5.1.10 or 5.4.4: no such domain; 5.1.x or 5.4.x with x above 10 and a text that says so",
    matches: isUnknownByCode,
    means: refused("MailboxUnknown", true),
    source: "RFC 3463 §3.2 and §3.5; RFC 7505 §4"
  },
  {
    when: "550, 551 or 553 at `RCPT` without an enhanced code, or with 5.0.0, 5.1.0 or 5.5.0, and a text that says so",
    matches: isUnknownByText,
    means: refused("MailboxUnknown", true),
    source: "RFC 5321 §4.2.3"
  },
  {
    when: "5.1.7 or 5.1.8: the sender's address",
    matches: hasSubjectAndDetail("1.7", "1.8"),
    means: refused("SenderRefused"),
    source: "RFC 3463 §3.2"
  },
  {
    when: "any other 5.1.x, 5.2.x, 5.3.x or 5.4.x: the recipient, its system or the way to it",
    matches: hasSubject("1", "2", "3", "4"),
    means: refused("RecipientBlocked"),
    source: "RFC 3463 §3.2 to §3.5"
  },
  {
    when: "any other enhanced code: protocol, content, security or policy",
    matches: (reply) => subjectAndDetailOf(reply) !== null,
    means: refused("MessageRefused"),
    source: "RFC 3463 §3.6 to §3.8"
  },
  {
    when: "any other 550, 551 or 553 at `RCPT` without an enhanced code, or with 5.0.0",
    matches: refusesRecipient,
    means: refused("RecipientBlocked"),
    source: "RFC 5321 §4.2.3"
  },
  { when: "any other 5xx", matches: () => true, means: refused("MessageRefused"), source: "RFC 5321 §4.2.3" }
]

/** Returns the meaning of a refusal. The first row of the table that matches applies. */
export const classifyRefusal = (reply: SmtpReply): RefusalMeaning =>
  refusalTable.find(({ matches }) => matches(reply))!.means
