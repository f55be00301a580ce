/**
 * The sends in the product's own open transaction.
 */
import type { CanceledMessage, RescheduledMessage, SendResult, TimeInput } from "@mailkeep/core"
import type { BatchItemResult, EmbeddedSendBatchInput, EmbeddedSendInput } from "@mailkeep/core/handle"

/**
 * Sends in an open transaction of the product. Each method writes at once and returns without a promise. What it wrote commits or rolls back with
 * the transaction. A call that throws wrote nothing, and the transaction stays open. On a full disk, SQLite rolls back the whole transaction: then
 * `message` says so.
 *
 * Each method throws what the method of `Mail` with the same name rejects with. Each throws `TransactionRefused` when no transaction is open, when
 * the connection is of another file, or when its commits are not synced; `message` says what to do. A send with a plan that is a promise, or with a
 * file by its path, is refused too.
 */
export interface TransactionSends {
  /** Accepts a message for delivery when the transaction commits. */
  readonly send: (input: EmbeddedSendInput) => SendResult
  /** Accepts 1 to 100 messages when the transaction commits, each by itself. Returns one result for each message. */
  readonly sendBatch: (input: EmbeddedSendBatchInput) => ReadonlyArray<BatchItemResult>
  /** Cancels a scheduled message when the transaction commits. */
  readonly cancel: (messageId: string) => CanceledMessage
  /** Changes the scheduled time of a message when the transaction commits. */
  readonly reschedule: (messageId: string, scheduledAt: TimeInput) => RescheduledMessage
}

/**
 * Sends in an open transaction of the product on a server, such as PostgreSQL. Each method waits for the server. Wait for its promise before the next
 * statement of the transaction. What it wrote commits or rolls back with the transaction. A call that rejects wrote nothing, and the transaction stays open.
 */
export type PromisedTransactionSends = {
  /** As in `TransactionSends`, with a promise. */
  readonly [K in keyof TransactionSends]: (
    ...args: Parameters<TransactionSends[K]>
  ) => Promise<ReturnType<TransactionSends[K]>>
}
