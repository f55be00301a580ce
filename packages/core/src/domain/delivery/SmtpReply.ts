/**
 * Classifies the refusal of a relay by the table of decision 0022. Source: RFC 5321 §4.2.1, RFC 3463.
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

const unknownMailbox = new Set(["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"])
const unknownUserText =
  /\b(?:user|mailbox|recipient|account|address)\b.{0,40}\b(?:unknown|not found|does not exist|no such|invalid|disabled)\b|\b(?:unknown|no such)\b.{0,20}\b(?:user|mailbox|recipient|account|address)\b/i

/** The meaning of a refusal. `suppress` is true if the refusal shows that the mailbox does not exist or is disabled. */
export interface Refusal {
  readonly on:
    | Extract<Trigger, "MailboxUnknown" | "RecipientBlocked" | "MessageRefused" | "SenderRefused">
    | "TransportDeferred"
  readonly suppress: boolean
  /** The relay itself has a problem, so the refusal does not count as a deferral of the delivery. */
  readonly relayFault: boolean
}

const deferred = (relayFault: boolean): Refusal => ({ on: "TransportDeferred", suppress: false, relayFault })
const refused = (on: Refusal["on"], suppress = false): Refusal => ({ on, suppress, relayFault: false })

/** Uses the reply code, or the enhanced code if there is no reply code. */
const isPermanent = ({ code, enhancedCode }: SmtpReply): boolean =>
  code === null ? enhancedCode?.startsWith("5") === true : code >= 500

/** Returns the meaning of a refusal. The first row of the table that matches applies. */
export const classifyRefusal = (reply: SmtpReply): Refusal => {
  const { stage, code } = reply
  if (stage === "connect" || stage === "greeting" || code === 421 || code === 454) return deferred(true)
  if (code === 552 && stage === "rcpt") return deferred(false)
  if (!isPermanent(reply)) return deferred(false)
  if (stage === "mail" || stage === "auth") return refused("SenderRefused")
  const enhanced = reply.enhancedCode?.startsWith("5.") === true ? reply.enhancedCode : null
  if (enhanced !== null) {
    if (unknownMailbox.has(enhanced)) return refused("MailboxUnknown", true)
    if (enhanced === "5.1.7" || enhanced === "5.1.8") return refused("SenderRefused")
    const subject = enhanced.split(".")[1]
    if (subject === "1" || subject === "2" || subject === "3" || subject === "4") return refused("RecipientBlocked")
    return refused("MessageRefused")
  }
  if (stage === "rcpt" && (code === 550 || code === 551 || code === 553))
    return unknownUserText.test(reply.text.slice(0, 1000))
      ? refused("MailboxUnknown", true)
      : refused("RecipientBlocked")
  return refused("MessageRefused")
}
