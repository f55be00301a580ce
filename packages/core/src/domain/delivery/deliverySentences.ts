/**
 * The sentences about reasons and outcomes in the story of a delivery. Source: decisions 0017 and 0049.
 */
import type { Attempt, AttemptOutcome, Delivery } from "./Delivery.ts"
import type { DeliveryReason } from "./DeliveryStatus.ts"

/** What each reason means. */
export const reasonTexts: Readonly<Record<DeliveryReason, string>> = {
  unsubscribed: "The recipient has unsubscribed.",
  complaint: "The recipient has reported mail as spam.",
  hard_bounce: "The mailbox does not exist, or it is disabled.",
  invalid: "The address cannot receive mail.",
  manual: "The address was suppressed by a person or a program.",
  recipient_blocked: "The receiving system takes no mail for this recipient.",
  temporary_failure: "No attempt succeeded before the retries ended.",
  delivery_uncertain: "It is not known whether the relay has the message.",
  message_blocked: "The message was refused because of its content or its size.",
  sending_failed: "The message could not be handed over.",
  quota_exceeded: "The sending allowance was used up at the scheduled time.",
  api_key_revoked: "The API key that sent the message was revoked before the scheduled time.",
  canceled: "The message was canceled."
}

/** What each outcome of an attempt means, without a full stop. */
const attemptTexts: Readonly<Record<AttemptOutcome, string>> = {
  accepted: "the relay accepted the message",
  delivered: "the relay delivered the message",
  deferred: "the relay refused the message temporarily",
  rejected: "the relay refused the message for good",
  suppressed: "the recipient was suppressed before the message was sent",
  stopped: "the hand-off was stopped before the message was sent",
  no_reply: "the relay gave no reply, and it does not have the message",
  ambiguous: "the relay gave no reply to the whole message, and it may or may not have the message"
}

/** The same over a transport with `idempotentHandOff`, whose attempts are never ambiguous. */
const doubtfulTexts: Partial<typeof attemptTexts> = {
  stopped: "the hand-off was stopped, and the relay may or may not have the message",
  no_reply: "the relay gave no reply, and it may or may not have the message"
}

/**
 * What the outcome of an attempt of the delivery means, without a full stop. `attempts` are all attempts of the delivery. When more of them may have
 * reached the relay than are ambiguous, it is not recorded which.
 */
export const attemptText = (
  outcome: AttemptOutcome,
  { ambiguousAttempts }: Delivery,
  attempts: ReadonlyArray<Attempt>
): string => {
  const isRecorded = attempts.filter((one) => one.outcome === "ambiguous").length >= ambiguousAttempts
  return (isRecorded ? undefined : doubtfulTexts[outcome]) ?? attemptTexts[outcome]
}

/** The reply of the relay or the explanation, after the outcome. Empty if none is recorded. */
export const replyText = ({ smtpCode, enhancedCode, statusMessage }: Attempt): string => {
  const codes = [smtpCode, enhancedCode].filter((code) => code !== null).join(" ")
  const quoted = statusMessage === null || statusMessage === "" ? "" : `"${statusMessage}"`
  const reply = [codes, quoted].filter((part) => part !== "").join(" ")
  return reply === "" ? "" : `: ${reply}`
}
