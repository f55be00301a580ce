/**
 * Renews, restarts and ends the leases of workers. Source: decisions 0006 and 0044.
 */
import type { Change } from "../../domain/store/Change.ts"
import type { Lease } from "../../domain/store/Lease.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { Decision } from "./Decision.ts"

/** The change that sets the lease of a worker. */
const leaseChange = (worker: string, renewedAt: Instant, leaseUntil: Instant): Change => ({
  _tag: "RenewLease",
  worker,
  renewedAt,
  leaseUntil
})

/** The change that sets the lease of the worker of a delivery; none for a delivery without a worker, or without a new end of the lease. */
export const leaseRenewal = (
  worker: string | null,
  renewedAt: Instant,
  leaseUntil: Instant | null
): ReadonlyArray<Change> => (worker === null || leaseUntil === null ? [] : [leaseChange(worker, renewedAt, leaseUntil)])

export interface RenewLeaseFacts {
  readonly now: Instant
  readonly worker: string
  readonly leaseMillis: number
}

/** The lease then ends `leaseMillis` after now. */
export const renewLease = ({ now, worker, leaseMillis }: RenewLeaseFacts): Decision<undefined> => ({
  answer: undefined,
  changes: [leaseChange(worker, now, now + leaseMillis)]
})

export interface RestartLeasesFacts {
  readonly now: Instant
  /** The leases that were set after `now`. */
  readonly leases: ReadonlyArray<Lease>
}

/**
 * Starts leases again from now, each for its whole length, because the clock was set back after they were set. A live worker renews its lease
 * as before. The lease of a dead worker ends by the clock as it is now. Source: decision 0044.
 */
export const restartLeases = ({ now, leases }: RestartLeasesFacts): Decision<undefined> => ({
  answer: undefined,
  changes: leases.map(({ worker, renewedAt, leaseUntil }) =>
    leaseChange(worker, now, now + Math.max(0, leaseUntil - renewedAt))
  )
})

/** Ends the leases of all ids of a worker. Other workers can then claim its rows at once. */
export const endLeases = (workers: ReadonlyArray<string>): Decision<undefined> => ({
  answer: undefined,
  changes: workers.map((worker) => ({ _tag: "EndLease", worker }))
})
