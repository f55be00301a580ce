/**
 * One record and its table. A record goes to the server as JSON, and `json_to_recordset` makes rows of it. A row that is read has the names of the
 * fields, so that it is the record.
 */
import type { FieldKind } from "@mailkeep/core/adapter/evaluation"

/** What a column holds: the field of a record, or the small numbers of a search. */
type ColumnKind = FieldKind | "integers"

const columnTypes: Readonly<Record<ColumnKind, string>> = {
  text: "text",
  integer: "bigint",
  boolean: "boolean",
  json: "json",
  integers: "integer[]"
}

type Columns<R> = { readonly [F in keyof Required<R>]: ColumnKind }

/** The column of a field. */
export const columnOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The column of a field, quoted, because `from` and `to` are words of SQL. */
const quoted = (field: string) => `"${columnOf(field)}"`

/**
 * The rows of a parameter of JSON, as a table. By the limit, the planner knows how many they are. Without it, the planner expects 100 rows, and may
 * read a whole table for a few.
 */
export const jsonRows = (parameter: string, alias: string, definitions: string): string =>
  `(SELECT * FROM json_to_recordset(${parameter}::json) AS ${alias}(${definitions}) LIMIT json_array_length(${parameter}::json)) AS ${alias}`

export interface RecordTable<R> {
  /** The name of the table, without its schema. */
  readonly name: string
  /** All columns of the table with this alias, each with the name of its field. For a `SELECT` or a `RETURNING`. */
  readonly columns: (alias: string) => string
  /** The column definitions of `json_to_recordset`: `"projectId" text, …`. */
  readonly definitions: (fields?: ReadonlyArray<keyof R & string>) => string
  /** The columns of an `INSERT`. */
  readonly targets: (fields?: ReadonlyArray<keyof R & string>) => string
  /** The fields of a row of `json_to_recordset` with this alias, in the order of `targets`. */
  readonly sources: (alias: string, fields?: ReadonlyArray<keyof R & string>) => string
  /** `"column" = alias."field"` for each field. */
  readonly assignments: (alias: string, fields?: ReadonlyArray<keyof R & string>) => string
}

export const recordTable = <R extends object>(name: string, columns: Columns<R>): RecordTable<R> => {
  const all = Object.keys(columns) as Array<keyof R & string>
  const kinds = columns as Readonly<Record<string, ColumnKind>>
  return {
    name,
    columns: (alias) => all.map((field) => `${alias}.${quoted(field)} AS "${field}"`).join(", "),
    definitions: (fields = all) => fields.map((field) => `"${field}" ${columnTypes[kinds[field]!]}`).join(", "),
    targets: (fields = all) => fields.map(quoted).join(", "),
    sources: (alias, fields = all) => fields.map((field) => `${alias}."${field}"`).join(", "),
    assignments: (alias, fields = all) => fields.map((field) => `${quoted(field)} = ${alias}."${field}"`).join(", ")
  }
}
