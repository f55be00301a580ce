/**
 * Checks what the delivery reports of a simulation have left: a report that was answered is not lost, whatever arrives before or after it.
 */
import type { Delivery, EventKind, MailStoreShape } from "@mailkeep/core/adapter"
import { readNow, suppressionOf } from "./history.ts"
import type { AnsweredReport } from "./reports.ts"

/** The order in which a report outranks another one. */
const ranks = { delivered: 1, bounced: 2, complained: 3 } as const

const rankOf = (status: string): number => ranks[status as keyof typeof ranks] ?? 0

/** A retry after an ambiguous attempt can end so. Then a report changes the status no more. */
const endedWithoutReport = ({ status, reason, ambiguousAttempts }: Delivery): boolean =>
  ambiguousAttempts > 0 && (status === "suppressed" || (status === "failed" && reason !== "delivery_uncertain"))

const checkReport = (
  raw: MailStoreShape,
  { projectId, deliveryId, report, answer, hadCopy }: AnsweredReport
): ReadonlyArray<string> => {
  const [delivery] = readNow(raw, [{ _tag: "Delivery", projectId, id: deliveryId }])
  if (delivery === null) return [`${deliveryId} does not exist, but a report about it was answered`]
  const { status, address } = delivery
  const reasons = suppressionOf(raw, projectId, address, 0)?.reasons
  const isHardBounce = report.kind === "bounced" && report.cause === "mailbox_unknown"
  return [
    ...(rankOf(status) < rankOf(answer.status)
      ? [`${deliveryId} was ${answer.status} after a report, and is ${status}`]
      : []),
    ...(hadCopy && rankOf(status) < ranks[report.kind] && !endedWithoutReport(delivery)
      ? [`${deliveryId} was reported as ${report.kind}, and is ${status}`]
      : []),
    ...(hadCopy && report.kind === "complained" && reasons?.complaint === undefined
      ? [`the recipient of ${deliveryId} has complained, but is not suppressed`]
      : []),
    ...(hadCopy && isHardBounce && reasons?.hard_bounce === undefined
      ? [`the mailbox of ${deliveryId} was reported as unknown, but is not suppressed`]
      : [])
  ]
}

/** Returns a message for each problem. */
export const reportsVerdict = (raw: MailStoreShape, answered: ReadonlyArray<AnsweredReport>): ReadonlyArray<string> =>
  answered.flatMap((one) => checkReport(raw, one))

const reportedEvents = ["email.delivered", "email.bounced", "email.complained"] as const

/** A repeated report has no second event, and the last status has one. */
export const checkReportedEvents = ({ id, status }: Delivery, kinds: ReadonlyArray<EventKind>): ReadonlyArray<string> =>
  reportedEvents.flatMap((kind) => {
    const count = kinds.filter((one) => one === kind).length
    return count > 1 || (kind === `email.${status}` && count === 0) ? [`${id} has ${count} events ${kind}`] : []
  })
