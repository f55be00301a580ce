/**
 * Records a report about a delivery that was handed over: status, event and suppression in one commit. Reports arrive late, twice and in any
 * order; the delivery table has no row for one that changes nothing. Source: decision 0040; RFC 3463.
 */
import { Result } from "effect"
import { isErased } from "../../domain/contact/addressRedaction.ts"
import type { KeyedAddress, SuppressionReason, SuppressionRecord } from "../../domain/contact/Suppression.ts"
import type { Attempt, BounceType, Delivery } from "../../domain/delivery/Delivery.ts"
import { step } from "../../domain/delivery/DeliveryMachine.ts"
import type { ValidDeliveryReport } from "../../domain/delivery/DeliveryReport.ts"
import type { DeliveryStatus } from "../../domain/delivery/DeliveryStatus.ts"
import type { Trigger } from "../../domain/delivery/DeliveryTable.ts"
import type { SmtpReply } from "../../domain/delivery/SmtpReply.ts"
import { isDeliveryTimeExpired } from "../../domain/delivery/refusalCause.ts"
import { classifyRefusal, isMailboxFull, saysMoreThanPermanent, shownReply } from "../../domain/delivery/SmtpReply.ts"
import type { Change } from "../../domain/store/Change.ts"
import type { EventId } from "../../domain/value/Id.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import { suppressAddress } from "../contact/suppression.ts"
import type { Decision } from "../store/Decision.ts"
import { unchanged } from "../store/Decision.ts"
import type { EndedAttempt } from "./attemptChange.ts"
import { endedAttemptChange } from "./attemptChange.ts"
import { applyTransition, transitionAndRefunds } from "./transition.ts"

export interface RecordReportFacts {
  readonly now: Instant
  readonly eventId: EventId
  readonly delivery: Delivery
  /** The last attempt of the delivery. */
  readonly attempt: Attempt | null
  /** The recipient's address with its address key. */
  readonly keyedAddress: KeyedAddress
  readonly suppression: SuppressionRecord | null
}

/** What a report did. `recorded`: it changed the delivery or suppressed the recipient. `unchanged`: it says nothing new. */
export interface RecordedReport {
  readonly outcome: "recorded" | "unchanged"
  readonly status: DeliveryStatus
}

/** What a report does: the transition and the reason for which the recipient is suppressed, if any. */
interface ReportEffect {
  readonly trigger: Extract<Trigger, `${string}Reported`>
  readonly bounceType: BounceType | null
  readonly suppresses: Extract<SuppressionReason, "complaint" | "hard_bounce" | "temporary_failure"> | null
}

/** A report has no stage. With `rcpt`, a code without an enhanced code counts as about the recipient. */
const replyOf = ({ smtpCode, enhancedCode, text }: ValidDeliveryReport): SmtpReply => ({
  stage: "rcpt",
  smtpCode: smtpCode ?? null,
  enhancedCode: enhancedCode ?? null,
  text: text ?? ""
})

const expired: ReportEffect = { trigger: "ExpiryReported", bounceType: "soft", suppresses: "temporary_failure" }
const unknownMailbox: ReportEffect = { trigger: "BounceReported", bounceType: "hard", suppresses: "hard_bounce" }
const fullMailbox: ReportEffect = { trigger: "BlockReported", bounceType: "soft", suppresses: null }
const blockedRecipient: ReportEffect = { trigger: "BlockReported", bounceType: "hard", suppresses: null }
const blockedMessage: ReportEffect = { trigger: "MessageBlockReported", bounceType: "hard", suppresses: null }

/** The enhanced code is more exact than the reply code, unless it is 5.0.0. */
const refusalOf = (reply: SmtpReply) =>
  classifyRefusal(saysMoreThanPermanent(reply.enhancedCode) ? { ...reply, smtpCode: null } : reply).trigger

const bounceEffect = ({ cause }: ValidDeliveryReport, reply: SmtpReply): ReportEffect => {
  if (cause === "mailbox_unknown" || cause === "domain_unknown") return unknownMailbox
  const hasCode = reply.smtpCode !== null || reply.enhancedCode !== null
  if (cause === undefined && !hasCode) return unknownMailbox
  // Also when a relay gives up after its last retry: the cause is then `expired`, and the code says why.
  if (isMailboxFull(reply)) return fullMailbox
  if (cause === "expired") return expired
  const refusal = refusalOf(reply)
  const saysWhat = reply.smtpCode !== null || saysMoreThanPermanent(reply.enhancedCode)
  if (refusal === "MessageRefused" && saysWhat) return blockedMessage
  if (cause === "refused") return blockedRecipient
  if (refusal === "MailboxUnknown") return unknownMailbox
  // A relay that gives up after its last retry quotes a temporary code (RFC 3464 §2.3.4).
  return refusal === "TransportDeferred" || isDeliveryTimeExpired(reply.enhancedCode, reply.text)
    ? expired
    : blockedRecipient
}

const effectOf = (report: ValidDeliveryReport, reply: SmtpReply): ReportEffect => {
  switch (report.kind) {
    case "delivered":
      return { trigger: "DeliveredReported", bounceType: null, suppresses: null }
    case "complained":
      return { trigger: "ComplaintReported", bounceType: null, suppresses: "complaint" }
    case "bounced":
      return bounceEffect(report, reply)
  }
}

/**
 * Whether the delivery may have been handed over, so that a report about it can be true. However it ended, an ambiguous attempt may have. A queued
 * delivery that has not reached the relay was not, nor one whose first attempt is not finalizing: its mail is still to be sent.
 */
const mayBeReported = ({ delivery, attempt }: RecordReportFacts): boolean => {
  const { status, reason, ambiguousAttempts, reachedRelay } = delivery
  return (
    ambiguousAttempts > 0 ||
    (status === "queued" && reachedRelay) ||
    (status === "sending" && (reachedRelay || attempt?.phase === "finalizing")) ||
    status === "accepted" ||
    status === "delivered" ||
    status === "bounced" ||
    status === "complained" ||
    (status === "failed" && reason === "delivery_uncertain")
  )
}

/**
 * The message of an attempt that a report has ended. It is stored in attempts, and `deliveryEntries` recognizes such an attempt by it. Never change
 * this text: the entries of stored attempts would become wrong.
 */
export const reportedBeforeReply = "A report about the delivery arrived before the relay answered."

/** An attempt that has started and is not finalizing sends nothing any more, because its delivery is no longer in `sending`. */
const stoppedByReport: EndedAttempt = {
  outcome: "stopped",
  statusMessage: "A report about an earlier attempt arrived before this one sent the message."
}

/** Ends the attempt that is under way. When it is finalizing, the report shows that the relay has the message. */
const endedAttempt = (
  { now, delivery, attempt }: RecordReportFacts,
  { trigger }: ReportEffect
): ReadonlyArray<Change> => {
  if (delivery.status !== "sending" || attempt === null || attempt.phase === "ended") return []
  const outcome = trigger === "DeliveredReported" ? "delivered" : "accepted"
  const end =
    attempt.phase === "finalizing" ? ({ outcome, statusMessage: reportedBeforeReply } as const) : stoppedByReport
  return [endedAttemptChange(attempt, delivery, end, now)]
}

/** The explanation of the report. A bounce without one has none: the message until now is the positive reply of the relay. */
const statusMessageOf = ({ kind }: ValidDeliveryReport, reply: SmtpReply): Partial<Delivery> => {
  if (reply.text !== "") return { statusMessage: shownReply(reply) }
  return kind === "bounced" ? { statusMessage: null } : {}
}

/** Records the report, or changes nothing when it says nothing new. */
export const recordReport = (report: ValidDeliveryReport, facts: RecordReportFacts): Decision<RecordedReport> => {
  const { now, eventId, delivery } = facts
  const asNow = unchanged<RecordedReport>({ outcome: "unchanged", status: delivery.status })
  if (!mayBeReported(facts)) return asNow
  // The text of a report about an erased person can contain the address.
  const reply = replyOf(isErased(delivery) ? { ...report, text: "" } : report)
  const effect = effectOf(report, reply)
  // The address was read before the delivery, and the person may have been erased in between.
  const suppressed = (reason: ReportEffect["suppresses"]) => (isErased(delivery) ? [] : suppressAddress(facts, reason))
  if (Result.isFailure(step(delivery.status, effect.trigger, delivery.reason))) {
    // A repeated report of temporary failures must not extend the 30 days of the suppression.
    const late = suppressed(effect.suppresses === "temporary_failure" ? null : effect.suppresses)
    return late.length === 0 ? asNow : { answer: { outcome: "recorded", status: delivery.status }, changes: late }
  }
  const transition = applyTransition(delivery, effect.trigger, now, {
    reachedRelay: true,
    ...(effect.bounceType === null ? {} : { bounceType: effect.bounceType }),
    ...statusMessageOf(report, reply)
  })
  return {
    answer: { outcome: "recorded", status: transition.after.status },
    changes: [
      ...endedAttempt(facts, effect),
      ...transitionAndRefunds(transition, now, eventId, reply),
      ...suppressed(effect.suppresses)
    ]
  }
}
