/**
 * A store that makes each call in a transaction of the product, so that the laws of stores examine a joined transaction.
 */
import type { MailStoreShape, StoreUnavailable } from "@mailkeep/core/adapter"
import { Effect } from "effect"

/** Begins a transaction of the product, runs the call in it, and commits. */
type InTransaction = <A, E>(
  call: (joined: MailStoreShape) => Effect.Effect<A, E>
) => Effect.Effect<A, E | StoreUnavailable>

/** Makes each call of the store by `inTransaction`. After the close of the store, its calls fail by themselves. */
export const callsInTransactions = (store: MailStoreShape, inTransaction: InTransaction): MailStoreShape => {
  const isOpen = Effect.as(store.read([]), undefined)
  const open: typeof inTransaction = (call) => Effect.andThen(isOpen, inTransaction(call))
  // Without `joinTransaction`: the laws of transactions of the product hold the store itself.
  const { capabilities, commitsOfOtherProcesses } = store
  return {
    capabilities,
    commitsOfOtherProcesses,
    commit: (changes) => open((joined) => joined.commit(changes)),
    claim: (claim) => open((joined) => joined.claim(claim)),
    claimEventDeliveries: (claim) => open((joined) => joined.claimEventDeliveries(claim)),
    read: (queries) => open((joined) => joined.read(queries)),
    sweep: (sweep) => open((joined) => joined.sweep(sweep)),
    sweepMessages: (sweep) => open((joined) => joined.sweepMessages(sweep))
  }
}
