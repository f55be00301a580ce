/**
 * One record and its table: how each field is stored, and the statements that every record needs.
 * Field names become snake_case columns; nothing else about a record is converted.
 */
import type { FieldKind } from "@mailkeep/core/adapter/evaluation"
import type { Database, Statement } from "better-sqlite3"

type Columns<R> = { readonly [F in keyof Required<R>]: FieldKind }

export type Value = string | number | null
type Row = Readonly<Record<string, Value>>

/** The column of a field. */
export const columnOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const toColumn = (kind: FieldKind, value: unknown): Value =>
  value === null
    ? null
    : kind === "json"
      ? JSON.stringify(value)
      : kind === "boolean"
        ? Number(value)
        : (value as Value)

const fromColumn = (kind: FieldKind, value: Value): unknown =>
  value === null ? null : kind === "json" ? JSON.parse(value as string) : kind === "boolean" ? value === 1 : value

export interface RecordTable<R> {
  readonly name: string
  readonly fields: ReadonlyArray<keyof R & string>
  /** The values of the fields, in column order. */
  readonly valuesOf: (record: Partial<R>, fields: ReadonlyArray<keyof R & string>) => ReadonlyArray<Value>
  readonly fromRow: (row: unknown) => R
  /** All columns, each with the name of its table. */
  readonly columns: (table: string) => string
  /** A `SELECT` of all columns. The caller appends the conditions. */
  readonly select: (where: string) => string
  /** `"column" = ?` for each field. */
  readonly assignments: (fields: ReadonlyArray<keyof R & string>) => string
  /** An `INSERT` of one record. The caller appends a conflict clause. */
  readonly insert: string
  /** An `INSERT` of one record that does nothing if the record exists. */
  readonly insertNew: string
}

export const recordTable = <R extends object>(name: string, columns: Columns<R>): RecordTable<R> => {
  const fields = Object.keys(columns) as Array<keyof R & string>
  const kinds = columns as Readonly<Record<string, FieldKind>>
  const quoted = (field: string) => `"${columnOf(field)}"`
  const list = fields.map(quoted).join(", ")
  const storedFields = fields.map((field) => ({ field, column: columnOf(field), kind: kinds[field]! }))
  const insert = `INSERT INTO ${name} (${list}) VALUES (${fields.map(() => "?").join(", ")})`
  /** Caches the SQL text, so that its statement is found without building the text again. */
  const selects = new Map<string, string>()
  return {
    name,
    fields,
    valuesOf: (record, fields) => fields.map((field) => toColumn(kinds[field]!, record[field])),
    fromRow: (row) => {
      const record: Record<string, unknown> = {}
      for (const { field, column, kind } of storedFields) record[field] = fromColumn(kind, (row as Row)[column] ?? null)
      return record as R
    },
    columns: (table) => fields.map((field) => `${table}.${quoted(field)}`).join(", "),
    select: (where) => {
      const existing = selects.get(where)
      if (existing !== undefined) return existing
      const sql = `SELECT ${list} FROM ${name} ${where}`
      selects.set(where, sql)
      return sql
    },
    assignments: (fields) => fields.map((field) => `${quoted(field)} = ?`).join(", "),
    insert,
    insertNew: `${insert} ON CONFLICT DO NOTHING`
  }
}

/** The connection with its statements, each prepared once. */
export interface Prepared {
  readonly database: Database
  readonly statement: (sql: string) => Statement<Array<Value>>
}

export const prepared = (database: Database): Prepared => {
  const statements = new Map<string, Statement<Array<Value>>>()
  return {
    database,
    statement: (sql) => {
      const existing = statements.get(sql)
      if (existing !== undefined) return existing
      const made = database.prepare<Array<Value>>(sql)
      statements.set(sql, made)
      return made
    }
  }
}

/** Returns all records that the `SELECT` finds. */
export const findAll = <R>(
  connection: Prepared,
  table: RecordTable<R>,
  where: string,
  ...values: ReadonlyArray<Value>
): ReadonlyArray<R> =>
  connection
    .statement(table.select(where))
    .all(...values)
    .map(table.fromRow)

export const findOne = <R>(
  connection: Prepared,
  table: RecordTable<R>,
  where: string,
  ...values: ReadonlyArray<Value>
): R | null => {
  const row = connection.statement(table.select(where)).get(...values)
  return row === undefined ? null : table.fromRow(row)
}
