/**
 * Compares the copies at the relay with the attempts in the store. Three rules apply:
 * - A copy exists only for an attempt that may have finished finalizing.
 * - A second copy exists only after an ambiguous attempt.
 * - Every successful attempt has a copy.
 */
import Database from "better-sqlite3"
import type { ReceivedCopy } from "./RecordingTransport.ts"

interface AttemptRow {
  readonly deliveryId: string
  readonly number: number
  readonly phase: string
  readonly outcome: string | null
}

/** What the comparison found. */
export interface Copies {
  /** Number of deliveries with more than one copy at the relay. */
  readonly duplicates: number
  /** Number of ambiguous attempts. */
  readonly ambiguous: number
  /** A message for each copy, or missing copy, that breaks a rule. */
  readonly unexplained: ReadonlyArray<string>
}

const successful = new Set(["delivered", "accepted"])
const mayHaveReachedRelay = new Set(["delivered", "accepted", "ambiguous"])

/** Checks the copies that the relay received against the store in the file. */
export const explainedCopies = (filename: string, received: ReadonlyArray<ReceivedCopy>): Copies => {
  const database = new Database(filename)
  const rows = database
    .prepare("SELECT delivery_id AS deliveryId, number, phase, outcome FROM mailkeep_attempts")
    .all() as ReadonlyArray<AttemptRow>
  database.close()
  const attempts = new Map(rows.map((row) => [`${row.deliveryId}/${row.number}`, row]))
  const byDelivery = Map.groupBy(received, ({ deliveryId }) => deliveryId)
  const receivedAttempts = new Set(received.map(({ deliveryId, attempt }) => `${deliveryId}/${attempt}`))
  const missing = rows
    .filter(
      ({ deliveryId, number, outcome }) =>
        successful.has(outcome ?? "") && !receivedAttempts.has(`${deliveryId}/${number}`)
    )
    .map(
      ({ deliveryId, number, outcome }) => `${deliveryId}: attempt ${number} is ${outcome}, but the relay has no copy`
    )
  const unexplained = [...byDelivery].flatMap(([deliveryId, copies]) =>
    copies.flatMap(({ attempt, messageIdHeader }, index) => {
      const row = attempts.get(`${deliveryId}/${attempt}`)
      const ambiguous = row?.outcome === "ambiguous" || row?.phase === "finalizing"
      if (!ambiguous && !mayHaveReachedRelay.has(row?.outcome ?? ""))
        return [
          `${deliveryId}: the relay has a copy of attempt ${attempt}, whose outcome is ${row?.outcome ?? "unknown"}`
        ]
      if (index < copies.length - 1 && !ambiguous)
        return [`${deliveryId}: the relay has a copy after attempt ${attempt}, whose outcome is ${row!.outcome}`]
      return messageIdHeader === copies[0]!.messageIdHeader
        ? []
        : [`${deliveryId}: the copies have different Message-IDs`]
    })
  )
  return {
    duplicates: [...byDelivery.values()].filter((copies) => copies.length > 1).length,
    ambiguous: rows.filter(({ outcome }) => outcome === "ambiguous").length,
    unexplained: [...missing, ...unexplained]
  }
}
