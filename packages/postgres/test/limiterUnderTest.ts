/**
 * Gives the laws of the rate limiter a schema whose tables are emptied for each law.
 */
import type { LimiterSubject } from "@mailkeep/conformance"
import { emptySchemas } from "@mailkeep/test-support/postgresSchemas"
import { Effect } from "effect"
import { PostgresMailStore, sharedServices } from "../src/index.ts"
import { newDatabase } from "./testServer.ts"

const schemas = emptySchemas({
  database: newDatabase(),
  prefix: `limits_${process.pid}_`,
  migrate: (connectionString, schema) => Effect.runPromise(PostgresMailStore.migrate({ connectionString, schema }))
})

export const sharedLimiter: LimiterSubject = {
  limiter: Effect.map(
    Effect.acquireRelease(Effect.promise(schemas.take), (schema) => Effect.sync(() => schemas.release(schema))),
    (schema) => sharedServices.layer({ ...schema, connectionsMax: 3 })
  ),
  shared: true,
  excessPart: 1 / 20
}
