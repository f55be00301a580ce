/**
 * The writes without a decision: claims, which mark due deliveries and event deliveries with a worker and a fencing token, and sweeps, which delete
 * old records.
 */
import type { DeliveryStatus } from "../delivery/DeliveryStatus.ts"
import type { Instant } from "../value/Instant.ts"
import type { Position } from "./Paging.ts"
import type { Rotation } from "./Rotation.ts"

/** The closed list of claim kinds, each with the status of the deliveries that it claims. */
export const claimKinds = {
  dueScheduled: "scheduled",
  dueQueued: "queued",
  abandonedSending: "sending"
} as const satisfies Readonly<Record<string, DeliveryStatus>>
/** A kind of claim. `abandonedSending` claims the deliveries of workers whose lease has ended. */
export type ClaimKind = keyof typeof claimKinds

/**
 * Claims up to `limit` deliveries of the kind that are due at `now` (`isDue`), in the order of `roundRobin`.
 * Skips deliveries that a worker with a live lease has claimed. A lease is live while `leaseUntil` is after `now`.
 * Sets the worker on each claimed delivery and increments its fencing token; the status does not change.
 * The same write sets the worker's lease: from `now` to `leaseUntil`. Writes nothing if no delivery is claimed.
 */
export interface Claim {
  readonly kind: ClaimKind
  readonly now: Instant
  readonly limit: number
  readonly worker: string
  readonly leaseUntil: Instant
  readonly rotation: Rotation
}

/** What decides whether a delivery is due. */
export interface DueTimes {
  readonly dueAt: Instant | null
  readonly dueSetAt: Instant | null
}

/**
 * Whether a delivery is due: it does not wait from `dueSetAt` until just before `dueAt`. A `dueSetAt` of `null` is the beginning of time.
 * A clock that shows an earlier time than `dueSetAt` was set back, and then the delivery does not wait for it. Source: decision 0044.
 */
export const isDue = ({ dueAt, dueSetAt }: DueTimes, now: Instant): boolean =>
  dueAt !== null && (dueAt <= now || (dueSetAt !== null && now < dueSetAt))

/**
 * Claims up to `limit` pending event deliveries of one subscriber by the rules of `Claim`.
 * Each must be due at or before `now` and not claimed by a worker with a live lease. The order is `dueAt`, then id.
 * Sets the worker, increments the fencing token and sets the worker's lease: from `now` to `leaseUntil`.
 */
export interface EventDeliveryClaim {
  readonly subscriber: string
  readonly now: Instant
  readonly limit: number
  readonly worker: string
  readonly leaseUntil: Instant
}

/** The closed list of kinds of records that a sweep deletes; `sweep` of the port says what is old for each. */
export const sweepKinds = ["events", "idempotency", "leases", "eventDeliveries"] as const
/** A kind of record that a sweep deletes. */
export type SweepKind = (typeof sweepKinds)[number]

/** Deletes up to `limit` records of one kind that happened, ended or expired before `before`, oldest first. */
export interface Sweep {
  readonly kind: SweepKind
  readonly before: Instant
  readonly limit: number
}

/**
 * Examines the messages of `MessagesBefore`: up to `limit` that were created before `before`, oldest first, after the position `after`. Deletes those
 * that have ended before `before`. The number of examined messages bounds the time of the write, however many messages are still waiting.
 */
export interface MessageSweep {
  readonly before: Instant
  readonly after: Position | null
  readonly limit: number
}

/** What one sweep of messages did. */
export interface SweptMessages {
  /** The number of deleted messages. */
  readonly deleted: number
  /** The position of the last examined message, after which the next sweep continues. `null` if the sweep examined fewer messages than `limit`. */
  readonly next: Position | null
}
