/**
 * Reads all records of one kind in the order of their keys, and rewrites or deletes a record that was read.
 */
import * as Mail from "@mailkeep/core/adapter"
import { deleteReferences, deleteUnusedContents, referToContents } from "./contents.ts"
import type { Kind, RecordTables } from "./records.ts"

/** Where the copy of an event waits until it is distributed. */
export const undistributedKey = (eventKey: string): string => eventKey.replace(/^Event/, "Undistributed")

/** The fields of the key in a table of records. The key of a row is the fields with slashes between them, which is another order. */
const keyFields = {
  Project: ["id"],
  ApiKey: ["id"],
  Domain: ["projectId", "domain"],
  Resource: ["id"],
  Contact: ["id"],
  Suppression: ["projectId", "addressKey"],
  Idempotency: ["projectId", "key"],
  Message: ["id"],
  Delivery: ["id"],
  Attempt: ["deliveryId", "number"],
  Counter: ["projectId", "name"],
  EventDelivery: ["id"],
  Lease: ["worker"]
} as const satisfies Partial<Record<Mail.RecordKind, ReadonlyArray<string>>>

const afterKey = (columns: ReadonlyArray<string>, { after, limit }: Mail.QueryOf<"Records">) =>
  [
    `${after === null ? "TRUE" : `(${columns.join()}) > (${columns.map(() => "?").join()})`} ORDER BY ${columns.join()} LIMIT ?`,
    [...(after ?? []), limit]
  ] as const

const contents = (tables: RecordTables, query: Mail.QueryOf<"Records">) => {
  const columns = ["substr(content, 9, instr(substr(content, 9), '/') - 1)", "content"]
  const [where, values] = afterKey(columns, query)
  const [projectId, hash] = query.after ?? []
  const bounds = query.after === null ? values : [projectId!, `Content/${projectId}/${hash}`, query.limit]
  return tables.rows(`SELECT content FROM Content WHERE chunk = 0 AND ${where}`, ...bounds).map(({ content }) => {
    const [, projectId, hash] = (content as string).split("/") as [string, string, string]
    const rows = tables.rows("SELECT bytes FROM Content WHERE content = ? ORDER BY chunk", content as string)
    return { projectId, hash, chunks: rows.map(({ bytes }) => bytes as Uint8Array) }
  })
}

const settings = (tables: RecordTables, query: Mail.QueryOf<"Records">) => {
  const [where, values] = afterKey(["substr(key, 9)"], query)
  return tables
    .rows(`SELECT substr(key, 9) AS name, record FROM Setting WHERE ${where}`, ...values)
    .map(({ name, record }) => ({ name: name as string, value: JSON.parse(record as string) as string }))
}

const events = (tables: RecordTables, query: Mail.QueryOf<"Records">) => {
  const [where, values] = afterKey(["record ->> 'id'"], query)
  return tables.find("Event", where, ...values).map((event) => ({
    event,
    isDistributed: tables.get(`Undistributed/${event.id}`) === undefined
  }))
}

const recordsOf = (tables: RecordTables, query: Mail.QueryOf<"Records">): ReadonlyArray<unknown> => {
  const { kind } = query
  if (kind === "Content") return contents(tables, query)
  if (kind === "Setting") return settings(tables, query)
  if (kind === "Event") return events(tables, query)
  const [where, values] = afterKey(
    keyFields[kind].map((field) => `record ->> '${field}'`),
    query
  )
  return tables.find(kind satisfies Kind, where, ...values)
}

export const recordPage = (tables: RecordTables, query: Mail.QueryOf<"Records">): Mail.AnswerOf<"Records"> =>
  recordsOf(tables, query).map((record) => ({ kind: query.kind, record }) as Mail.StoredRecord)

type Rewritable = Mail.StoredRecordOf<Mail.RewritableKind>

const existingOf = (tables: RecordTables, key: string, { kind }: Rewritable): Mail.StoredRecord | undefined => {
  const record = tables.get(key)
  if (record === undefined) return undefined
  const isDistributed = tables.get(undistributedKey(key)) === undefined
  return { kind, record: kind === "Event" ? { event: record, isDistributed } : record } as Mail.StoredRecord
}

const remove = (tables: RecordTables, key: string, before: Rewritable): void => {
  tables.remove(key)
  if (before.kind === "Event") tables.remove(undistributedKey(key))
  if (before.kind === "Message") deleteReferences(tables, before.record)
}

const insert = (tables: RecordTables, key: string, after: Rewritable): void => {
  tables.put(key, after.kind === "Event" ? after.record.event : after.record)
  if (after.kind === "Event" && !after.record.isDistributed) tables.put(undistributedKey(key), after.record.event)
  if (after.kind === "Message") referToContents(tables, after.record)
}

/** Applies the change. Returns the reason if its guard does not hold. */
export const rewriteRecord = (
  tables: RecordTables,
  key: string,
  { before, after }: Mail.ChangeOf<"RewriteRecord">
): Mail.ConflictReason | undefined => {
  const existing = existingOf(tables, key, before)
  if (existing === undefined) return "NotFound"
  if (!Mail.isSameRecord(existing, before)) return "Stale"
  remove(tables, key, before)
  if (after !== null) insert(tables, key, after)
  if (before.kind === "Message") deleteUnusedContents(tables, before.record)
  return undefined
}
