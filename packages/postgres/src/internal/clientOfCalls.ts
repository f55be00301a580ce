/**
 * Keeps the statements of a call in its own transaction, also when the product did not wait for the call.
 */
import type { ProductClient } from "./driverClient.ts"
import { markOfDriver } from "./sqlStates.ts"

/** The transaction has ended, and the next one of the client can be open. Has the code that the server gives between the two. */
class TransactionEnded extends Error {
  readonly code = "25P01"
  constructor() {
    super("The transaction of the call has ended.")
  }
}

/** The client for the calls of the store. */
interface ClientOfCalls {
  readonly client: ProductClient
  /** `isOver` says whether the transaction of the call has ended. */
  readonly beginCall: (isOver: () => boolean) => void
}

/**
 * Makes the client that the calls of the store use, one at a time. It sends nothing after the transaction of the call has ended: the statement would run in
 * the next transaction of the client.
 */
export const clientOfCalls = (client: ProductClient): ClientOfCalls => {
  let hasEnded = (): boolean => false
  const query = ((...args: Parameters<ProductClient["query"]>) => {
    if (hasEnded()) throw markOfDriver(new TransactionEnded())
    return client.query(...args)
  }) as ProductClient["query"]
  const { pipeline, connection } = client
  return {
    client: {
      query,
      ...(pipeline === undefined ? {} : { pipeline }),
      ...(connection === undefined ? {} : { connection })
    },
    beginCall: (isOver) => {
      hasEnded = isOver
    }
  }
}
