/**
 * The reports of a worker, one line each, and their check against the store. A worker reports a call before it makes it, and then the
 * answer.
 */
import type { SendInput } from "@mailkeep/core"
import Database from "better-sqlite3"
import { filesIn } from "./embeddedMail.ts"

/** One line of a worker. `trySend` and `tryContact` are calls, `problem` is a wrong answer, and the others are answers. */
export type WorkerReport =
  | { readonly kind: "trySend"; readonly key: string; readonly body: SendInput }
  | {
      readonly kind: "sent"
      readonly key: string
      readonly messageId: string
      readonly deliveryIds: ReadonlyArray<string>
    }
  | { readonly kind: "canceled"; readonly messageId: string }
  | { readonly kind: "tryContact"; readonly email: string }
  | {
      readonly kind: "contact"
      readonly id: string
      readonly email: string
      readonly firstName: string
      readonly emailStatus: string
    }
  | { readonly kind: "problem"; readonly message: string }

/** Counts the answers, for the result of a run. */
export const reportCounts = (reports: ReadonlyArray<WorkerReport>) => {
  const count = (kind: WorkerReport["kind"]) => reports.filter((line) => line.kind === kind).length
  return {
    "sends acknowledged": count("sent"),
    "cancels acknowledged": count("canceled"),
    "contact writes acknowledged": count("contact"),
    "sends without an answer, repeated later": count("trySend") - count("sent")
  }
}

/** Returns a message for each acknowledged result that the store contradicts. */
export const contradictedReports = (
  folder: string,
  reports: ReadonlyArray<WorkerReport>,
  received: ReadonlySet<string>
): ReadonlyArray<string> => {
  const database = new Database(filesIn(folder).store)
  const statusOf = database.prepare("SELECT status FROM mailkeep_deliveries WHERE id = ? AND message_id = ?").pluck()
  const ofMessage = database.prepare("SELECT id, status FROM mailkeep_deliveries WHERE message_id = ?")
  const contactOf = database.prepare("SELECT first_name, email_status FROM mailkeep_contacts WHERE id = ?")
  const withoutAnswer = new Set(
    reports.flatMap((line, n) => (line.kind === "tryContact" && !answered(reports, n) ? [line.email] : []))
  )
  const lastOf = new Map(reports.flatMap((line) => (line.kind === "contact" ? [[line.id, line] as const] : [])))
  const contradictions = reports.flatMap((line): ReadonlyArray<string> => {
    switch (line.kind) {
      case "sent":
        return line.deliveryIds
          .filter((id) => statusOf.get(id, line.messageId) === undefined)
          .map((id) => `${line.key}: delivery ${id} is lost`)
      case "canceled": {
        const rows = ofMessage.all(line.messageId) as ReadonlyArray<{ id: string; status: string }>
        return rows.flatMap(({ id, status }) =>
          status !== "canceled" || received.has(id) ? [`${id} was canceled, but is ${status}`] : []
        )
      }
      case "contact": {
        if (lastOf.get(line.id) !== line || withoutAnswer.has(line.email)) return []
        const row = contactOf.get(line.id) as { first_name: string; email_status: string } | undefined
        return row?.first_name === line.firstName && row.email_status === line.emailStatus
          ? []
          : [`contact ${line.email} differs from the answer`]
      }
      case "problem":
        return [line.message]
      default:
        return []
    }
  })
  database.close()
  return contradictions
}

/** Whether a later line reports the answer to this call. */
const answered = (reports: ReadonlyArray<WorkerReport>, index: number): boolean => {
  const call = reports[index]!
  return reports
    .slice(index + 1)
    .some((line) =>
      call.kind === "trySend"
        ? line.kind === "sent" && line.key === call.key
        : call.kind === "tryContact" && line.kind === "contact" && line.email === call.email
    )
}

/** Returns the sends without a reported answer. */
export const unanswered = (
  reports: ReadonlyArray<WorkerReport>
): ReadonlyArray<{ readonly key: string; readonly body: SendInput }> => {
  const sent = new Set(reports.flatMap((line) => (line.kind === "sent" ? [line.key] : [])))
  return reports.flatMap((line) =>
    line.kind === "trySend" && !sent.has(line.key) ? [{ key: line.key, body: line.body }] : []
  )
}
