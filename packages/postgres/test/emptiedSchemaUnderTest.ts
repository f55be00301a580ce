/**
 * Gives the laws an empty store without making its tables again: all laws of one process use the same schema, one after the other. The mutants run
 * with this store. `MAILKEEP_MUTANT_DATABASE` is the address of a database that the run has made.
 */
import { Effect } from "effect"
import pg from "pg"
import { PostgresMailStore } from "../src/index.ts"
import { addressIn, open } from "./storeUnderTest.ts"

export { open } from "./storeUnderTest.ts"

const connectionString = process.env["MAILKEEP_MUTANT_DATABASE"] ?? ""

/** The schemas of this process. A mutant of the tables needs tables of its own. */
const prefix = `mutant_${process.pid}_`

const free: Array<string> = []
let isFirst = true

/** Deletes the schemas of the mutants before this one. Tables that another connection still uses stay until the end of the run. */
const dropEarlier = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ readonly name: string }>(
    "SELECT nspname AS name FROM pg_namespace WHERE starts_with(nspname, $1)",
    [prefix]
  )
  for (const { name } of rows) await client.query(`DROP SCHEMA ${name} CASCADE`).catch(() => undefined)
}

const empty = async (client: pg.Client, schema: string): Promise<void> => {
  const { rows } = await client.query<{ readonly name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 AND tablename <> 'schema_version'",
    [schema]
  )
  await client.query(rows.map(({ name }) => `DELETE FROM ${schema}.${name}`).join(";"))
  await client.query(`ALTER SEQUENCE ${schema}.commits RESTART`)
}

/** A schema that an earlier law used, or a new one. */
const takeSchema = async (): Promise<string> => {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query("SET lock_timeout = '2s'")
    if (isFirst) await dropEarlier(client)
    isFirst = false
    for (let schema = free.pop(); schema !== undefined; schema = free.pop()) {
      const isEmpty = await empty(client, schema).then(
        () => true,
        () => false
      )
      if (isEmpty) return schema
    }
  } finally {
    await client.end()
  }
  const schema = `${prefix}${process.hrtime.bigint()}`
  await Effect.runPromise(PostgresMailStore.migrate({ connectionString, schema }))
  return schema
}

export const place = Effect.acquireRelease(Effect.promise(takeSchema), (schema) =>
  Effect.sync(() => free.push(schema))
).pipe(
  Effect.map((schema) => {
    const argument = addressIn(connectionString, schema)
    return { layer: open(argument), child: { module: new URL(import.meta.url), argument } }
  })
)
