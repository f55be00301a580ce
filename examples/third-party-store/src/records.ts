/**
 * The tables of the store. Each kind of record is a table, and each record is a row of JSON under its record key.
 * SQLite computes the other columns from the JSON, so that queries and indexes can use the fields of a record.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"
import type * as Mail from "@mailkeep/core/adapter"

export interface Records {
  Setting: string
  Project: Mail.ProjectRecord
  ApiKey: Mail.ApiKeyRecord
  Domain: Mail.SenderDomainRecord
  Resource: Mail.Resource
  Contact: Mail.ContactRecord
  Suppression: Mail.SuppressionRecord
  Idempotency: Mail.IdempotencyRecord
  Message: Mail.Message
  /** That a message refers to a content. */
  MessageContent: { readonly content: string; readonly messageId: string }
  Delivery: Mail.Delivery
  Attempt: Mail.Attempt
  Counter: Mail.Counter
  Event: Mail.EventRecord
  /** A copy of each event that was not distributed yet. */
  Undistributed: Mail.EventRecord
  EventDelivery: Mail.EventDelivery
  Lease: Mail.Lease
}
export type Kind = keyof Records

/** The indexes of each table, each with its fields. An index that begins with `unique` refuses a second record. */
const indexes: Readonly<Record<Kind, ReadonlyArray<string>>> = {
  Setting: [],
  Project: [],
  ApiKey: ["unique projectId publicId", "publicId", "projectId createdAt id"],
  Domain: ["projectId createdAt id", "nextCheckAt id"],
  Resource: ["unique projectId kind parent name", "projectId kind parent createdAt id"],
  Contact: ["unique projectId address", "projectId createdAt id", "projectId emailStatus createdAt id"],
  Suppression: ["projectId address"],
  Idempotency: ["expiresAt"],
  Message: ["createdAt id"],
  MessageContent: ["content"],
  Delivery: [
    "id",
    "messageId",
    "worker",
    "status dueAt id",
    "status projectId bulk dueAt id",
    "status dueSetAt",
    "projectId createdAt id",
    "projectId address createdAt id",
    "projectId contactId createdAt id"
  ],
  Attempt: ["projectId deliveryId number"],
  Counter: ["projectId"],
  Event: ["projectId id", "occurredAt"],
  Undistributed: ["id"],
  EventDelivery: ["worker", "endedAt", "subscriber dueAt id", "projectId subscriber createdAt id"],
  Lease: ["worker", "renewedAt", "leaseUntil"]
}

const tableSql = (table: string, columns: ReadonlyArray<string>): string =>
  `CREATE TABLE IF NOT EXISTS ${table} (key TEXT PRIMARY KEY, record TEXT NOT NULL${columns
    .map((field) => `, ${field} AS (record ->> '${field}')`)
    .join("")})`

/** The chunks of the contents of files. They are bytes, so they are not in a row of JSON. */
const contentSql = `CREATE TABLE IF NOT EXISTS Content (content TEXT, chunk INTEGER, bytes BLOB NOT NULL);
  CREATE UNIQUE INDEX IF NOT EXISTS Content0 ON Content (content, chunk)`

/** Creates the tables and indexes that do not exist. Each field of an index is a column. */
export const schema: string = Object.entries(indexes)
  .flatMap(([table, lines]) => {
    const fields = lines.map((line) => line.split(" ").filter((word) => word !== "unique"))
    return [
      tableSql(table, [...new Set(fields.flat())]),
      ...lines.map(
        (line, n) =>
          `CREATE ${line.startsWith("unique") ? "UNIQUE" : ""} INDEX IF NOT EXISTS ${table}${n} ON ${table} (${fields[n]!.join()})`
      )
    ]
  })
  .concat(contentSql)
  .join(";\n")

/** Reads and writes records by their kind and by their record key, such as `Contact/prj_acme/con_1`. */
export interface RecordTables {
  readonly get: (key: string) => unknown
  /** Inserts or replaces a record. Returns `false` if another record has the values of a unique index. */
  readonly put: (key: string, record: unknown) => boolean
  /** Returns `false` if there was no such record. */
  readonly remove: (key: string) => boolean
  /** Returns the records of a kind that match a condition of SQL. */
  readonly find: <K extends Kind>(
    kind: K,
    where: string,
    ...values: ReadonlyArray<SQLInputValue>
  ) => ReadonlyArray<Records[K]>
  /** Returns the rows of any other statement. */
  readonly rows: (sql: string, ...values: ReadonlyArray<SQLInputValue>) => ReadonlyArray<Record<string, unknown>>
}

const kindOf = (key: string): string => key.slice(0, key.indexOf("/"))

/** The result code `SQLITE_CONSTRAINT_UNIQUE`. */
const uniqueCode = 2067

export const recordTables = (database: DatabaseSync): RecordTables => {
  const statements = new Map<string, StatementSync>()
  const statement = (sql: string): StatementSync => {
    const prepared = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, prepared)
    return prepared
  }
  const rows: RecordTables["rows"] = (sql, ...values) => statement(sql).all(...values)
  return {
    rows,
    find: <K extends Kind>(kind: K, where: string, ...values: ReadonlyArray<SQLInputValue>) =>
      rows(`SELECT record FROM ${kind} WHERE ${where}`, ...values).map(
        ({ record }) => JSON.parse(record as string) as Records[K]
      ),
    get: (key) => {
      const row = statement(`SELECT record FROM ${kindOf(key)} WHERE key = ?`).get(key)
      return row === undefined ? undefined : JSON.parse(row["record"] as string)
    },
    put: (key, record) => {
      const sql = `INSERT INTO ${kindOf(key)} (key, record) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET record = excluded.record`
      try {
        statement(sql).run(key, JSON.stringify(record))
        return true
      } catch (cause) {
        if (cause instanceof Error && "errcode" in cause && cause.errcode === uniqueCode) return false
        throw cause
      }
    },
    remove: (key) => statement(`DELETE FROM ${kindOf(key)} WHERE key = ?`).run(key).changes > 0
  }
}
