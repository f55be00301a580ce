/**
 * Gives the laws a new schema for each store, and says how another process opens it.
 */
import { openWatched, startPostgres } from "@mailkeep/test-support/postgres"
import { startBouncer } from "@mailkeep/test-support/postgresBouncer"
import { createGuideRoles, guideRolesOf } from "@mailkeep/test-support/postgresGuide"
import { Effect } from "effect"
import pg from "pg"
import { PostgresMailStore } from "../src/index.ts"
import { testServer } from "./testServer.ts"

/** The address of the database and the schema, in one text. */
const separator = " "

/** The address of the database, and the schema. */
export const addressOf = (argument: string) => {
  const [connectionString, schema] = argument.split(separator) as [string, string]
  return { connectionString, schema }
}

/** One text with the address of the database and the schema. */
export const addressIn = (connectionString: string, schema: string): string => connectionString + separator + schema

/** @public Imported by other processes. */
export const open = (argument: string) => {
  const { connectionString, schema } = addressOf(argument)
  return PostgresMailStore.layer({ connectionString, schema, connectionsMax: 5 })
}

/** The address of the server, and the address that the store uses. */
interface Target {
  readonly direct: string
  readonly used: string
  /** Creates the tables, if the store does not create them itself. */
  readonly createTables?: (schema: string) => Promise<void>
}

let schemas = 0

/** The names of the schemas in a statement. */
export const schemaNames = /"?law_\d+"?/g

/** A schema of its own, in the one database of this test process. */
const placeAt = (target: () => Promise<Target>, module = import.meta.url, openStore: typeof open = open) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const found = await target()
      const schema = `law_${schemas++}`
      await found.createTables?.(schema)
      return { ...found, schema }
    }),
    ({ direct, schema }) =>
      Effect.promise(async () => {
        const client = new pg.Client({ connectionString: direct })
        await client.connect()
        await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
        await client.end()
      })
  ).pipe(
    Effect.map(({ used, schema }) => {
      const argument = addressIn(used, schema)
      return { layer: openStore(argument), child: { module: new URL(module), argument } }
    })
  )

/** Runs `make` once. */
const once = <A>(make: () => Promise<A>) => {
  let made: Promise<A> | undefined
  return () => (made ??= make())
}

const ownDatabase = once(async () => {
  const server = await testServer()
  const url = server.urlOf(await server.createDatabase())
  return { direct: url, used: url }
})

export const place = placeAt(ownDatabase)

/** A place of the store that `openStore` of a module opens. */
export const placeWith = (module: string, openStore: typeof open) => placeAt(ownDatabase, module, openStore)

/** Each transaction can get another connection of the server, and the role of the store may only read and write. */
export const placeThroughBouncer = placeAt(
  once(async () => {
    const watched = openWatched({ isInMemory: true })
    const server = await startPostgres(watched)
    const database = await server.createDatabase()
    const { app } = guideRolesOf(database)
    const bouncer = await startBouncer(watched, server, [app])
    const createTables = (schema: string) =>
      createGuideRoles({
        server,
        database,
        schema,
        migrate: (connectionString) => Effect.runPromise(PostgresMailStore.migrate({ connectionString, schema }))
      })
    return { direct: server.urlOf(database), used: bouncer.urlOf(database, app), createTables }
  })
)
