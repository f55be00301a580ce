/**
 * What a worker tells of itself, line by line: what it tries before it does, and what it was answered; and whether that was kept.
 */
import type { SendBody } from "@mailkeep/core"
import Database from "better-sqlite3"
import { filesIn } from "./embeddedMail.ts"

export type Told =
  | { readonly told: "trySend"; readonly key: string; readonly body: SendBody }
  | {
      readonly told: "sent"
      readonly key: string
      readonly messageId: string
      readonly deliveryIds: ReadonlyArray<string>
    }
  | { readonly told: "canceled"; readonly messageId: string }
  | { readonly told: "tryContact"; readonly email: string }
  | {
      readonly told: "contact"
      readonly id: string
      readonly email: string
      readonly firstName: string
      readonly emailStatus: string
    }
  | { readonly told: "wrong"; readonly what: string }

/** Everything a caller was told is so. */
export const brokenWords = (
  folder: string,
  told: ReadonlyArray<Told>,
  taken: ReadonlySet<string>
): ReadonlyArray<string> => {
  const database = new Database(filesIn(folder).store)
  const statusOf = database.prepare("SELECT status FROM deliveries WHERE id = ? AND message_id = ?").pluck()
  const ofMessage = database.prepare("SELECT id, status FROM deliveries WHERE message_id = ?")
  const contactOf = database.prepare("SELECT first_name, email_status FROM contacts WHERE id = ?")
  const trying = new Set(
    told.flatMap((line, n) => (line.told === "tryContact" && !answered(told, n) ? [line.email] : []))
  )
  const lastOf = new Map(told.flatMap((line) => (line.told === "contact" ? [[line.id, line] as const] : [])))
  const broken = told.flatMap((line): ReadonlyArray<string> => {
    switch (line.told) {
      case "sent":
        return line.deliveryIds
          .filter((id) => statusOf.get(id, line.messageId) === undefined)
          .map((id) => `${line.key}: delivery ${id} is lost`)
      case "canceled": {
        const rows = ofMessage.all(line.messageId) as ReadonlyArray<{ id: string; status: string }>
        return rows.flatMap(({ id, status }) =>
          status !== "canceled" || taken.has(id) ? [`${id} was canceled, and is ${status}`] : []
        )
      }
      case "contact": {
        if (lastOf.get(line.id) !== line || trying.has(line.email)) return []
        const row = contactOf.get(line.id) as { first_name: string; email_status: string } | undefined
        return row?.first_name === line.firstName && row.email_status === line.emailStatus
          ? []
          : [`contact ${line.email} is not what was answered`]
      }
      case "wrong":
        return [line.what]
      default:
        return []
    }
  })
  database.close()
  return broken
}

/** Whether a later line answers the try. */
const answered = (told: ReadonlyArray<Told>, at: number): boolean => {
  const tried = told[at]!
  return told
    .slice(at + 1)
    .some((line) =>
      tried.told === "trySend"
        ? line.told === "sent" && line.key === tried.key
        : tried.told === "tryContact" && line.told === "contact" && line.email === tried.email
    )
}

/** Sends that nobody was answered about. */
export const unanswered = (
  told: ReadonlyArray<Told>
): ReadonlyArray<{ readonly key: string; readonly body: SendBody }> => {
  const sent = new Set(told.flatMap((line) => (line.told === "sent" ? [line.key] : [])))
  return told.flatMap((line) =>
    line.told === "trySend" && !sent.has(line.key) ? [{ key: line.key, body: line.body }] : []
  )
}
