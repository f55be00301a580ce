/**
 * Gives the laws a store that writes each call in a transaction of the product: `BEGIN`, the call, `COMMIT`.
 */
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { MailStore } from "@mailkeep/core/adapter"
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
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const client = yield* Effect.promise(() => product.connect())
            yield* Effect.promise(() => client.query("BEGIN"))
            const joined = yield* Effect.catchTag(store.joinTransaction!(client), "TransactionRefused", Effect.die)
            const exit = yield* Effect.exit(restore(call(joined.store)))
            yield* joined.end(exit._tag === "Success")
            yield* Effect.promise(() => client.query("COMMIT"))
            client.release()
            return yield* exit
          })
        )

      /** After the close of the store, its calls fail by themselves. */
      const isOpen = Effect.as(store.read([]), undefined)
      const open = <A, E>(call: (joined: MailStoreShape) => Effect.Effect<A, E>) => Effect.andThen(isOpen, within(call))
      // Without `joinTransaction`: the laws of transactions of the product hold the store itself.
      const { capabilities, commitsOfOtherProcesses } = store
      const joining: MailStoreShape = {
        capabilities,
        commitsOfOtherProcesses,
        commit: (changes) => open((joined) => joined.commit(changes)),
        claim: (claim) => open((joined) => joined.claim(claim)),
        claimEventDeliveries: (claim) => open((joined) => joined.claimEventDeliveries(claim)),
        read: (queries) => open((joined) => joined.read(queries)),
        sweep: (sweep) => open((joined) => joined.sweep(sweep)),
        sweepMessages: (sweep) => open((joined) => joined.sweepMessages(sweep))
      }
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
