/**
 * Why a use case of messages and deliveries is refused.
 */
import type { DeliveryId, MessageId } from "../value/Id.ts"
import { NotRetryable } from "../value/NotRetryable.ts"

/** The project has no message with this ID. */
export class MessageNotFound extends NotRetryable("MessageNotFound", "not_found", "No message with this ID.")<{
  readonly messageId: string
}> {
  /** Not retryable. */
  declare readonly isRetryable: boolean
}

/** The project has no delivery with this ID. */
export class DeliveryNotFound extends NotRetryable("DeliveryNotFound", "not_found", "No delivery with this ID.")<{
  readonly deliveryId: string
}> {
  /** Not retryable. */
  declare readonly isRetryable: boolean
}

/** A delivery of the message is no longer `scheduled`, so the message cannot be canceled or rescheduled. */
export class MessageNotScheduled extends NotRetryable(
  "MessageNotScheduled",
  "conflict",
  "The message is no longer scheduled."
)<{
  readonly messageId: MessageId
  /** The first delivery that is not `scheduled`; `null` from a client over HTTP, because the response does not show it. */
  readonly deliveryId: DeliveryId | null
}> {
  /** Not retryable: a message never becomes `scheduled` again. */
  declare readonly isRetryable: boolean
}
