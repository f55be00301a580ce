/**
 * Gives the laws an empty store without making its tables for each law: the laws of one process use the same schema, one after the other.
 */
import { emptySchemas } from "@mailkeep/test-support/postgresSchemas"
import { Effect } from "effect"
import { PostgresMailStore } from "../src/index.ts"
import { addressIn, open } from "./storeUnderTest.ts"

interface Target {
  /** The address of the database. */
  readonly database: () => Promise<string>
  /** The schemas have names that begin so. */
  readonly prefix: string
  /** The module that opens the store in another process. */
  readonly module: string
  readonly partitions?: number
}

export const emptiedSchemas = ({ database, prefix, module, partitions }: Target) => {
  const options = partitions === undefined ? {} : { partitions }
  const schemas = emptySchemas({
    database,
    prefix,
    migrate: (connectionString, schema) =>
      Effect.runPromise(PostgresMailStore.migrate({ connectionString, schema, ...options }))
  })
  return Effect.acquireRelease(Effect.promise(schemas.take), (schema) =>
    Effect.sync(() => schemas.release(schema))
  ).pipe(
    Effect.map(({ connectionString, schema }) => {
      const argument = addressIn(connectionString, schema)
      return { layer: open(argument), child: { module: new URL(module), argument } }
    })
  )
}
