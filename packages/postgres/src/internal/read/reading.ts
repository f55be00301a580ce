/**
 * A query as a part of a statement. All queries of a call become one statement, with a row of JSON for each query. A read is thus one round trip, and
 * sees one state of the database without a transaction.
 */
import type { RecordTable } from "../recordTable.ts"

/** A value of a parameter. */
export type Value = string | number | ReadonlyArray<string> | ReadonlyArray<number>

/** The statement that is being built. */
export interface Building {
  /** A table with the name of its schema. */
  readonly table: (name: string) => string
  /** Adds a parameter and returns its name, such as `$1`. */
  readonly parameter: (value: Value) => string
}

/** The part of one query. */
export interface Reading<A> {
  /** An expression of SQL. Its value is JSON, or NULL. */
  readonly sql: string
  /** Makes the answer from the parsed JSON. */
  readonly read: (value: unknown) => A
}

/** A text with U+0000 cannot be a parameter. No record contains one, and none contains this noncharacter in its place. */
const toParameter = (value: Value): Value => {
  if (typeof value === "string") return value.replaceAll("\0", "\uffff")
  return typeof value === "number" ? value : (value as ReadonlyArray<string>).map((one) => toParameter(one) as string)
}

/** Starts a statement. `values` are its parameters so far. */
export const makeBuilding = (schema: string): Building & { readonly values: ReadonlyArray<Value> } => {
  const values: Array<Value> = []
  return {
    values,
    table: (name) => `${schema}.${name}`,
    parameter: (value) => {
      values.push(toParameter(value))
      return `$${values.length}`
    }
  }
}

/** The value of the first row of a `SELECT` as JSON, or NULL. */
export const rowSql = (select: string): string => `(SELECT row_to_json(found) FROM (${select}) AS found)`

/** All rows of a `SELECT` as JSON, in their order; NULL when there is none. */
export const rowsSql = (select: string): string => `(SELECT json_agg(found) FROM (${select}) AS found)`

/** Reads the value of `rowsSql`. */
export const rowsOf = <R>(value: unknown): ReadonlyArray<R> => (value ?? []) as ReadonlyArray<R>

/** A `SELECT` of the records of a table. The alias of the table is `one`. */
export const select = <R>(building: Building, table: RecordTable<R>, tail: string): string =>
  `SELECT ${table.columns("one")} FROM ${building.table(table.name)} AS one ${tail}`

/**
 * Joins the only row of a `SELECT` by a key to each row of the tables before. The limit makes the server search the index for each row. Otherwise it can read
 * all rows of a project instead, of which its statistics do not know yet.
 */
export const eachOne = (select: string, alias: string): string => `CROSS JOIN LATERAL (${select} LIMIT 1) AS ${alias}`

/** The same for a row that can be absent: its columns are then NULL. */
export const eachOneOrNull = (select: string, alias: string): string =>
  `LEFT JOIN LATERAL (${select} LIMIT 1) AS ${alias} ON true`

/** The only record that the condition matches, or `null`. */
export const recordReading = <R>(building: Building, table: RecordTable<R>, where: string): Reading<R | null> => ({
  sql: rowSql(select(building, table, `WHERE ${where}`)),
  read: (value) => value as R | null
})

/** All records that the condition matches, in its order. */
export const recordsReading = <R>(
  building: Building,
  table: RecordTable<R>,
  tail: string
): Reading<ReadonlyArray<R>> => ({ sql: rowsSql(select(building, table, tail)), read: rowsOf<R> })
