/**
 * The version of the tables, and the oldest program that can use them. Each transaction that writes compares them with the version
 * of the program. Source: decision 0081.
 */
import type { Connection } from "./database.ts"

/** What the tables say about themselves. */
export interface TableVersion {
  /** The number of steps that made the tables; 0 before the first step. */
  readonly version: number
  /** The programs of this version and of later ones can use the tables. */
  readonly compatibleFrom: number
}

const noTables: TableVersion = { version: 0, compatibleFrom: 0 }

/** The columns of a `TableVersion`. */
export const versionColumns = `version, compatible_from AS "compatibleFrom"`

/**
 * The row of the version. A dump of the records alone, and a subscription, add the row of their own version to that of the tables. No records fit into
 * tables of an older version, so the newest row is that of the tables. Without a row, there is none.
 */
export const versionSource = (schema: string): string =>
  `(SELECT max(version) AS version, max(compatible_from) AS compatible_from FROM ${schema}.schema_version HAVING count(*) > 0) AS newest`

const versionSql = (schema: string): string => `SELECT ${versionColumns} FROM ${versionSource(schema)}`

/** Reads the catalog as of now, for a quoted name. `to_regclass` can answer from a cache of before the wait for a lock. */
const existingSql = `SELECT EXISTS (SELECT FROM pg_catalog.pg_class WHERE relnamespace = found.oid AND relname = 'schema_version') AS "hasVersion"
FROM pg_catalog.pg_namespace AS found WHERE nspname = (parse_ident($1))[1]`

/** Whether the schema exists. */
export const hasSchema = async (connection: Connection, schema: string): Promise<boolean> =>
  (await connection.query(existingSql, [schema])).length > 0

/** The tables exist, and the row of their version does not. */
export class NoVersion extends Error {
  constructor() {
    super(
      "The table schema_version has no row. The tables were copied without their records: copy the records too, or delete the schema. Or row security hides the row from this role"
    )
  }
}

/** Reads the version of tables that may not exist. */
export const versionOf = async (connection: Connection, schema: string): Promise<TableVersion> => {
  const [found] = await connection.query<{ readonly hasVersion: boolean }>(existingSql, [schema])
  if (found?.hasVersion !== true) return noTables
  const [row] = await connection.query<TableVersion>(versionSql(schema))
  if (row === undefined) throw new NoVersion()
  return row
}

/** A newer program has changed the tables, and this program cannot use them. */
export class NewerTables extends Error {
  constructor({ version, compatibleFrom }: TableVersion, programVersion: number) {
    super(
      `The tables have version ${version}. Programs before version ${compatibleFrom} cannot use them, and this program has version ${programVersion}. Start the newer program`
    )
  }
}

/** Compares the version of the tables with the version of this program. */
export interface VersionCheck {
  /** Throws `NewerTables` if this program cannot use the tables. A breaking step then waits for the end of the transaction. */
  readonly run: (connection: Connection) => Promise<void>
  /** Throws `NewerTables` for the row of a statement that reads the columns of a version. */
  readonly check: (row: TableVersion | undefined) => void
  /** An SQL condition: this program can use the tables. */
  readonly isUsable: string
}

export const makeVersionCheck = (schema: string, programVersion: number): VersionCheck => {
  const sql = versionSql(schema)
  const check = (row: TableVersion | undefined) => {
    if (row !== undefined && row.compatibleFrom > programVersion) throw new NewerTables(row, programVersion)
  }
  return {
    run: async (connection) => check((await connection.prepared<TableVersion>(sql))[0]),
    check,
    isUsable: `(SELECT compatible_from FROM ${versionSource(schema)}) <= ${programVersion}`
  }
}
