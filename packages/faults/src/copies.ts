/**
 * What the relay has, held against what the store says: a copy only where the attempt says that its final dot may have gone, and a
 * second one only where the first was marked uncertain; and a copy for every attempt that says that it went well.
 */
import Database from "better-sqlite3"
import type { TakenCopy } from "./RecordingTransport.ts"

interface AttemptRow {
  readonly deliveryId: string
  readonly number: number
  readonly phase: string
  readonly outcome: string | null
}

interface Copies {
  /** Deliveries of which the relay has more than one copy. */
  readonly doubles: number
  /** Attempts that ended without an answer after the final dot. */
  readonly uncertain: number
  readonly unexplained: ReadonlyArray<string>
}

const wentWell = new Set(["delivered", "accepted"])
const goneOut = new Set(["delivered", "accepted", "ambiguous"])

export const explainedCopies = (filename: string, taken: ReadonlyArray<TakenCopy>): Copies => {
  const database = new Database(filename)
  const rows = database
    .prepare("SELECT delivery_id AS deliveryId, number, phase, outcome FROM attempts")
    .all() as ReadonlyArray<AttemptRow>
  database.close()
  const attempts = new Map(rows.map((row) => [`${row.deliveryId}/${row.number}`, row]))
  const byDelivery = Map.groupBy(taken, ({ deliveryId }) => deliveryId)
  const had = new Set(taken.map(({ deliveryId, attempt }) => `${deliveryId}/${attempt}`))
  const missing = rows
    .filter(({ deliveryId, number, outcome }) => wentWell.has(outcome ?? "") && !had.has(`${deliveryId}/${number}`))
    .map(
      ({ deliveryId, number, outcome }) => `${deliveryId}: attempt ${number} says ${outcome}, and the relay has nothing`
    )
  const unexplained = [...byDelivery].flatMap(([deliveryId, copies]) =>
    copies.flatMap(({ attempt, messageId }, place) => {
      const row = attempts.get(`${deliveryId}/${attempt}`)
      const uncertain = row?.outcome === "ambiguous" || row?.phase === "dot"
      if (!uncertain && !goneOut.has(row?.outcome ?? ""))
        return [`${deliveryId}: a copy of attempt ${attempt}, which says ${row?.outcome ?? "nothing"}`]
      if (place < copies.length - 1 && !uncertain)
        return [`${deliveryId}: a copy after attempt ${attempt}, which says ${row!.outcome}`]
      return messageId === copies[0]!.messageId ? [] : [`${deliveryId}: copies under two Message-IDs`]
    })
  )
  return {
    doubles: [...byDelivery.values()].filter((copies) => copies.length > 1).length,
    uncertain: rows.filter(({ outcome }) => outcome === "ambiguous").length,
    unexplained: [...missing, ...unexplained]
  }
}
