/**
 * Rewrites or deletes one record that was read. Source: decisions 0050, 0051 and 0101.
 */
import type {
  ChangeOf,
  ConflictReason,
  EventRecord,
  Message,
  RemovableKind,
  RewritableKind,
  StoredRecord,
  StoredRecordOf
} from "@mailkeep/core/adapter"
import { storedRecordKey } from "@mailkeep/core/adapter"
import { isSameRecord } from "@mailkeep/core/adapter/evaluation"
import type { Connection } from "../database.ts"
import type { RecordTable } from "../recordTable.ts"
import { jsonRows } from "../recordTable.ts"
import {
  apiKeys,
  attempts,
  counters,
  deliveries,
  deliveryRow,
  eventDeliveries,
  events,
  idempotency,
  messageRow,
  messages,
  projects,
  storedDeliveries,
  storedMessages,
  suppressions
} from "../tables.ts"
import { makeDeleteReferences, makeDeleteUnusedContents } from "./contentSet.ts"

type Rewritable = StoredRecordOf<RewritableKind>

/** The table of each kind, and the columns of its key. */
const tableKeys = {
  Message: [messages, ["project_id", "id"]],
  Delivery: [deliveries, ["project_id", "id"]],
  Attempt: [attempts, ["project_id", "delivery_id", "number"]],
  Event: [events, ["project_id", "id"]],
  Idempotency: [idempotency, ["project_id", "key"]],
  Project: [projects, ["id"]],
  ApiKey: [apiKeys, ["project_id", "id"]],
  Suppression: [suppressions, ["project_id", "address_key"]],
  Counter: [counters, ["project_id", "name"]],
  EventDelivery: [eventDeliveries, ["project_id", "id"]]
} as const

/** The table and the row that a rewrite of a record writes. */
const rowOf = (one: Rewritable): readonly [RecordTable<object>, object] => {
  switch (one.kind) {
    case "Message":
      return [storedMessages as RecordTable<object>, messageRow(one.record)]
    case "Delivery":
      return [storedDeliveries as RecordTable<object>, deliveryRow(one.record)]
    case "Event":
      return [events as RecordTable<object>, one.record.event]
    default:
      return [tableKeys[one.kind][0] as RecordTable<object>, one.record]
  }
}

export const makeRecordWrites = (schema: string) => {
  const deleteReferences = makeDeleteReferences(schema)
  const deleteUnusedContents = makeDeleteUnusedContents(schema)

  const whereOf = (kind: RewritableKind | RemovableKind) =>
    tableKeys[kind][1].map((column, index) => `t.${column} = $${index + 1}`).join(" AND ")

  /** The stored record, with a lock of its row. */
  const existingOf = async (
    connection: Connection,
    { kind, record }: Rewritable | StoredRecordOf<RemovableKind>
  ): Promise<StoredRecord | undefined> => {
    const table = tableKeys[kind][0] as RecordTable<object>
    const [row] = await connection.query(
      `SELECT ${table.columns("t")} FROM ${schema}.${table.name} AS t WHERE ${whereOf(kind)} FOR UPDATE`,
      storedRecordKey({ kind, record } as StoredRecord)
    )
    if (row === undefined) return undefined
    if (kind !== "Event") return { kind, record: row } as StoredRecord
    const waiting = await connection.query(
      `SELECT event_id FROM ${schema}.undistributed_events WHERE project_id = $1 AND event_id = $2 FOR UPDATE`,
      storedRecordKey({ kind, record } as StoredRecord)
    )
    return { kind, record: { event: row, isDistributed: waiting.length === 0 } } as StoredRecord
  }

  const remove = (connection: Connection, record: Rewritable | StoredRecordOf<RemovableKind>) =>
    connection.query(
      `DELETE FROM ${schema}.${tableKeys[record.kind][0].name} AS t WHERE ${whereOf(record.kind)}`,
      storedRecordKey(record)
    )

  const refer = async (connection: Connection, { id, projectId, attachments }: Message): Promise<void> => {
    await connection.query(
      `INSERT INTO ${schema}.message_contents (project_id, hash, message_id)
SELECT $1, hash, $2 FROM json_array_elements_text($3::json) AS hash ON CONFLICT DO NOTHING`,
      [projectId, id, JSON.stringify(attachments.map(({ hash }) => hash))]
    )
  }

  const write = async (connection: Connection, before: Rewritable, after: Rewritable | null): Promise<void> => {
    const table = tableKeys[before.kind][0] as RecordTable<object>
    const key = storedRecordKey(before)
    if (after === null) {
      await remove(connection, before)
      if (before.kind === "Delivery")
        await connection.query(`DELETE FROM ${schema}.attempts WHERE project_id = $1 AND delivery_id = $2`, key)
      return
    }
    const [written, row] = rowOf(after)
    const rows = jsonRows(`$${key.length + 1}`, "r", written.definitions())
    await connection.query(
      `UPDATE ${schema}.${table.name} AS t SET ${written.assignments("r")} FROM ${rows} WHERE ${whereOf(before.kind)}`,
      [...key, JSON.stringify([row])]
    )
  }

  const distribute = async (
    connection: Connection,
    { projectId, id }: EventRecord,
    isDistributed: boolean
  ): Promise<void> => {
    await connection.query(
      isDistributed
        ? `DELETE FROM ${schema}.undistributed_events WHERE project_id = $1 AND event_id = $2`
        : `INSERT INTO ${schema}.undistributed_events (project_id, event_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
      [projectId, id]
    )
  }

  const rewriteRecord = async (
    connection: Connection,
    { before, after }: ChangeOf<"RewriteRecord">
  ): Promise<ConflictReason | undefined> => {
    const existing = await existingOf(connection, before)
    if (existing === undefined) return "NotFound"
    if (!isSameRecord(existing, before)) return "Stale"
    await write(connection, before, after)
    if (before.kind === "Event")
      await distribute(connection, before.record.event, after?.kind !== "Event" || after.record.isDistributed)
    if (before.kind === "Message") {
      await deleteReferences(connection, [before.record])
      if (after?.kind === "Message") await refer(connection, after.record)
      await deleteUnusedContents(connection, [before.record])
    }
    return undefined
  }

  const removeRecord = async (
    connection: Connection,
    { record }: ChangeOf<"RemoveRecord">
  ): Promise<ConflictReason | undefined> => {
    const existing = await existingOf(connection, record)
    if (existing === undefined) return "NotFound"
    if (!isSameRecord(existing, record)) return "Stale"
    await remove(connection, record)
    return undefined
  }

  /** Each applies a change, and returns the reason if its guard does not hold. */
  return { rewriteRecord, removeRecord }
}
