/**
 * Gives the laws a new schema for each store, and says how another process opens it.
 */
import { Effect } from "effect"
import pg from "pg"
import { PostgresMailStore } from "../src/index.ts"
import { testServer } from "./testServer.ts"

/** The address of the database and the schema, in one text. */
const separator = " "

/** @public Imported by other processes. */
export const open = (argument: string) => {
  const [connectionString, schema] = argument.split(separator) as [string, string]
  return PostgresMailStore.layer({ connectionString, schema, connectionsMax: 5 })
}

let database: Promise<string> | undefined
let schemas = 0

/** A schema of its own, in the one database of this test process. */
export const place = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = await testServer()
    const url = server.urlOf(await (database ??= server.createDatabase()))
    return { url, schema: `law_${schemas++}` }
  }),
  ({ url, schema }) =>
    Effect.promise(async () => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
      await client.end()
    })
).pipe(
  Effect.map(({ url, schema }) => {
    const argument = url + separator + schema
    return { layer: open(argument), child: { module: new URL(import.meta.url), argument } }
  })
)
