/**
 * Gives the laws a store that writes each call in a transaction of the product: `BEGIN IMMEDIATE`, the call, `COMMIT`.
 */
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { MailStore } from "@mailkeep/core/adapter"
import { callsInTransactions } from "@mailkeep/test-support/callsInTransactions"
import Database from "better-sqlite3"
import { Context, Effect, Layer } from "effect"
import { SqliteMailStore } from "../src/index.ts"
import { placeWith } from "./storeUnderTest.ts"

/** @public Imported by other processes. */
export const open = (filename: string) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const store = yield* SqliteMailStore.make({ filename, commitThread: "caller" })
      const product = yield* Effect.acquireRelease(
        Effect.sync(() => new Database(filename)),
        (database) => Effect.sync(() => database.close())
      )
      product.pragma("synchronous = FULL")

      const joinedCall = <A, E>(call: (joined: MailStoreShape) => Effect.Effect<A, E>) =>
        Effect.gen(function* () {
          const joined = yield* Effect.catchTag(store.joinTransaction(product), "TransactionRefused", Effect.die)
          const exit = yield* Effect.exit(call(joined.store))
          yield* joined.end(exit._tag === "Success")
          return yield* exit
        })

      /** Runs the call in one step, as a product does. Commits what the call kept, also after a call that failed. */
      const within = <A, E>(call: (joined: MailStoreShape) => Effect.Effect<A, E>) =>
        Effect.suspend(() => {
          product.exec("BEGIN IMMEDIATE")
          try {
            return Effect.runSyncExit(joinedCall(call))
          } finally {
            product.exec("COMMIT")
          }
        })

      const joining = callsInTransactions(store, within)
      return Context.make(MailStore, joining).pipe(
        Context.add(SqliteMailStore.SqliteMailStore, { ...store, ...joining })
      )
    })
  )

export const place = placeWith(import.meta.url, open)
