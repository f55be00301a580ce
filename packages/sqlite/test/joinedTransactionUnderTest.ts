/**
 * Gives the laws a store that writes each call in a transaction of the product: `BEGIN IMMEDIATE`, the call, `COMMIT`.
 */
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { MailStore } from "@mailkeep/core/adapter"
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
        Context.add(SqliteMailStore.SqliteMailStore, { ...store, ...joining })
      )
    })
  )

export const place = placeWith(import.meta.url, open)
