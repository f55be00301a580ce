/**
 * The delivery log of one project, with promises.
 */
import type { DeliverySummary } from "../domain/delivery/Delivery.ts"
import type { DeliveryDetail, DeliveryMessage } from "../domain/delivery/DeliveryDetail.ts"
import type { ListDeliveriesInput } from "../domain/delivery/DeliveryLogInput.ts"
import type { CursorInput, CursorPage } from "../domain/store/Paging.ts"
import type { CallOptions } from "./CallOptions.ts"

/** Selects deliveries. A filter that is absent or `null` matches every delivery. */
export interface DeliveryFilterInput extends Omit<ListDeliveriesInput, keyof CursorInput> {}

/** The message of a delivery, with the fields that the interface over HTTP shows. */
export interface LoggedMessage extends Omit<DeliveryMessage, "replyTo" | "to" | "cc" | "headers" | "idempotencyKey"> {}

/** One delivery in full, with the fields that the interface over HTTP shows. An embedded project returns more. */
export interface LoggedDelivery extends Omit<DeliveryDetail, "recipientKind" | "nextAttemptAt" | "message"> {
  readonly message: LoggedMessage
}

/** Reads what happened to the mail of a project. */
export interface DeliveriesHandle<Detail = LoggedDelivery> {
  /**
   * One page of the deliveries, newest first. With filters, a page may be short or empty although `hasMore` is `true`. Rejects with
   * `InvalidArgument` when a filter is not valid, or when the cursor belongs to another project or other filters.
   */
  readonly list: (input?: ListDeliveriesInput, options?: CallOptions) => Promise<CursorPage<DeliverySummary>>
  /** One delivery with its message and its attempts. Rejects with `DeliveryNotFound` when the project has no delivery with this id. */
  readonly get: (deliveryId: string, options?: CallOptions) => Promise<Detail>
  /** All matching deliveries, newest first, read page by page with constant memory use. */
  readonly each: (filter?: DeliveryFilterInput, options?: CallOptions) => AsyncIterable<DeliverySummary>
}
