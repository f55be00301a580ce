/**
 * Gives the laws a store whose large tables have four partitions each.
 */
import { emptiedSchemas } from "./emptiedSchemas.ts"
import { openAddress } from "./schemaAddress.ts"
import { newDatabase } from "./testServer.ts"

/** @public Imported by other processes. */
export const open = openAddress

export const placeWithPartitions = emptiedSchemas({
  database: newDatabase(),
  prefix: "partitions_",
  module: import.meta.url,
  partitions: 4
})
