/**
 * What the refusal of a relay means, as a table. `docs/reference/relay-replies.md` is generated from it.
 * Source: decision 0022; RFC 5321 §4.2.1; RFC 3463.
 */
import type { Trigger } from "./DeliveryTable.ts"

/** The stage of the SMTP dialogue in which the reply arrived. */
export type SmtpStage = "connect" | "greeting" | "auth" | "mail" | "rcpt" | "data" | "finalizing"

/** A reply of a relay. */
export interface SmtpReply {
  readonly stage: SmtpStage
  /** Three digits; `null` if there was no reply code. */
  readonly code: number | null
  /** RFC 3463, such as `5.1.1`. */
  readonly enhancedCode: string | null
  readonly text: string
}

/** Returns at most 1,000 characters of a reply, on one line, because the text comes from a remote system. */
export const shownReply = (reply: SmtpReply): string =>
  reply.text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").slice(0, 1000)

const unknownUserText =
  /\b(?:user|mailbox|recipient|account|address)\b.{0,40}\b(?:unknown|not found|does not exist|no such|invalid|disabled)\b|\b(?:unknown|no such)\b.{0,20}\b(?:user|mailbox|recipient|account|address)\b/i

/** The meaning of a refusal. */
export interface Refusal {
  readonly on:
    | Extract<Trigger, "MailboxUnknown" | "RecipientBlocked" | "MessageRefused" | "SenderRefused">
    | "TransportDeferred"
  /** Whether the refusal shows that the mailbox does not exist or is disabled. */
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
  readonly means: Refusal
  /** The RFC that says so. */
  readonly source: string
}

const deferred = (relayFault: boolean): Refusal => ({ on: "TransportDeferred", suppress: false, relayFault })
const refused = (on: Refusal["on"], suppress = false): Refusal => ({ on, suppress, relayFault: false })

/** Uses the reply code, or the enhanced code if there is no reply code. */
const isPermanent = ({ code, enhancedCode }: SmtpReply): boolean =>
  code === null ? enhancedCode?.startsWith("5") === true : code >= 500

/** The subject and the detail of an enhanced code, such as `1.1`. An enhanced code of another class than the reply code does not count. */
const detailOf = ({ enhancedCode }: SmtpReply): string | null =>
  enhancedCode?.startsWith("5.") === true ? enhancedCode.slice(2) : null

const hasDetail =
  (...details: ReadonlyArray<string>) =>
  (reply: SmtpReply): boolean =>
    details.includes(detailOf(reply) ?? "")

const hasSubject =
  (...subjects: ReadonlyArray<string>) =>
  (reply: SmtpReply): boolean =>
    subjects.includes(detailOf(reply)?.split(".")[0] ?? "")

const refusesRecipient = ({ stage, code }: SmtpReply): boolean =>
  stage === "rcpt" && (code === 550 || code === 551 || code === 553)

/** Every refusal of a relay. The last row matches every reply. */
export const refusalTable: ReadonlyArray<RefusalRow> = [
  {
    when: "no connection, or any reply before `EHLO`",
    matches: ({ stage }) => stage === "connect" || stage === "greeting",
    means: deferred(true),
    source: "RFC 5321 §3.1"
  },
  {
    when: "421 or 454 at any stage",
    matches: ({ code }) => code === 421 || code === 454,
    means: deferred(true),
    source: "RFC 5321 §3.8; RFC 4954 §6"
  },
  {
    when: "any refusal of the login, and 530 at any stage: the operator corrects the login or the encryption",
    matches: ({ stage, code }) => stage === "auth" || code === 530,
    means: deferred(true),
    source: "RFC 4954 §6; RFC 3207 §4"
  },
  {
    when: "552 at `RCPT`: too many recipients or a full mailbox",
    matches: ({ stage, code }) => code === 552 && stage === "rcpt",
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
    when: "5xx at `MAIL` with x.3.4 or x.6.y: the message is too large or of the wrong form",
    matches: (reply) => reply.stage === "mail" && (hasDetail("3.4")(reply) || hasSubject("6")(reply)),
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
    when: "5.1.1, 5.1.2, 5.1.3, 5.1.6, 5.1.10 or 5.2.1: the mailbox or its host does not exist, or is disabled",
    matches: hasDetail("1.1", "1.2", "1.3", "1.6", "1.10", "2.1"),
    means: refused("MailboxUnknown", true),
    source: "RFC 3463 §3.2 and §3.3; RFC 7505 §4"
  },
  {
    when: "5.1.7 or 5.1.8: the sender's address",
    matches: hasDetail("1.7", "1.8"),
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
    matches: (reply) => detailOf(reply) !== null,
    means: refused("MessageRefused"),
    source: "RFC 3463 §3.6 to §3.8"
  },
  {
    when: "550, 551 or 553 at `RCPT` without an enhanced code, with a text that names an unknown user",
    matches: (reply) => refusesRecipient(reply) && unknownUserText.test(reply.text.slice(0, 1000)),
    means: refused("MailboxUnknown", true),
    source: "RFC 5321 §4.2.3"
  },
  {
    when: "550, 551 or 553 at `RCPT` without an enhanced code",
    matches: refusesRecipient,
    means: refused("RecipientBlocked"),
    source: "RFC 5321 §4.2.3"
  },
  { when: "any other 5xx", matches: () => true, means: refused("MessageRefused"), source: "RFC 5321 §4.2.3" }
]

/** Returns the meaning of a refusal. The first row of the table that matches applies. */
export const classifyRefusal = (reply: SmtpReply): Refusal => refusalTable.find(({ matches }) => matches(reply))!.means
