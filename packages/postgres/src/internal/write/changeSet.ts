/**
 * The forms that the statements of the changes share. A statement applies all changes of one kind of many commits, and returns the keys of the
 * records that it wrote. A change whose guard does not hold writes no record.
 */
import type { Connection } from "../database.ts"
import { settleAll } from "../database.ts"
import type { RecordTable } from "../recordTable.ts"
import { jsonRows } from "../recordTable.ts"

/** Applies changes of one kind. Returns the indexes of those that were not applied. */
export type ApplySet<C> = (connection: Connection, changes: ReadonlyArray<C>) => Promise<ReadonlyArray<number>>

/** A key in one text. No part of a key contains the separator. */
export const joined = (...parts: ReadonlyArray<string | number>): string => parts.join("\0")

/** The indexes of the changes whose keys are not among those that were written. */
const missing = (keys: ReadonlyArray<string>, written: ReadonlyArray<object>): ReadonlyArray<number> => {
  if (written.length === keys.length) return []
  const found = new Set(written.map((row) => joined(...(Object.values(row) as ReadonlyArray<string | number>))))
  return keys.flatMap((key, index) => (found.has(key) ? [] : [index]))
}

/** One statement with all changes in one parameter. `recordOf` makes the row of a change, and `keyOf` the key that the statement returns. */
export const applyAll =
  <C>(sql: string, recordOf: (change: C) => object, keyOf: (change: C) => string): ApplySet<C> =>
  async (connection, changes) =>
    missing(changes.map(keyOf), await connection.prepared(sql, [JSON.stringify(changes.map(recordOf))]))

/** A change without a guard. */
export const applyAlways =
  <C>(sql: string, recordOf: (change: C) => object): ApplySet<C> =>
  async (connection, changes) => {
    await connection.prepared(sql, [JSON.stringify(changes.map(recordOf))])
    return []
  }

/** The rows of the parameter, as a table with the alias `r`. */
export const rowsOf = (definitions: string): string => jsonRows("$1", "r", definitions)

/**
 * Inserts records that must not exist yet, in the order of their keys. `key` has the columns of the key. `join` joins the record `r` to another that
 * must exist.
 */
export const insertSql = <R>(
  schema: string,
  table: RecordTable<R>,
  key: ReadonlyArray<keyof R & string>,
  join = ""
): string =>
  `INSERT INTO ${schema}.${table.name} AS t (${table.targets()})
SELECT ${table.sources("r")} FROM ${rowsOf(table.definitions())} ${join}
ORDER BY ${table.sources("r", key)} ON CONFLICT DO NOTHING RETURNING ${table.targets(key)}`

/** Replaces records at the revision that was read. `where` compares the row `t` with the record `r`. */
export const replaceSql = <R>(
  schema: string,
  table: RecordTable<R>,
  key: ReadonlyArray<keyof R & string>,
  where: string
): string =>
  `UPDATE ${schema}.${table.name} AS t SET ${table.assignments("r")}
FROM ${rowsOf(`${table.definitions()}, "replaces" bigint`)}
WHERE (${aliased("t", table, key)}) = (${table.sources("r", key)}) AND t.revision = r."replaces" AND ${where}
RETURNING ${aliased("t", table, key)}`

/** The columns of the fields, with the alias of their table. */
const aliased = <R>(alias: string, table: RecordTable<R>, fields: ReadonlyArray<keyof R & string>): string =>
  fields.map((field) => `${alias}.${table.targets([field])}`).join(", ")

/** A change with the revision that it replaces. */
interface Replacing {
  readonly replaces: number | null
}

/** Applies the changes that insert with one statement, and those that replace with another. */
export const putSet = <C extends Replacing>(insert: ApplySet<C>, replace: ApplySet<C>): ApplySet<C> => {
  const part = async (
    connection: Connection,
    changes: ReadonlyArray<C>,
    isChosen: (change: C) => boolean,
    apply: ApplySet<C>
  ) => {
    const indexes = changes.flatMap((change, index) => (isChosen(change) ? [index] : []))
    if (indexes.length === 0) return []
    const failed = await apply(
      connection,
      indexes.map((index) => changes[index]!)
    )
    return failed.map((at) => indexes[at]!)
  }
  return async (connection, changes) => {
    const failed = await settleAll([
      part(connection, changes, ({ replaces }) => replaces === null, insert),
      part(connection, changes, ({ replaces }) => replaces !== null, replace)
    ])
    return failed.flat()
  }
}
