/**
 * Puts a layer around a store: around its own calls, and around the calls in the transactions that it joins.
 */
import { Effect } from "effect"
import type { MailStoreShape } from "./MailStore.ts"

/**
 * Wraps a store, and the store of each transaction that it joins. `wrap` gets a store and returns the calls that replace its own. A store that does
 * not join transactions stays so.
 *
 * @example
 * ```ts
 * import { wrapStore, type MailStoreShape } from "@mailkeep/core/adapter"
 * import { Effect } from "effect"
 *
 * export const withSpans = (store: MailStoreShape) =>
 *   wrapStore(store, (one) => ({ ...one, commit: (changes) => Effect.withSpan(one.commit(changes), "commit") }))
 * ```
 */
export const wrapStore = (
  store: MailStoreShape,
  wrap: (one: MailStoreShape) => Omit<MailStoreShape, "joinTransaction">
): MailStoreShape => ({
  ...wrap(store),
  ...(store.joinTransaction === undefined
    ? {}
    : {
        joinTransaction: (connection: unknown) =>
          Effect.map(store.joinTransaction!(connection), (joined) => ({
            ...joined,
            store: wrapStore(joined.store, wrap)
          }))
      })
})
