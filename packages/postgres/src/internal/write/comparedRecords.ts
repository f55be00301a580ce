/**
 * Reads the stored records that the changes of a commit compare with records that were read before. Locks their rows.
 */
import type {
  ConflictReason,
  EventRecord,
  RemovableKind,
  RewritableKind,
  StoredRecord,
  StoredRecordOf
} from "@mailkeep/core/adapter"
import { storedRecordKey } from "@mailkeep/core/adapter"
import { isSameRecord } from "@mailkeep/core/adapter/evaluation"
import type { Connection } from "../database.ts"
import { settleAll } from "../database.ts"
import type { RecordTable } from "../recordTable.ts"
import {
  apiKeys,
  attempts,
  counters,
  deliveries,
  eventDeliveries,
  events,
  idempotency,
  messages,
  projects,
  suppressions
} from "../tables.ts"
import { aliased, joined, parameterRows } from "./applySet.ts"

export type ComparedKind = RewritableKind | RemovableKind
export type ComparedRecord = StoredRecordOf<ComparedKind>

/** A table, and the fields of its key in the order of `storedRecordKey`. */
interface KeyedTable {
  readonly table: RecordTable<Readonly<Record<string, unknown>>>
  readonly key: ReadonlyArray<string>
}

const keyed = <R>(table: RecordTable<R>, ...key: ReadonlyArray<keyof R & string>): KeyedTable => ({
  table: table as unknown as KeyedTable["table"],
  key
})

const keyedTables: Readonly<Record<ComparedKind, KeyedTable>> = {
  Attempt: keyed(attempts, "projectId", "deliveryId", "number"),
  Delivery: keyed(deliveries, "projectId", "id"),
  Event: keyed(events, "projectId", "id"),
  Idempotency: keyed(idempotency, "projectId", "key"),
  Message: keyed(messages, "projectId", "id"),
  Project: keyed(projects, "id"),
  ApiKey: keyed(apiKeys, "projectId", "id"),
  Suppression: keyed(suppressions, "projectId", "addressKey"),
  Counter: keyed(counters, "projectId", "name"),
  EventDelivery: keyed(eventDeliveries, "projectId", "id")
}

/** The parameter of a statement with the keys of records of one kind. */
export const keysParameter = (records: ReadonlyArray<ComparedRecord>): ReadonlyArray<string> => [
  JSON.stringify(
    records.map((one) => {
      const parts = storedRecordKey(one)
      return Object.fromEntries(keyedTables[one.kind].key.map((field, at) => [field, parts[at]]))
    })
  )
]

/** The rows of a parameter with keys, as a table with the alias `r`. */
const keyRows = (kind: ComparedKind): string =>
  parameterRows(keyedTables[kind].table.definitions(keyedTables[kind].key))

/** Where the row `t` has the key of the row `r`. */
export const isSameKey = (kind: ComparedKind): string => {
  const { table, key } = keyedTables[kind]
  return `(${aliased("t", table, key)}) = (${table.sources("r", key)})`
}

/** Deletes the records of one kind whose keys are in the parameter. */
export const deleteSql = (schema: string, kind: ComparedKind): string =>
  `DELETE FROM ${schema}.${keyedTables[kind].table.name} AS t USING ${keyRows(kind)} WHERE ${isSameKey(kind)}`

const keyTextOf = (record: ComparedRecord): string => joined(record.kind, ...storedRecordKey(record))

/** The records of each kind, in the order of the first one of each. */
export const byKind = <A>(
  all: ReadonlyArray<A>,
  kindOf: (one: A) => ComparedKind
): ReadonlyMap<ComparedKind, ReadonlyArray<A>> => Map.groupBy(all, kindOf)

/** Returns why the guard of a record does not hold: `undefined` if the stored record equals it. */
export type CompareRecord = (record: ComparedRecord) => ConflictReason | undefined

/** Makes the function that reads the stored records of the given ones, all of one kind with one statement. */
export const makeReadCompared = (schema: string) => {
  const lockedSql = (kind: ComparedKind) => {
    const { table, key } = keyedTables[kind]
    return `SELECT ${table.columns("t")} FROM ${schema}.${table.name} AS t JOIN ${keyRows(kind)} ON ${isSameKey(kind)}
ORDER BY ${aliased("t", table, key)} FOR UPDATE OF t`
  }
  const waitingSql = `SELECT t.project_id, t.event_id FROM ${schema}.undistributed_events AS t
JOIN ${keyRows("Event")} ON (t.project_id, t.event_id) = (r."projectId", r.id) FOR UPDATE OF t`

  /** An event and its distribution are rows of two tables. */
  const readEvents = async (connection: Connection, parameter: ReadonlyArray<string>) => {
    const [found, waiting] = await settleAll([
      connection.prepared<EventRecord>(lockedSql("Event"), parameter),
      connection.prepared<{ readonly project_id: string; readonly event_id: string }>(waitingSql, parameter)
    ])
    const undistributed = new Set(waiting.map(({ project_id, event_id }) => joined(project_id, event_id)))
    return found.map((event) => ({
      event,
      isDistributed: !undistributed.has(joined(event.projectId, event.id))
    }))
  }

  const readKind = async (
    connection: Connection,
    kind: ComparedKind,
    records: ReadonlyArray<ComparedRecord>
  ): Promise<ReadonlyArray<ComparedRecord>> => {
    const parameter = keysParameter(records)
    const found =
      kind === "Event"
        ? await readEvents(connection, parameter)
        : await connection.prepared<object>(lockedSql(kind), parameter)
    return found.map((record) => ({ kind, record }) as ComparedRecord)
  }

  return async (connection: Connection, records: ReadonlyArray<ComparedRecord>): Promise<CompareRecord> => {
    const kinds = byKind(records, ({ kind }) => kind)
    const found = await settleAll([...kinds].map(([kind, own]) => readKind(connection, kind, own)))
    const stored = new Map(found.flat().map((record) => [keyTextOf(record), record]))
    return (record) => {
      const existing = stored.get(keyTextOf(record))
      if (existing === undefined) return "NotFound"
      return isSameRecord(existing as StoredRecord, record as StoredRecord) ? undefined : "Stale"
    }
  }
}
