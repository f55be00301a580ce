/**
 * Reads the records of one kind in the order of their keys, and rewrites or deletes a record that was read. Source: decisions 0050 and 0051.
 */
import type {
  AnswerOf,
  ChangeOf,
  ConflictReason,
  CounterName,
  EventRecord,
  QueryOf,
  RecordKind,
  RewritableKind,
  StoredRecord,
  StoredRecordKey,
  StoredRecordOf
} from "@mailkeep/core/adapter"
import { isSameRecord } from "@mailkeep/core/adapter/evaluation"
import { deleteReferences, deleteUnusedContents, referToContents } from "./messageContents.ts"
import type { Prepared, RecordTable, Value } from "./recordTable.ts"
import { findAll } from "./recordTable.ts"
import {
  apiKeys,
  attempts,
  contacts,
  counters,
  deliveries,
  domains,
  eventDeliveries,
  events,
  idempotency,
  messages,
  projects,
  resources,
  suppressions
} from "./tables.ts"

type Read<K extends RecordKind> = (
  connection: Prepared,
  where: string,
  values: ReadonlyArray<Value>
) => ReadonlyArray<StoredRecordOf<K>["record"]>

/** The columns of the key of a kind, and how its records are read. */
interface Source<K extends RecordKind> {
  readonly key: ReadonlyArray<string>
  readonly read: Read<K>
}

const rows = <R>(connection: Prepared, sql: string, values: ReadonlyArray<Value>) =>
  connection.statement(sql).all(...values) as ReadonlyArray<R>

const ofTable = <R>(table: RecordTable<R>, ...key: ReadonlyArray<string>) => ({
  key: key.length === 0 ? ["id"] : key,
  read: (connection: Prepared, where: string, values: ReadonlyArray<Value>) =>
    findAll(connection, table, where, ...values)
})

const contentsRead: Read<"Content"> = (connection, where, values) =>
  rows<{ readonly project_id: string; readonly hash: string }>(
    connection,
    `SELECT project_id, hash FROM mailkeep_contents ${where}`,
    values
  ).map(({ project_id, hash }) => ({
    projectId: project_id,
    hash,
    chunks: rows<{ readonly bytes: Uint8Array }>(
      connection,
      "SELECT bytes FROM mailkeep_contents WHERE project_id = ? AND hash = ? ORDER BY chunk",
      [project_id, hash]
    ).map(({ bytes }) => new Uint8Array(bytes))
  }))

const eventsRead: Read<"Event"> = (connection, where, values) =>
  rows<{ readonly distributed: number }>(connection, `SELECT * FROM mailkeep_events ${where}`, values).map((row) => ({
    event: events.fromRow(row) as EventRecord,
    isDistributed: row.distributed === 1
  }))

const sources: { readonly [K in RecordKind]: Source<K> } = {
  Setting: {
    key: ["name"],
    read: (connection, where, values) =>
      rows<{ readonly name: string; readonly value: string }>(
        connection,
        `SELECT name, value FROM mailkeep_settings ${where}`,
        values
      )
  },
  Project: ofTable(projects),
  ApiKey: ofTable(apiKeys),
  Domain: ofTable(domains, "project_id", "domain"),
  Resource: ofTable(resources),
  Contact: ofTable(contacts),
  Suppression: ofTable(suppressions, "project_id", "address_key"),
  Idempotency: ofTable(idempotency, "project_id", "key"),
  Content: { key: ["project_id", "hash"], read: contentsRead },
  Message: ofTable(messages),
  Delivery: ofTable(deliveries),
  Attempt: ofTable(attempts, "delivery_id", "number"),
  Counter: {
    key: ["project_id", "name"],
    read: (connection, where, values) =>
      findAll(connection, counters, where, ...values).map((one) => ({ ...one, name: one.name as CounterName }))
  },
  Event: { key: ["id"], read: eventsRead },
  EventDelivery: ofTable(eventDeliveries),
  Lease: {
    key: ["worker"],
    read: (connection, where, values) =>
      rows<{ readonly worker: string; readonly renewed_at: number; readonly lease_until: number }>(
        connection,
        `SELECT worker, renewed_at, lease_until FROM mailkeep_leases ${where}`,
        values
      ).map(({ worker, renewed_at, lease_until }) => ({ worker, renewedAt: renewed_at, leaseUntil: lease_until }))
  }
}

/** Every content has a chunk 0, and the query counts each content once by that chunk. */
const firstChunkOnly = (kind: RecordKind): string => (kind === "Content" ? "chunk = 0 AND " : "")

/** Reads up to `limit` records of one kind after a key. */
export const recordPage = (connection: Prepared, { kind, after, limit }: QueryOf<"Records">): AnswerOf<"Records"> => {
  const { key, read } = sources[kind] as Source<RecordKind>
  const columns = key.join(", ")
  const bound = after === null ? "1" : `(${columns}) > (${key.map(() => "?").join(", ")})`
  const where = `WHERE ${firstChunkOnly(kind)}${bound} ORDER BY ${columns} LIMIT ?`
  return read(connection, where, [...(after ?? []), limit]).map((record) => ({ kind, record }) as StoredRecord)
}

type Rewritable = StoredRecordOf<RewritableKind>

/** The table, the condition and the key of each kind that can be rewritten. */
const placeOf = ({ kind, record }: Rewritable): readonly [table: string, where: string, key: StoredRecordKey] => {
  switch (kind) {
    case "Message":
      return ["mailkeep_messages", "id = ?", [record.id]]
    case "Delivery":
      return ["mailkeep_deliveries", "id = ?", [record.id]]
    case "Attempt":
      return ["mailkeep_attempts", "delivery_id = ? AND number = ?", [record.deliveryId, record.number]]
    case "Event":
      return ["mailkeep_events", "id = ?", [record.event.id]]
    case "Idempotency":
      return ["mailkeep_idempotency", "project_id = ? AND key = ?", [record.projectId, record.key]]
  }
}

const existingOf = (connection: Prepared, before: Rewritable): StoredRecord | undefined => {
  const [, where, key] = placeOf(before)
  const [record] = (sources[before.kind] as Source<RecordKind>).read(connection, `WHERE ${where}`, key)
  return record === undefined ? undefined : ({ kind: before.kind, record } as StoredRecord)
}

const insert = <R>(connection: Prepared, table: RecordTable<R>, record: R): void => {
  connection.statement(table.insert).run(...table.valuesOf(record, table.fields))
}

const insertRecord = (connection: Prepared, { kind, record }: Rewritable): void => {
  switch (kind) {
    case "Message":
      insert(connection, messages, record)
      return referToContents(connection, record)
    case "Delivery":
      return insert(connection, deliveries, record)
    case "Attempt":
      return insert(connection, attempts, record)
    case "Event":
      insert(connection, events, record.event)
      if (record.isDistributed)
        connection.statement("UPDATE mailkeep_events SET distributed = 1 WHERE id = ?").run(record.event.id)
      return
    case "Idempotency":
      return insert(connection, idempotency, record)
  }
}

/** Applies the change. Returns the reason if its guard does not hold. */
export const rewriteRecord = (
  connection: Prepared,
  { before, after }: ChangeOf<"RewriteRecord">
): ConflictReason | undefined => {
  const existing = existingOf(connection, before)
  if (existing === undefined) return "NotFound"
  if (!isSameRecord(existing, before)) return "Stale"
  const [table, where, key] = placeOf(before)
  connection.statement(`DELETE FROM ${table} WHERE ${where}`).run(...key)
  if (before.kind === "Message") deleteReferences(connection, before.record)
  if (after !== null) insertRecord(connection, after)
  if (before.kind === "Message") deleteUnusedContents(connection, before.record)
  return undefined
}
