/**
 * Records in the core what a returned message reports: a bounce, a delivery or a complaint. Source: decision 0040.
 */
import { Feedback } from "@mailkeep/core"
import { enhancedCodeForm } from "@mailkeep/core/binding"
import { Effect } from "effect"
import { isSameAddress } from "../reports/addresses.ts"
import type { DeliveryStatusReport, MailReport } from "../reports/MailReport.ts"
import type { ReturnedMail, ReturnedMessage, ReturnedOutcome } from "./ReturnedMail.ts"

type CoreReport = Parameters<Feedback["Service"]["receive"]>[1]

/** The feedback types by which a recipient says that the message is not wanted. Source: RFC 5965 §7.3. */
const complaints: ReadonlySet<string> = new Set(["abuse", "fraud", "virus", "other", "opt-out"])

const isSameRecipient = (one: DeliveryStatusReport, other: DeliveryStatusReport): boolean =>
  one.recipient !== null && other.recipient !== null && isSameAddress(one.recipient, other.recipient)

/**
 * Whether a message reports about another recipient too, or about a delivery. A return path belongs to one recipient. With several, the mailed
 * address is an alias or a list, and the failure of one member shows nothing about it.
 */
const isAboutMember = (report: DeliveryStatusReport, all: ReadonlyArray<MailReport>): boolean =>
  all.some(
    (other) =>
      other._tag === "DeliveryStatus" &&
      other !== report &&
      (other.action === "delivered" || !isSameRecipient(report, other))
  )

/**
 * Returns a report of a message as the core takes it. The other reports of the message (`all`) can weaken its cause. Returns `null` for a report
 * that is not final, such as a delay, and for the opposite of a complaint.
 */
export const toCoreReport = (report: MailReport, all: ReadonlyArray<MailReport> = [report]): CoreReport | null => {
  if (report._tag === "Complaint") return complaints.has(report.feedbackType) ? { kind: "complained" } : null
  if (report.action !== "failed" && report.action !== "delivered") return null
  const { cause, enhancedCode, smtpCode, diagnostic } = report
  const details = {
    enhancedCode: enhancedCode !== null && enhancedCodeForm.test(enhancedCode) ? enhancedCode : null,
    smtpCode: smtpCode !== null && smtpCode >= 200 && smtpCode <= 599 ? smtpCode : null,
    text: diagnostic
  }
  if (cause === null) return { kind: "delivered", ...details }
  return { kind: "bounced", cause: isAboutMember(report, all) ? "refused" : cause, ...details }
}

/**
 * Returns the reports as the core takes them: of each kind and cause the first. A return path names one delivery, for which another report of
 * the same kind and cause says nothing new. So a message with 100 reports costs the store little.
 */
export const toCoreReports = (reports: ReadonlyArray<MailReport>): ReadonlyArray<CoreReport> => {
  const found = new Map<string, CoreReport>()
  for (const report of reports) {
    const core = toCoreReport(report, reports)
    const key = core === null ? "" : `${core.kind} ${core.cause ?? ""}`
    if (core !== null && !found.has(key)) found.set(key, core)
  }
  return [...found.values()]
}

/** The outcomes of a report, the strongest last. A message with several reports has the strongest of theirs. */
const outcomes: ReadonlyArray<ReturnedOutcome> = ["no_report", "unmatched", "recorded"]

const stronger = (one: ReturnedOutcome, other: ReturnedOutcome): ReturnedOutcome =>
  outcomes.indexOf(other) > outcomes.indexOf(one) ? other : one

/** The mail of a bounce listener, with the service `Feedback` behind it. */
export const feedbackMail: Effect.Effect<ReturnedMail, never, Feedback> = Effect.map(Feedback, (feedback) => ({
  isReturnPath: feedback.isReturnPath,
  receive: Effect.fnUntraced(function* ({ envelopeRecipient, reports }: ReturnedMessage) {
    let outcome: ReturnedOutcome = "no_report"
    for (const report of toCoreReports(reports().reports)) {
      // `toCoreReport` makes only valid reports.
      const received = yield* Effect.catchTag(
        feedback.receive(envelopeRecipient, report),
        "InvalidArgument",
        Effect.die
      )
      outcome = stronger(outcome, received.outcome === "unmatched" ? "unmatched" : "recorded")
    }
    return outcome
  })
}))
