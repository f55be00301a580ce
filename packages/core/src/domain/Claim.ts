/**
 * Claims: taking deliveries for a worker. The one write without a decider.
 */
import type { DeliveryStatus } from "./DeliveryTable.ts"
import { byId } from "./Id.ts"
import type { Instant } from "./Instant.ts"

/** The closed predicates: each names the status of the deliveries it takes. */
export const claimKinds = {
  dueScheduled: "scheduled",
  dueQueued: "queued",
  lapsedSending: "sending"
} as const satisfies Readonly<Record<string, DeliveryStatus>>
export type ClaimKind = keyof typeof claimKinds

/**
 * Takes up to `limit` deliveries of the kind whose `dueAt` is at or before `now` and that no worker with a live lease holds,
 * by `dueAt`, then id. Each gets the worker's name and its token plus one; its status stays. When there is any, the worker's
 * lease is set to `leaseUntil` in the same write; otherwise nothing is written. A lease is live while `leaseUntil` is after `now`.
 */
export interface Claim {
  readonly kind: ClaimKind
  readonly now: Instant
  readonly limit: number
  readonly worker: string
  readonly leaseUntil: Instant
}

/**
 * Takes up to `limit` pending pushes of one consumer, as `Claim` takes deliveries: `dueAt` at or before `now`, held by no worker with a live
 * lease, by `dueAt`, then id; each gets the worker's name and its token plus one, and the worker's lease is set to `leaseUntil`.
 */
export interface PushClaim {
  readonly consumer: string
  readonly now: Instant
  readonly limit: number
  readonly worker: string
  readonly leaseUntil: Instant
}

/** What a claim stamps: a delivery or a push. */
export interface Due {
  readonly id: string
  readonly dueAt: Instant | null
}

/** The order of a claim: the longest due first, then by id. */
export const longestDueFirst = (a: Due, b: Due): number => (a.dueAt ?? 0) - (b.dueAt ?? 0) || byId(a, b)

/** What has outlived its use by `before`; see the port's `sweep`. */
export const sweepKinds = ["events", "idempotency", "leases", "pushes"] as const
export type SweepKind = (typeof sweepKinds)[number]

export interface Sweep {
  readonly kind: SweepKind
  readonly before: Instant
  readonly limit: number
}
