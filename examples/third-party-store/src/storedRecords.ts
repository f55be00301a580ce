/**
 * Reads the records of one kind by their keys, and rewrites or deletes a record that was read.
 */
import * as Mail from "@mailkeep/core/adapter"
import { deleteAttempts, deleteReferences, deleteUnusedContents, referToContents } from "./contents.ts"
import type { Kind, RecordTables } from "./records.ts"

/** Where the copy of an event waits until it is distributed. */
export const undistributedKey = (eventKey: string): string => eventKey.replace(/^Event/, "Undistributed")

/** The records of a kind with their keys: a row of JSON under its record key is one record, except for contents and settings. */
const recordsOf = (
  tables: RecordTables,
  kind: Mail.RecordKind,
  where: string,
  ...values: ReadonlyArray<string | number>
) => {
  switch (kind) {
    case "Content":
      return tables.rows(`SELECT content FROM Content WHERE chunk = 0 AND ${where}`, ...values).map(({ content }) => {
        const [, projectId, hash] = (content as string).split("/") as [string, string, string]
        const rows = tables.rows("SELECT bytes FROM Content WHERE content = ? ORDER BY chunk", content as string)
        return { projectId, hash, chunks: rows.map(({ bytes }) => bytes as Uint8Array) }
      })
    case "Setting":
      return tables
        .rows(`SELECT substr(key, 9) AS name, record FROM Setting WHERE ${where}`, ...values)
        .map(({ name, record }) => ({ name: name as string, value: JSON.parse(record as string) as string }))
    case "Event":
      return tables.find("Event", where, ...values).map((event) => ({
        event,
        isDistributed: tables.get(`Undistributed/${event.projectId}/${event.id}`) === undefined
      }))
    default:
      return tables.find(kind satisfies Kind, where, ...values)
  }
}

const keyColumnOf = (kind: Mail.RecordKind): string => (kind === "Content" ? "content" : "key")

const keyText = (kind: Mail.RecordKind, key: Mail.StoredRecordKey): string => [kind, ...key].join("/")

/** The records of each kind are in the order of their record keys. */
export const recordPage = (
  tables: RecordTables,
  { kind, projectId, after, limit }: Mail.QueryOf<"Records">
): Mail.AnswerOf<"Records"> => {
  const column = keyColumnOf(kind)
  if (projectId !== null && (kind === "Setting" || kind === "Lease")) return []
  // The keys of the records of a project begin with the project and a slash. In ASCII, a zero follows a slash.
  const [from, to] =
    projectId === null
      ? [`${kind}/`, `${kind}0`]
      : kind === "Project"
        ? [keyText(kind, [projectId]), `${keyText(kind, [projectId])}\u0001`]
        : [`${keyText(kind, [projectId])}/`, `${keyText(kind, [projectId])}0`]
  const records = recordsOf(
    tables,
    kind,
    `${column} >= ? AND ${column} < ? AND ${column} > ? ORDER BY ${column} LIMIT ?`,
    from,
    to,
    after === null ? "" : keyText(kind, after),
    limit
  )
  return records.map((record) => ({ kind, record }) as Mail.StoredRecord)
}

export const recordsByKey = (
  tables: RecordTables,
  { kind, keys }: Mail.QueryOf<"RecordsByKey">
): Mail.AnswerOf<"RecordsByKey"> =>
  keys.map((key) => {
    const [record] = recordsOf(tables, kind, `${keyColumnOf(kind)} = ?`, keyText(kind, key))
    return record === undefined ? null : ({ kind, record } as Mail.StoredRecord)
  })

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
  if (before.kind === "Delivery" && after === null) deleteAttempts(tables, before.record)
  if (after !== null) insert(tables, key, after)
  if (before.kind === "Message") deleteUnusedContents(tables, before.record)
  return undefined
}
