/**
 * Gives the laws a store behind pgbouncer, in a pool of the product, whose large tables have four partitions each. Each transaction can get another
 * connection of the server, and the role of the store may only read and write.
 */
import { openWatched, startPostgres } from "@mailkeep/test-support/postgres"
import { startBouncer } from "@mailkeep/test-support/postgresBouncer"
import { createGuideRoles, guideRolesOf } from "@mailkeep/test-support/postgresGuide"
import { Effect } from "effect"
import { PostgresMailStore } from "../src/index.ts"
import { emptiedSchemas } from "./emptiedSchemas.ts"
import { openWithSharedPool } from "./schemaAddress.ts"

/** @public Imported by other processes. */
export const open = openWithSharedPool

const start = async () => {
  const watched = openWatched({ isInMemory: true })
  const server = await startPostgres(watched)
  const database = await server.createDatabase()
  const { app } = guideRolesOf(database)
  const bouncer = await startBouncer(watched, server, [app])
  return { server, database, storeAddress: bouncer.urlOf(database, app) }
}

let starting: ReturnType<typeof start> | undefined
const started = () => (starting ??= start())

export const place = emptiedSchemas({
  database: async () => {
    const { server, database } = await started()
    return server.urlOf(database)
  },
  prefix: "bouncer_",
  module: import.meta.url,
  openStore: open,
  migrate: async (_, schema) => {
    const { server, database } = await started()
    await createGuideRoles({
      server,
      database,
      schema,
      migrate: (connectionString) =>
        Effect.runPromise(PostgresMailStore.migrate({ connectionString, schema, partitions: 4 }))
    })
  },
  storeAddress: async () => (await started()).storeAddress
})
