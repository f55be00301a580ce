/**
 * Sends messages of one project, with promises.
 */
import type { SendRefusal, SendResult } from "../decide/message/acceptSend.ts"
import type { CanceledMessage, RescheduledMessage } from "../decide/message/scheduledMessage.ts"
import type { ContentAttachmentInput } from "../domain/message/Attachment.ts"
import type { SendBatchOptions } from "../domain/message/SendBatch.ts"
import type { SendInput } from "../domain/message/SendInput.ts"
import type { SendOptions } from "../domain/message/SendOptions.ts"
import type { TimeInput } from "../domain/value/Instant.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"
import type { CallOptions } from "./CallOptions.ts"

/** A message and its recipients, as each handle accepts it. */
export interface MessageInput extends Omit<SendInput, "from" | "attachments"> {
  /** The sender, at a verified domain of the project. Default: the default sender of the handle. Without one, the field is required. */
  readonly from?: string | undefined
  /** At most 20 files, and 20 MiB together unless the plan of the project says otherwise. */
  readonly attachments?: ReadonlyArray<ContentAttachmentInput> | undefined
}

/** A message to send, with its idempotency key. */
export interface SendMessageInput extends MessageInput, Pick<SendOptions, "idempotencyKey"> {}

/** Several messages to send at once. */
export interface SendBatchInput extends Pick<SendBatchOptions, "idempotencyKey"> {
  /** 1 to 100 messages. Their texts and files have at most 30 MiB together. */
  readonly messages: ReadonlyArray<MessageInput>
}

/** The result of one message of a batch, in the form of `Promise.allSettled`. */
export type BatchItemResult =
  | { readonly status: "fulfilled"; readonly value: SendResult }
  | { readonly status: "rejected"; readonly reason: SendRefusal | StoreUnavailable }

/** The methods that send. The input of an embedded project has more fields than the one of a client over HTTP. */
export interface SendingHandle<Input = SendMessageInput, BatchInput = SendBatchInput> {
  /**
   * Accepts a message for delivery. When the promise resolves, the message is stored. A suppressed recipient gets a delivery, but no mail.
   *
   * Rejects with `InvalidArgument` when a field is wrong, and with `SenderDomainNotVerified` when the domain of `from` is not a verified domain of
   * the project. Rejects with `PlanLimitReached` when a limit of the plan does not allow all recipients.
   */
  readonly send: (input: Input, options?: CallOptions) => Promise<SendResult>
  /**
   * Accepts up to 100 messages. Resolves with one result for each message, in their order. A message that is refused refuses no other. The
   * idempotency key counts for each message with its position, so that a repeat sends nothing again. For an idempotency key of each message, call
   * `send` for each and wait for all: calls at the same time share the disk syncs of the store.
   *
   * Rejects with `InvalidArgument` when the batch itself is wrong. Then no message is accepted.
   */
  readonly sendBatch: (input: BatchInput, options?: CallOptions) => Promise<ReadonlyArray<BatchItemResult>>
  /**
   * Cancels all deliveries of a scheduled message, or none. A repeat gets the same result. Rejects with `MessageNotFound`, and with
   * `MessageNotScheduled` when a delivery is no longer scheduled.
   */
  readonly cancel: (messageId: string, options?: CallOptions) => Promise<CanceledMessage>
  /**
   * Changes the time of a scheduled message, to a time within the next 30 days. Rejects like `cancel`, and with `PlanLimitReached` when the limit
   * of the new UTC day does not allow all recipients.
   */
  readonly reschedule: (messageId: string, scheduledAt: TimeInput, options?: CallOptions) => Promise<RescheduledMessage>
}
