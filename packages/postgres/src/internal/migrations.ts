/**
 * The numbered steps from a database without Mailkeep tables to the newest schema. A released step never changes; a test compares its checksum.
 * The steps repeat lists such as statuses on purpose, and a test compares these with the lists of the domain.
 */
import type { Connection, Database } from "./database.ts"
import { inWriteTransaction } from "./database.ts"
import { sql as access } from "./schema/access.ts"
import { sql as contacts } from "./schema/contacts.ts"
import { sql as events } from "./schema/events.ts"
import { sql as mail } from "./schema/mail.ts"
import { sql as resources } from "./schema/resources.ts"
import { sql as store } from "./schema/store.ts"

/** The steps. Each is the SQL for a quoted schema name. */
export const migrations: ReadonlyArray<(schema: string) => string> = [
  (schema: string) => [store, access, mail, events, resources, contacts].map((sql) => sql(schema)).join("")
]

export const schemaVersion = migrations.length

/** Reads the catalog as of now. `to_regclass` can answer from a cache of before the wait for a lock. */
const tableExistsSql =
  "SELECT EXISTS (SELECT FROM pg_catalog.pg_tables WHERE schemaname = (parse_ident($1))[1] AND tablename = 'schema_version') AS exists"

/** The version of the tables; 0 before the first step. */
export const versionOf = async (connection: Connection, schema: string): Promise<number> => {
  const [table] = await connection.query<{ readonly exists: boolean }>(tableExistsSql, [schema])
  if (table?.exists !== true) return 0
  const [row] = await connection.query<{ readonly version: number }>(`SELECT version FROM ${schema}.schema_version`)
  return row?.version ?? 0
}

/**
 * Migrates to `schemaVersion`, one step in each transaction. Several processes may migrate at once: each step waits for a lock, and checks the
 * version again.
 */
export const migrateSchema = async (database: Database, schema: string): Promise<void> => {
  let version = await database.use((connection) => versionOf(connection, schema))
  while (version < schemaVersion)
    version = await inWriteTransaction(database, async (connection) => {
      await connection.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`mailkeep migration ${schema}`])
      const existing = await versionOf(connection, schema)
      if (existing >= schemaVersion) return { value: existing, isKept: true }
      if (existing === 0) await connection.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
      await connection.query(migrations[existing]!(schema))
      await connection.query(`UPDATE ${schema}.schema_version SET version = ${existing + 1}`)
      return { value: existing + 1, isKept: true }
    })
}
