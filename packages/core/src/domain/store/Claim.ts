/**
 * Claims: mark due deliveries with a worker and a fencing token. Claims and sweeps are the only writes without a decision.
 */
import type { DeliveryStatus } from "../delivery/DeliveryTable.ts"
import { compareIds } from "../value/Id.ts"
import type { Instant } from "../value/Instant.ts"

/** The closed list of claim kinds, each with the status of the deliveries that it claims. */
export const claimKinds = {
  dueScheduled: "scheduled",
  dueQueued: "queued",
  lapsedSending: "sending"
} as const satisfies Readonly<Record<string, DeliveryStatus>>
/** A kind of claim. `lapsedSending` claims the deliveries of workers whose lease has ended. */
export type ClaimKind = keyof typeof claimKinds

/**
 * Claims up to `limit` deliveries of the kind whose `dueAt` is at or before `now`, ordered by `dueAt`, then id.
 * Skips deliveries that a worker with a live lease has claimed. A lease is live while `leaseUntil` is after `now`.
 * Sets the worker on each claimed delivery and increments its fencing token; the status does not change.
 * The same write sets the worker's lease to `leaseUntil`. Writes nothing if no delivery is claimed.
 */
export interface Claim {
  readonly kind: ClaimKind
  readonly now: Instant
  readonly limit: number
  readonly worker: string
  readonly leaseUntil: Instant
}

/**
 * Claims up to `limit` pending event deliveries of one subscriber by the rules of `Claim`.
 * Each must be due at or before `now` and not claimed by a worker with a live lease. The order is `dueAt`, then id.
 * Sets the worker, increments the fencing token and sets the worker's lease to `leaseUntil`.
 */
export interface EventDeliveryClaim {
  readonly subscriber: string
  readonly now: Instant
  readonly limit: number
  readonly worker: string
  readonly leaseUntil: Instant
}

/** What a claim can mark: a delivery or an event delivery. */
export interface Due {
  readonly id: string
  readonly dueAt: Instant | null
}

/** The order of a claim: by `dueAt`, oldest first, then by id. */
export const longestDueFirst = (a: Due, b: Due): number => (a.dueAt ?? 0) - (b.dueAt ?? 0) || compareIds(a, b)

/** The kinds of records that a sweep deletes after `before`; see `sweep` of the port. */
export const sweepKinds = ["events", "idempotency", "leases", "eventDeliveries"] as const
/** A kind of record that a sweep deletes. */
export type SweepKind = (typeof sweepKinds)[number]

/** Deletes up to `limit` records of one kind that happened, ended or expired before `before`, oldest first. */
export interface Sweep {
  readonly kind: SweepKind
  readonly before: Instant
  readonly limit: number
}
