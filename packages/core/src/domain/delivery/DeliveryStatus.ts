/**
 * The statuses of a delivery, the reasons for a status, and the kinds of event of a delivery.
 */

/** The values of a delivery's `status`. Source: docs/spec/coverage.md S3.1. */
export const deliveryStatuses = [
  "scheduled",
  "canceled",
  "queued",
  "sending",
  "accepted",
  "delivered",
  "bounced",
  "complained",
  "failed",
  "suppressed"
] as const

/** The status of a delivery. `docs/reference/delivery-states.md` has all transitions. */
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** The values of `delivery_reason`. Source: decision 0017. */
export const deliveryReasons = [
  "unsubscribed",
  "complaint",
  "hard_bounce",
  "invalid",
  "manual",
  "recipient_blocked",
  "temporary_failure",
  "delivery_uncertain",
  "message_blocked",
  "sending_failed",
  "quota_exceeded",
  "api_key_revoked",
  "canceled"
] as const

/** Why a delivery has its status. */
export type DeliveryReason = (typeof deliveryReasons)[number]

/** The kinds of event that a transition of a delivery can append. Source: docs/spec/coverage.md S10; decision 0016. */
export type DeliveryEventKind =
  | "email.delivered"
  | "email.bounced"
  | "email.failed"
  | "email.accepted"
  | "email.complained"
  | "email.suppressed"
  | "email.canceled"
  | "email.delayed"
