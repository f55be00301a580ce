/**
 * Pages of the records of one kind, in the order of their keys, and records by their keys. Source: decision 0050.
 */
import type { AnswerOf, QueryOf, RecordKind, StoredRecord, StoredRecords } from "@mailkeep/core/adapter"
import { storedRecordKey } from "@mailkeep/core/adapter/evaluation"
import type { RecordTable } from "../recordTable.ts"
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
} from "../tables.ts"
import type { Building, Reading } from "./reading.ts"
import { rowSql, rowsOf, rowsSql } from "./reading.ts"

/** The table of a kind, and how its records are read. The alias of the table is `one`. */
interface Source {
  readonly table: string
  /** The columns of the key. */
  readonly key: ReadonlyArray<string>
  /** The columns of a record. */
  readonly columns: (building: Building) => string
  /** The rows that are records, if not all are. */
  readonly where?: string
  /** Makes the record of a row. */
  readonly read?: (row: never) => StoredRecord["record"]
}

const ofTable = <R>(table: RecordTable<R>, ...key: ReadonlyArray<string>): Source => ({
  table: table.name,
  key: key.length === 0 ? ["project_id", "id"] : key,
  columns: () => table.columns("one")
})

type ContentRow = Omit<StoredRecords["Content"], "chunks"> & { readonly chunks: ReadonlyArray<string> }

/** The bytes of a column that was read in hexadecimal digits. */
export const fromHex = (digits: string): Uint8Array => new Uint8Array(Buffer.from(digits, "hex"))

const sources: Readonly<Record<RecordKind, Source>> = {
  Setting: { table: "settings", key: ["name"], columns: () => "one.name, one.value" },
  Project: ofTable(projects, "id"),
  ApiKey: ofTable(apiKeys),
  Domain: ofTable(domains, "project_id", "domain"),
  Resource: ofTable(resources),
  Contact: ofTable(contacts),
  Suppression: ofTable(suppressions, "project_id", "address_key"),
  Idempotency: ofTable(idempotency, "project_id", "key"),
  // Every content has one chunk 0.
  Content: {
    table: "contents",
    key: ["project_id", "hash"],
    where: "one.chunk = 0",
    columns: (building) =>
      `one.project_id AS "projectId", one.hash, (SELECT json_agg(encode(part.bytes, 'hex') ORDER BY part.chunk) FROM ${building.table("contents")} AS part WHERE part.project_id = one.project_id AND part.hash = one.hash) AS chunks`,
    read: ({ chunks, ...content }: ContentRow) => ({ ...content, chunks: chunks.map(fromHex) })
  },
  Message: ofTable(messages),
  Delivery: ofTable(deliveries),
  Attempt: ofTable(attempts, "project_id", "delivery_id", "number"),
  Counter: ofTable(counters, "project_id", "name"),
  Event: {
    table: events.name,
    key: ["project_id", "id"],
    columns: (building) =>
      `${rowSql(`SELECT ${events.columns("one")}`)} AS event, NOT EXISTS (SELECT FROM ${building.table("undistributed_events")} AS waiting WHERE (waiting.project_id, waiting.event_id) = (one.project_id, one.id)) AS "isDistributed"`
  },
  EventDelivery: ofTable(eventDeliveries),
  Lease: {
    table: "leases",
    key: ["worker"],
    columns: () => `one.worker, one.renewed_at AS "renewedAt", one.lease_until AS "leaseUntil"`
  }
}

/** The column of the project of each kind that has one: the first column of the key. */
const projectColumnOf = (kind: RecordKind, { key }: Source): string | undefined =>
  kind === "Project" ? "id" : key.find((column) => column === "project_id")

const recordsOf = (building: Building, kind: RecordKind, rest: string): Reading<ReadonlyArray<StoredRecord>> => {
  const { table, columns, read = (row: StoredRecord["record"]) => row } = sources[kind]
  return {
    sql: rowsSql(`SELECT ${columns(building)} FROM ${building.table(table)} AS one ${rest}`),
    read: (value) => rowsOf<never>(value).map((row) => ({ kind, record: read(row) }) as StoredRecord)
  }
}

/** Reads up to `limit` records of one kind after a key. */
export const recordPage = (
  building: Building,
  { kind, projectId, after, limit }: QueryOf<"Records">
): Reading<AnswerOf<"Records">> => {
  const source = sources[kind]
  const { key, where } = source
  const project = projectColumnOf(kind, source)
  const keyColumns = key.map((column) => `one.${column}`).join(", ")
  const conditions = [
    ...(where === undefined ? [] : [where]),
    ...(projectId === null
      ? []
      : [project === undefined ? "false" : `one.${project} = ${building.parameter(projectId)}`]),
    ...(after === null ? [] : [`(${keyColumns}) > (${after.map((part) => building.parameter(part)).join(", ")})`])
  ]
  const bound = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`
  return recordsOf(building, kind, `${bound} ORDER BY ${keyColumns} LIMIT ${building.parameter(limit)}`)
}

/** Reads the records of one kind with these keys. */
export const recordsByKey = (
  building: Building,
  { kind, keys }: QueryOf<"RecordsByKey">
): Reading<AnswerOf<"RecordsByKey">> => {
  const { key, where } = sources[kind]
  const parts = key.map((column, n) => `(k.keys ->> ${n})${column === "number" ? "::bigint" : ""}`)
  const found = `JOIN json_array_elements(${building.parameter(JSON.stringify(keys))}::json) AS k(keys) ON (${key.map((column) => `one.${column}`).join(", ")}) = (${parts.join(", ")})`
  const { sql, read } = recordsOf(building, kind, `${found}${where === undefined ? "" : ` WHERE ${where}`}`)
  return {
    sql,
    read: (value) => {
      const byKey = new Map(read(value).map((record) => [JSON.stringify(storedRecordKey(record)), record]))
      return keys.map((one) => byKey.get(JSON.stringify(one)) ?? null)
    }
  }
}
