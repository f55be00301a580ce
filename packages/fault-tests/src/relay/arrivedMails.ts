/**
 * Compares the messages that the collector received with the attempts in the store. Every accepted delivery arrived, and every message that
 * arrived belongs to a delivery. There are no more copies than attempts that succeeded or were ambiguous. So a second copy exists only after an
 * ambiguous attempt. With the policy `fail`, there is no second copy. The copies of a delivery are the same to the byte, below the fields that
 * the relay added.
 */
import type { OnAmbiguous } from "@mailkeep/core"
import Database from "better-sqlite3"
import type { Arrived } from "../kill/killLoop.ts"
import { byDelivery } from "./peers/collector.ts"
import type { Spool, SpooledMail } from "./peers/Spool.ts"

/** A delivery with its attempts. */
export interface DeliveryRow {
  readonly id: string
  readonly status: string
  readonly reason: string | null
  /** How many attempts ended with a positive answer of the relay. */
  readonly successful: number
  /** How many attempts ended without an answer while finalizing. */
  readonly ambiguous: number
}

const query = `SELECT d.id, d.status, d.reason,
  count(*) FILTER (WHERE a.outcome IN ('accepted', 'delivered')) AS successful,
  count(*) FILTER (WHERE a.outcome = 'ambiguous' OR a.phase = 'finalizing') AS ambiguous
  FROM mailkeep_deliveries d LEFT JOIN mailkeep_attempts a ON a.delivery_id = d.id GROUP BY d.id`

/** What is wrong with the copies of one delivery. */
export const unexplainedCopies = (
  { id, status, successful, ambiguous }: DeliveryRow,
  copies: number,
  onAmbiguous: OnAmbiguous
): ReadonlyArray<string> => {
  const found: Array<string> = []
  if ((status === "accepted" || successful > 0) && copies === 0) found.push(`${id} is ${status}, but did not arrive`)
  if (copies > successful + ambiguous)
    found.push(`${id} arrived ${copies} times after ${successful} successful and ${ambiguous} ambiguous attempts`)
  if (copies > 1 && onAmbiguous === "fail") found.push(`${id} arrived ${copies} times with the policy "fail"`)
  return found
}

/** The message without the fields that the relay added at the beginning. */
const asSent = (raw: Buffer): string => {
  const text = raw.toString("latin1")
  return text.replace(/^(?:Received:[^\r\n]*\r\n(?:[ \t][^\r\n]*\r\n)*)+/i, "")
}

const differingCopies = (spool: Spool, id: string, copies: ReadonlyArray<SpooledMail>): ReadonlyArray<string> => {
  const different = new Set(copies.map((mail) => asSent(spool.raw(mail))))
  return different.size > 1 ? [`${id}: the copies are not the same to the byte`] : []
}

/** Compares everything that arrived with the store in the file. */
export const explainedMails = (store: string, spool: Spool, onAmbiguous: OnAmbiguous): Arrived => {
  const database = new Database(store, { readonly: true })
  const rows = database.prepare(query).all() as ReadonlyArray<DeliveryRow>
  database.close()
  const arrived = byDelivery(spool)
  const known = new Set(rows.map(({ id }) => id))
  return {
    deliveryIds: new Set(arrived.keys()),
    duplicates: [...arrived.values()].filter((copies) => copies.length > 1).length,
    ambiguous: rows.reduce((sum, { ambiguous }) => sum + ambiguous, 0),
    unexplained: [
      ...rows.flatMap((row) => unexplainedCopies(row, arrived.get(row.id)?.length ?? 0, onAmbiguous)),
      ...[...arrived].flatMap(([id, copies]) => differingCopies(spool, id, copies)),
      ...[...arrived.keys()].filter((id) => !known.has(id)).map((id) => `${id} arrived, but is no delivery`)
    ]
  }
}
