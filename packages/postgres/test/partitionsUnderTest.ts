/**
 * Gives the laws a store whose large tables have four partitions each.
 */
import { Effect } from "effect"
import { PostgresMailStore } from "../src/index.ts"
import { emptiedSchemas } from "./emptiedSchemas.ts"
import { openWithSharedPool } from "./schemaAddress.ts"
import { newDatabase } from "./testServer.ts"

/** @public Imported by other processes. */
export const open = openWithSharedPool

export const placeWithPartitions = emptiedSchemas({
  database: newDatabase(),
  prefix: "partitions_",
  module: import.meta.url,
  openStore: open,
  migrate: (connectionString, schema) =>
    Effect.runPromise(PostgresMailStore.migrate({ connectionString, schema, partitions: 4 }))
})
