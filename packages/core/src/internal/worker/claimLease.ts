/**
 * The lease of a worker, as a hand-off needs it: the end of data is sent only while much of the lease is left. Source: decisions 0006 and 0035.
 */
import { Effect } from "effect"
import type { Instant } from "../../domain/value/Instant.ts"
import { HandOffRevoked } from "../../port/Transport.ts"
import type { Moment } from "./moment.ts"
import { currentMoment, millisBetween } from "./moment.ts"

/** The lease of the worker that claimed a delivery. The delivery belongs to this worker until the lease ends. */
export interface ClaimLease {
  /** How long the lease lasts after each renewal. */
  readonly millis: number
  /** When the lease was last set, as far as this process knows. */
  readonly renewedAt: () => Moment | undefined
  /** Records that a commit has set the lease. `at` is a moment before this commit began. */
  readonly recordRenewal: (at: Moment) => void
}

/** The part of a lease that may have passed when an attempt begins to finalize without a renewal. A claim has just set the lease. */
const freshFraction = 1 / 6

/** What a commit that permits the end of data does with the lease. */
export interface LeaseForFinalizing {
  /** The lease lasts for its whole length from this moment, once the commit has succeeded. */
  readonly from: Moment
  /** Whether the commit sets the lease. Otherwise the lease was set at `from`. */
  readonly isRenewed: boolean
  /** The end of the lease that a commit at this time sets; `null` when it leaves the lease alone. */
  readonly leaseUntil: (now: Instant) => Instant | null
}

/** Leaves a lease alone that was set a short time ago, so that the commits of many hand-offs do not all write one record. */
export const leaseForFinalizing = (lease: ClaimLease): Effect.Effect<LeaseForFinalizing> =>
  Effect.map(currentMoment, (now) => {
    const last = lease.renewedAt()
    return last !== undefined && millisBetween(last, now) <= lease.millis * freshFraction
      ? { from: last, isRenewed: false, leaseUntil: () => null }
      : { from: now, isRenewed: true, leaseUntil: (at) => at + lease.millis }
  })

/**
 * After the commit that permits the end of data. Fails when half of the lease has passed since `from`, by the clock that advanced more. The
 * process may have been frozen, and the lease could end before the end of data is sent.
 */
export const confirmLease = (
  lease: ClaimLease,
  { from, isRenewed }: LeaseForFinalizing
): Effect.Effect<void, HandOffRevoked> =>
  Effect.flatMap(currentMoment, (now) => {
    if (isRenewed) lease.recordRenewal(from)
    return millisBetween(from, now) > lease.millis / 2
      ? Effect.fail(new HandOffRevoked({ why: "too_late" }))
      : Effect.void
  })
