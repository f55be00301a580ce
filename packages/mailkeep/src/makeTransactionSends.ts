/**
 * Sends in the product's own open transaction. Source: decision 0056.
 */
import type { ProjectId, Sending, StoreUnavailable, TransactionRefused } from "@mailkeep/core"
import { TransactionSending } from "@mailkeep/core"
import { Effect } from "effect"
import type { RunSync } from "./calls.ts"
import { toBatchItem } from "./embeddedProject.ts"
import { splitBatch, splitSend } from "./sendInput.ts"
import type { TransactionSends } from "./TransactionSends.ts"

/** What the sends of a transaction need of the mail. */
export interface TransactionSendsDeps {
  readonly runSync: RunSync
  /** Called after each call that wrote. Wakes the dispatcher when the transaction of the connection has ended. */
  readonly onWritten: (connection: unknown) => void
  readonly projectId: ProjectId
  /** The default sender. */
  readonly from: string | undefined
}

/** Makes the sends in the transactions of a connection. Checks the connection in each call. */
export const makeTransactionSends = (
  { runSync, onWritten, projectId, from }: TransactionSendsDeps,
  connection: unknown
): TransactionSends => {
  const run = <A, E>(use: (sending: Sending["Service"]) => Effect.Effect<A, E>): A => {
    const effect: Effect.Effect<A, E | TransactionRefused | StoreUnavailable, TransactionSending> =
      TransactionSending.use(({ within }) => within(connection, use))
    const result = runSync(effect)
    onWritten(connection)
    return result
  }
  return {
    send: (input) => run(({ send }) => send(projectId, ...splitSend(input, from))),
    sendBatch: (input) =>
      run(({ sendBatch }) =>
        Effect.map(sendBatch(projectId, ...splitBatch(input, from)), (results) => results.map(toBatchItem))
      ),
    cancel: (messageId) => run(({ cancel }) => cancel(projectId, messageId)),
    reschedule: (messageId, scheduledAt) => run(({ reschedule }) => reschedule(projectId, messageId, scheduledAt))
  }
}
