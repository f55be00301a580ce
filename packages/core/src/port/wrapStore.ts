/**
 * Puts a layer around a store: around its own calls, and around the calls in the transactions that it joins.
 */
import { Effect } from "effect"
import type { JoinedTransaction, MailStoreShape } from "./MailStore.ts"

type StoreCalls = Omit<MailStoreShape, "joinTransaction">

/** Lists each member by name because an adapter may be an instance of a class, which a spread would not copy. */
const callsOf = (store: StoreCalls): StoreCalls => ({
  capabilities: store.capabilities,
  commitsOfOtherProcesses: store.commitsOfOtherProcesses,
  commit: (changes) => store.commit(changes),
  claim: (claim) => store.claim(claim),
  claimEventDeliveries: (claim) => store.claimEventDeliveries(claim),
  read: (queries) => store.read(queries),
  sweep: (sweep) => store.sweep(sweep),
  sweepMessages: (sweep) => store.sweepMessages(sweep)
})

/** Lists each member by name for the same reason. */
const withStore = (joined: JoinedTransaction, store: MailStoreShape): JoinedTransaction => ({
  store,
  ...(joined.isAsynchronous === undefined ? {} : { isAsynchronous: joined.isAsynchronous }),
  end: (keep) => joined.end(keep),
  transactionEnded: joined.transactionEnded
})

/**
 * Wraps a store, and the store of each transaction that it joins. `wrap` gets a store and returns the calls that replace its own. It may copy the calls
 * with a spread, also those of a store that is an instance of a class. A store that does not join transactions stays so.
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
  ...callsOf(wrap(callsOf(store))),
  ...(store.joinTransaction === undefined
    ? {}
    : {
        joinTransaction: (connection: unknown) =>
          Effect.map(store.joinTransaction!(connection), (joined) => withStore(joined, wrapStore(joined.store, wrap)))
      })
})
