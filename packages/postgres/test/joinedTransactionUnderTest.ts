/**
 * Gives the laws a store that writes each call in a transaction of the product: `BEGIN`, the call, `COMMIT`.
 */
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { MailStore } from "@mailkeep/core/adapter"
import { callsInTransactions } from "@mailkeep/test-support/callsInTransactions"
import { Context, Effect, Layer } from "effect"
import { PostgresMailStore } from "../src/index.ts"
import { emptiedSchemas } from "./emptiedSchemas.ts"
import { addressOf, sharedPool } from "./schemaAddress.ts"
import { newDatabase } from "./testServer.ts"

/** @public Imported by other processes. */
export const open = (argument: string) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { connectionString, schema } = addressOf(argument)
      const product = sharedPool(connectionString)
      const store = yield* PostgresMailStore.make({ pool: product, schema })

      /** Runs the call on a client of the product. Commits what the call kept, also after a call that failed. */
      const within = <A, E>(call: (joined: MailStoreShape) => Effect.Effect<A, E>) =>
        Effect.acquireUseRelease(
          Effect.promise(() => product.connect()),
          (client) =>
            Effect.uninterruptibleMask((restore) =>
              Effect.gen(function* () {
                yield* Effect.promise(() => client.query("BEGIN"))
                const joined = yield* Effect.catchTag(store.joinTransaction!(client), "TransactionRefused", Effect.die)
                const exit = yield* Effect.exit(restore(call(joined.store)))
                yield* joined.end(exit._tag === "Success")
                yield* Effect.promise(() => client.query("COMMIT"))
                return yield* exit
              })
            ),
          // Harmless after the commit. A transaction that could not be joined is still open.
          (client) =>
            Effect.promise(async () => {
              await client.query("ROLLBACK")
              client.release()
            })
        )

      const joining = callsInTransactions(store, within)
      return Context.make(MailStore, joining).pipe(
        Context.add(PostgresMailStore.PostgresMailStore, { ...store, ...joining })
      )
    })
  )

export const place = emptiedSchemas({
  database: newDatabase(),
  prefix: "joined_",
  module: import.meta.url,
  openStore: open
})
