/**
 * The forms that the statements of the changes share. A statement applies all changes of one kind of many commits, and returns the keys of the
 * records that it wrote. A change whose guard does not hold writes no record.
 */
import type { Connection } from "../database.ts"
import { settleAll } from "../database.ts"
import type { RecordTable } from "../recordTable.ts"
import { jsonRows } from "../recordTable.ts"
import { failUnless } from "../sqlStates.ts"
import { isInWriteTransaction } from "../transactions.ts"

/** How the changes of one kind are applied. */
export interface ApplySet<C> {
  /** Applies the changes whose guards hold. Returns the indexes of the others. */
  readonly apply: (connection: Connection, changes: ReadonlyArray<C>) => Promise<ReadonlyArray<number>>
  /**
   * Applies all changes, or fails, and the transaction with it: `isFailedCondition`. Absent if the client must read something first.
   */
  readonly applyOrFail?: (changes: ReadonlyArray<C>) => SendStatements
}

/**
 * Sends statements whose values are made already, so that it does not throw between two of them. Sends them before it returns, so that the end of the
 * transaction can follow them at once.
 */
export type SendStatements = (connection: Connection) => Promise<unknown>

/** A key in one text. No part of a key contains the separator. */
export const joined = (...parts: ReadonlyArray<string | number>): string => parts.join("\0")

/** The indexes of the changes whose keys are not among those that were written. */
const missing = (keys: ReadonlyArray<string>, written: ReadonlyArray<object>): ReadonlyArray<number> => {
  if (written.length === keys.length) return []
  const found = new Set(written.map((row) => joined(...(Object.values(row) as ReadonlyArray<string | number>))))
  return keys.flatMap((key, index) => (found.has(key) ? [] : [index]))
}

/** Sends one statement. */
export const sendOne =
  (sql: string, values: ReadonlyArray<unknown>): SendStatements =>
  (connection) =>
    connection.prepared(sql, values)

/** Sends statements of several senders. */
export const sendAll =
  (sends: ReadonlyArray<SendStatements>): SendStatements =>
  (connection) =>
    settleAll(sends.map((send) => send(connection)))

/** The `WITH` query of a statement that returns the keys of the records that it writes. */
export const writtenBy = (sql: string): string => `written AS (${sql})`

/**
 * One statement with all changes in one parameter. `queries` are its `WITH` queries. The query `written` has the key of each record that was written.
 * `recordOf` makes the row of a change, and `keyOf` makes its key.
 */
export const applyAll = <C>(
  queries: string,
  recordOf: (change: C) => object,
  keyOf: (change: C) => string
): Required<ApplySet<C>> => {
  const sql = `WITH ${queries} SELECT * FROM written`
  const orFailSql = `WITH ${queries} SELECT ${failUnless("count(*) = json_array_length($1::json)")} FROM written`
  const rowsOfChanges = (changes: ReadonlyArray<C>) => [JSON.stringify(changes.map(recordOf))]
  return {
    apply: async (connection, changes) =>
      missing(changes.map(keyOf), await connection.prepared(sql, rowsOfChanges(changes))),
    applyOrFail: (changes) => sendOne(orFailSql, rowsOfChanges(changes))
  }
}

/** A change without a guard. */
export const applyAlways = <C>(sql: string, recordOf: (change: C) => object): ApplySet<C> => {
  const applyOrFail = (changes: ReadonlyArray<C>) => sendOne(sql, [JSON.stringify(changes.map(recordOf))])
  return { apply: (connection, changes) => applyOrFail(changes)(connection).then(() => []), applyOrFail }
}

/** The rows of the parameter, as a table with the alias `r`. Outside of a transaction that writes there are none, so nothing is written. */
export const parameterRows = (definitions: string): string =>
  jsonRows(`(CASE WHEN ${isInWriteTransaction} THEN $1::json END)`, "r", definitions)

/**
 * Inserts records that must not exist yet. `key` has the columns of the key. `join` joins the record `r` to another that must exist.
 */
export const insertSql = <R>(
  schema: string,
  table: RecordTable<R>,
  key: ReadonlyArray<keyof R & string>,
  join = ""
): string =>
  `INSERT INTO ${schema}.${table.name} AS t (${table.targets()})
SELECT ${table.sources("r")} FROM ${parameterRows(table.definitions())} ${join}
ON CONFLICT DO NOTHING RETURNING ${table.targets(key)}`

/** Replaces records at the revision that was read. `where` compares the row `t` with the record `r`. */
const replaceSql = <R>(
  schema: string,
  table: RecordTable<R>,
  key: ReadonlyArray<keyof R & string>,
  where: string
): string =>
  `UPDATE ${schema}.${table.name} AS t SET ${table.assignments("r")}
FROM ${parameterRows(`${table.definitions()}, "replaces" bigint`)}
WHERE (${aliased("t", table, key)}) = (${table.sources("r", key)}) AND t.revision = r."replaces" AND ${where}
RETURNING ${aliased("t", table, key)}`

/** The columns of the fields, with the alias of their table. */
export const aliased = <R>(alias: string, table: RecordTable<R>, fields: ReadonlyArray<keyof R & string>): string =>
  fields.map((field) => `${alias}.${table.targets([field])}`).join(", ")

/** A change with the revision that it replaces. */
interface Replacing {
  readonly replaces: number | null
}

/** Applies the changes that insert with one statement, and those that replace with another. */
export const putSet = <C extends Replacing>(
  insert: Required<ApplySet<C>>,
  replace: Required<ApplySet<C>>
): ApplySet<C> => {
  const partsOf = (changes: ReadonlyArray<C>) => {
    const indexes = Map.groupBy(changes.keys(), (index) => changes[index]!.replaces === null)
    return ([true, false] as const).flatMap((inserts) => {
      const own = indexes.get(inserts)
      return own === undefined
        ? []
        : [{ set: inserts ? insert : replace, indexes: own, changes: own.map((index) => changes[index]!) }]
    })
  }
  return {
    apply: async (connection, changes) => {
      const failed = await settleAll(
        partsOf(changes).map(async (part) => {
          const own = await part.set.apply(connection, part.changes)
          return own.map((at) => part.indexes[at]!)
        })
      )
      return failed.flat()
    },
    applyOrFail: (changes) => sendAll(partsOf(changes).map((part) => part.set.applyOrFail(part.changes)))
  }
}

/** How the records of changes are put. */
export interface RecordPut<R, C> {
  readonly table: RecordTable<R>
  /** The fields of the key. */
  readonly key: ReadonlyArray<keyof R & string>
  readonly recordOf: (change: C) => R
}

const keyOfRecord =
  <R, C>({ key, recordOf }: RecordPut<R, C>) =>
  (change: C): string => {
    const record = recordOf(change)
    return joined(...key.map((field) => record[field] as string))
  }

/** Replaces records. `where` compares the row `t` with the record `r`. */
export const replaceRecords = <R extends object, C extends Replacing>(
  schema: string,
  put: RecordPut<R, C>,
  where = "true"
): Required<ApplySet<C>> =>
  applyAll(
    writtenBy(replaceSql(schema, put.table, put.key, where)),
    (change) => ({ ...put.recordOf(change), replaces: change.replaces }),
    keyOfRecord(put)
  )

/** Inserts or replaces records. `where` compares the row `t` with the record `r` that replaces it. */
export const putRecords = <R extends object, C extends Replacing>(
  schema: string,
  put: RecordPut<R, C>,
  where = "true"
): ApplySet<C> =>
  putSet(
    applyAll(writtenBy(insertSql(schema, put.table, put.key)), put.recordOf, keyOfRecord(put)),
    replaceRecords(schema, put, where)
  )
