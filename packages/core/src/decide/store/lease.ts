/**
 * Renews and ends the leases of a worker. Source: decision 0006.
 */
import type { Instant } from "../../domain/value/Instant.ts"
import type { Decision } from "./Decision.ts"

export interface RenewLeaseFacts {
  readonly now: Instant
  readonly worker: string
  readonly leaseMillis: number
}

/** The lease then ends `leaseMillis` after now. */
export const renewLease = ({ now, worker, leaseMillis }: RenewLeaseFacts): Decision<undefined> => ({
  answer: undefined,
  changes: [{ _tag: "RenewLease", worker, leaseUntil: now + leaseMillis }]
})

/** Ends the leases of all names of a worker. Other workers can then claim its rows at once. */
export const endLeases = (workers: ReadonlyArray<string>): Decision<undefined> => ({
  answer: undefined,
  changes: workers.map((worker) => ({ _tag: "EndLease", worker }))
})
