/**
 * Empty schemas of a PostgreSQL database without making their tables each time: a schema that is no longer used is emptied and used again.
 */
import type { PoolClient } from "pg"
import { Pool } from "pg"

/** Where the schemas are, and how their tables are made. */
export interface SchemaSource {
  /** The address of the database. */
  readonly database: () => Promise<string>
  /** The schemas have names that begin so. Existing ones are deleted first. */
  readonly prefix: string
  /** Makes the tables of a new schema. */
  readonly migrate: (connectionString: string, schema: string) => Promise<unknown>
}

/** An empty schema. */
export interface EmptySchema {
  /** The address of the database. */
  readonly connectionString: string
  /** The name of the schema. */
  readonly schema: string
}

const rowsOf = async (client: PoolClient, sql: string, value: string): Promise<ReadonlyArray<string>> => {
  const { rows } = await client.query<{ readonly name: string }>(sql, [value])
  return rows.map(({ name }) => name)
}

/** Returns the first number that no schema has. A schema stays if another connection still uses its tables. */
const dropSchemas = async (client: PoolClient, prefix: string): Promise<number> => {
  const names = await rowsOf(client, "SELECT nspname AS name FROM pg_namespace WHERE starts_with(nspname, $1)", prefix)
  let free = 0
  for (const name of names)
    await client.query(`DROP SCHEMA ${name} CASCADE`).catch(() => {
      free = Math.max(free, Number(name.slice(prefix.length)) + 1)
    })
  return free
}

/** Deletes all rows. Returns `false` if a connection still keeps locks. */
const empty = async (client: PoolClient, schema: string): Promise<boolean> => {
  const tables = await rowsOf(
    client,
    "SELECT relname AS name FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'schema_version'",
    schema
  )
  const deletions = tables.map((name) => `DELETE FROM ${schema}.${name}`)
  return client.query([...deletions, `ALTER SEQUENCE ${schema}.commits RESTART`].join(";")).then(
    () => true,
    () => false
  )
}

/** Gives empty schemas. `release` says that nobody uses a schema any more. */
export const emptySchemas = ({ database, prefix, migrate }: SchemaSource) => {
  const free: Array<string> = []
  let made: number | undefined
  let pool: Pool | undefined

  const take = async (): Promise<EmptySchema> => {
    const connectionString = await database()
    pool ??= new Pool({ connectionString, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
    const client = await pool.connect()
    try {
      await client.query("SET lock_timeout = '2s'")
      made ??= await dropSchemas(client, prefix)
      for (let schema = free.pop(); schema !== undefined; schema = free.pop())
        if (await empty(client, schema)) return { connectionString, schema }
    } finally {
      client.release()
    }
    const schema = `${prefix}${made++}`
    await migrate(connectionString, schema)
    return { connectionString, schema }
  }

  return { take, release: ({ schema }: EmptySchema) => void free.push(schema) }
}
