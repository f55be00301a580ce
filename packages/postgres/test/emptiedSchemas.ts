/**
 * Gives the laws an empty store without making its tables for each law: the laws of one process use the same schema, one after the other.
 */
import { Effect } from "effect"
import pg from "pg"
import { PostgresMailStore } from "../src/index.ts"
import { addressIn, open } from "./storeUnderTest.ts"

interface Target {
  /** The address of the database. */
  readonly database: () => Promise<string>
  /** The schemas have names that begin so. Existing ones are deleted first. */
  readonly prefix: string
  /** The module that opens the store in another process. */
  readonly module: string
  readonly partitions?: number
}

const rowsOf = async (client: pg.Client, sql: string, value: string): Promise<ReadonlyArray<string>> => {
  const { rows } = await client.query<{ readonly name: string }>(sql, [value])
  return rows.map(({ name }) => name)
}

/** Tables that another connection still uses stay. */
const dropSchemas = async (client: pg.Client, prefix: string): Promise<void> => {
  const names = await rowsOf(client, "SELECT nspname AS name FROM pg_namespace WHERE starts_with(nspname, $1)", prefix)
  for (const name of names) await client.query(`DROP SCHEMA ${name} CASCADE`).catch(() => undefined)
}

/** Deletes all rows. Returns `false` if a connection still keeps locks. */
const empty = async (client: pg.Client, schema: string): Promise<boolean> => {
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

export const emptiedSchemas = ({ database, prefix, module, partitions }: Target) => {
  const free: Array<string> = []
  let made: number | undefined

  const take = async () => {
    const connectionString = await database()
    const client = new pg.Client({ connectionString })
    await client.connect()
    try {
      await client.query("SET lock_timeout = '2s'")
      if (made === undefined) await dropSchemas(client, prefix)
      made ??= 0
      for (let schema = free.pop(); schema !== undefined; schema = free.pop())
        if (await empty(client, schema)) return { connectionString, schema }
    } finally {
      await client.end()
    }
    const schema = `${prefix}${made++}`
    const options = { connectionString, schema, ...(partitions === undefined ? {} : { partitions }) }
    await Effect.runPromise(PostgresMailStore.migrate(options))
    return { connectionString, schema }
  }

  return Effect.acquireRelease(Effect.promise(take), ({ schema }) => Effect.sync(() => free.push(schema))).pipe(
    Effect.map(({ connectionString, schema }) => {
      const argument = addressIn(connectionString, schema)
      return { layer: open(argument), child: { module: new URL(module), argument } }
    })
  )
}
