/**
 * Reads the records of one kind by their keys, and rewrites or deletes a record that was read. Source: decisions 0050, 0051
 * and 0101.
 */
import type {
  AnswerOf,
  ChangeOf,
  ConflictReason,
  CounterName,
  EventRecord,
  QueryOf,
  RecordKind,
  RemovableKind,
  RewritableKind,
  StoredRecord,
  StoredRecordKey,
  StoredRecordOf
} from "@mailkeep/core/adapter"
import { isSameRecord, storedRecordKey } from "@mailkeep/core/adapter/evaluation"
import { deleteReferences, deleteUnusedContents, referToContents } from "./messageContents.ts"
import type { Prepared, RecordTable, Value } from "./recordTable.ts"
import { findAll } from "./recordTable.ts"
import { isCommitted } from "./stagedContents.ts"
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

/** The table of a kind with the columns of its key, and how its records are read. */
interface Source<K extends RecordKind> {
  readonly table: string
  readonly key: ReadonlyArray<string>
  /** The last columns of the key, by which the records are ordered. An id is unique in the file, so most kinds need no project for it. */
  readonly order?: ReadonlyArray<string>
  readonly read: Read<K>
}

const rows = <R>(connection: Prepared, sql: string, values: ReadonlyArray<Value>) =>
  connection.statement(sql).all(...values) as ReadonlyArray<R>

const byId = { key: ["project_id", "id"], order: ["id"] } as const

const ofTable = <R>(table: RecordTable<R>, ...key: ReadonlyArray<string>) => ({
  table: table.name,
  ...(key.length === 0 ? byId : { key }),
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

/** The project of an attempt is that of its delivery. */
const attemptsRead: Read<"Attempt"> = (connection, where, values) =>
  rows<{ readonly project_id: string }>(
    connection,
    `SELECT one.*, delivery.project_id FROM mailkeep_attempts AS one CROSS JOIN mailkeep_deliveries AS delivery ON delivery.id = one.delivery_id ${where}`,
    values
  ).map((row) => ({ projectId: row.project_id, ...attempts.fromRow(row) }))

const eventsRead: Read<"Event"> = (connection, where, values) =>
  rows<{ readonly distributed: number }>(connection, `SELECT * FROM mailkeep_events ${where}`, values).map((row) => ({
    event: events.fromRow(row) as EventRecord,
    isDistributed: row.distributed === 1
  }))

const sources: { readonly [K in RecordKind]: Source<K> } = {
  Setting: {
    table: "mailkeep_settings",
    key: ["name"],
    read: (connection, where, values) =>
      rows<{ readonly name: string; readonly value: string }>(
        connection,
        `SELECT name, value FROM mailkeep_settings ${where}`,
        values
      )
  },
  Project: ofTable(projects, "id"),
  ApiKey: ofTable(apiKeys),
  Domain: ofTable(domains, "project_id", "domain"),
  Resource: ofTable(resources),
  Contact: ofTable(contacts),
  Suppression: ofTable(suppressions, "project_id", "address_key"),
  Idempotency: ofTable(idempotency, "project_id", "key"),
  Content: { table: "mailkeep_contents", key: ["project_id", "hash"], read: contentsRead },
  Message: ofTable(messages),
  Delivery: ofTable(deliveries),
  Attempt: {
    table: attempts.name,
    key: ["project_id", "delivery_id", "number"],
    order: ["delivery_id", "number"],
    read: attemptsRead
  },
  Counter: {
    table: counters.name,
    key: ["project_id", "name"],
    read: (connection, where, values) =>
      findAll(connection, counters, where, ...values).map((one) => ({ ...one, name: one.name as CounterName }))
  },
  Event: { table: events.name, ...byId, read: eventsRead },
  EventDelivery: ofTable(eventDeliveries),
  Lease: {
    table: "mailkeep_leases",
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
const firstChunk = `chunk = 0 AND ${isCommitted}`

/** The column of the project of each kind that has one. */
const projectColumnOf = (kind: RecordKind, { key }: Source<RecordKind>): string | undefined =>
  kind === "Project" ? "id" : key.find((column) => column === "project_id")

/**
 * Reads up to `limit` records of one kind after a key, in the order of the file. The plus sign keeps SQLite from an index of the project, which would
 * have to be sorted for each page.
 */
export const recordPage = (
  connection: Prepared,
  { kind, projectId, after, limit }: QueryOf<"Records">
): AnswerOf<"Records"> => {
  const source = sources[kind] as Source<RecordKind>
  const { key, order = key, read } = source
  const project = projectColumnOf(kind, source)
  if (projectId !== null && project === undefined) return []
  const columns = order.join(", ")
  const conditions = [
    ...(kind === "Content" ? [firstChunk] : []),
    ...(projectId === null ? [] : [`${order === key ? "" : "+"}${project} = ?`]),
    ...(after === null ? [] : [`(${columns}) > (${order.map(() => "?").join(", ")})`])
  ]
  const where = `${conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`} ORDER BY ${columns} LIMIT ?`
  const values = [
    ...(projectId === null ? [] : [projectId]),
    ...(after === null ? [] : after.slice(key.length - order.length)),
    limit
  ]
  return read(connection, where, values).map((record) => ({ kind, record }) as StoredRecord)
}

/** Reads the record with a key. */
const recordByKey = (connection: Prepared, kind: RecordKind, key: StoredRecordKey): StoredRecord | null => {
  const source = sources[kind] as Source<RecordKind>
  const conditions = [...(kind === "Content" ? [firstChunk] : []), ...source.key.map((column) => `${column} = ?`)]
  const [record] = source.read(connection, `WHERE ${conditions.join(" AND ")}`, key)
  return record === undefined ? null : ({ kind, record } as StoredRecord)
}

export const recordsByKey = (connection: Prepared, { kind, keys }: QueryOf<"RecordsByKey">): AnswerOf<"RecordsByKey"> =>
  keys.map((key) => recordByKey(connection, kind, key))

type Rewritable = StoredRecordOf<RewritableKind>

/** Deletes the row of a record, by the last columns of its key. */
const deleteRow = (connection: Prepared, kind: RewritableKind | RemovableKind, recordKey: StoredRecordKey): void => {
  const { table, key, order = key } = sources[kind] as Source<RecordKind>
  const where = order.map((column) => `${column} = ?`).join(" AND ")
  connection.statement(`DELETE FROM ${table} WHERE ${where}`).run(...recordKey.slice(key.length - order.length))
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
  const key = storedRecordKey(before)
  const existing = recordByKey(connection, before.kind, key)
  if (existing === null) return "NotFound"
  if (!isSameRecord(existing, before)) return "Stale"
  deleteRow(connection, before.kind, key)
  if (before.kind === "Message") deleteReferences(connection, before.record)
  if (before.kind === "Delivery" && after === null)
    connection.statement("DELETE FROM mailkeep_attempts WHERE delivery_id = ?").run(before.record.id)
  if (after !== null) insertRecord(connection, after)
  if (before.kind === "Message") deleteUnusedContents(connection, before.record)
  return undefined
}

/** Applies the change. Returns the reason if its guard does not hold. */
export const removeRecord = (
  connection: Prepared,
  { record }: ChangeOf<"RemoveRecord">
): ConflictReason | undefined => {
  const { kind } = record
  const key = storedRecordKey(record)
  const existing = recordByKey(connection, kind, key)
  if (existing === null) return "NotFound"
  if (!isSameRecord(existing, record)) return "Stale"
  deleteRow(connection, kind, key)
  return undefined
}
