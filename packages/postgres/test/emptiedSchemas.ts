/**
 * Gives the laws an empty store without making its tables for each law: the laws of one process use the same schema, one after the other.
 */
import { emptySchemas } from "@mailkeep/test-support/postgresSchemas"
import { Effect } from "effect"
import { PostgresMailStore } from "../src/index.ts"
import { addressIn, openAddress, sharedPool } from "./schemaAddress.ts"

interface Target {
  /** The address of the database. */
  readonly database: () => Promise<string>
  /** The schemas have names that begin so. */
  readonly prefix: string
  /** The module that opens the store in another process: it exports `openStore` as `open`. */
  readonly module: string
  readonly openStore?: typeof openAddress
  /** Makes the tables of a new schema. */
  readonly migrate?: (connectionString: string, schema: string) => Promise<unknown>
  /** The address that the store uses instead of that of the database. */
  readonly storeAddress?: () => Promise<string>
}

/** A transaction of a product on a client of its own. */
const beginTransaction = (connectionString: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = await sharedPool(connectionString).connect()
      await client.query("BEGIN")
      return {
        connection: client,
        commit: Effect.promise(() => client.query("COMMIT")),
        rollback: Effect.promise(() => client.query("ROLLBACK"))
      }
    }),
    ({ connection, rollback }) =>
      Effect.andThen(
        rollback,
        Effect.sync(() => connection.release())
      )
  )

export const emptiedSchemas = ({ database, prefix, module, openStore = openAddress, ...target }: Target) => {
  const schemas = emptySchemas({
    database,
    prefix,
    migrate:
      target.migrate ??
      ((connectionString, schema) => Effect.runPromise(PostgresMailStore.migrate({ connectionString, schema })))
  })
  return Effect.acquireRelease(Effect.promise(schemas.take), (schema) =>
    Effect.sync(() => schemas.release(schema))
  ).pipe(
    Effect.flatMap(({ connectionString, schema }) =>
      Effect.promise(async () => {
        const address = (await target.storeAddress?.()) ?? connectionString
        const argument = addressIn(address, schema)
        return {
          layer: openStore(argument),
          child: { module: new URL(module), argument },
          beginTransaction: beginTransaction(address)
        }
      })
    )
  )
}
