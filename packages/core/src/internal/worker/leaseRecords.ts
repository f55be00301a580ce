/**
 * Writes the leases of a worker: renews those of its ids that have claimed rows, and ends leases. Source: decisions 0006 and 0035.
 */
import { Effect, Result } from "effect"
import { endLeases, renewLease } from "../../decide/store/lease.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import { makeCommit } from "../store/commit.ts"
import type { Moment } from "./moment.ts"
import { millisBetween } from "./moment.ts"
import type { WorkerIds } from "./workerIds.ts"

export interface LeaseRecords {
  /** Renews the late leases. Before a claim, because the claim could otherwise take rows that this process still works on. */
  readonly renewLate: (clock: Moment) => Effect.Effect<void, StoreUnavailable>
  /** Renews all leases. A failure for one id does not stop the renewal of the others. */
  readonly renewAll: (clock: Moment) => Effect.Effect<void>
  /** Ends the leases of some ids, and forgets when the lease of the current id was set. Does not fail. */
  readonly end: (workers: ReadonlyArray<string>) => Effect.Effect<void>
}

/** `leaseMillis`: how long a lease lasts after each renewal. */
export const makeLeaseRecords = (store: MailStoreShape, ids: WorkerIds, leaseMillis: number): LeaseRecords => {
  const commit = makeCommit(store)

  const renew = (worker: string, clock: Moment) =>
    Effect.tap(
      commit(Effect.void, () => Result.succeed(renewLease({ now: clock.now, worker, leaseMillis })), "once"),
      () => Effect.sync(() => ids.recordRenewal(worker, clock))
    )

  /** Whether more than half of the lease has passed, by either clock. */
  const isLate = (worker: string, clock: Moment): boolean => {
    const last = ids.renewedAt(worker)
    return last === undefined || millisBetween(last, clock) > leaseMillis / 2
  }

  return {
    renewLate: (clock) =>
      Effect.forEach(
        ids.withRows().filter((worker) => isLate(worker, clock)),
        (worker) => Effect.catchTag(renew(worker, clock), "Conflict", () => Effect.void),
        { discard: true }
      ),
    renewAll: (clock) =>
      Effect.forEach(ids.withRows(), (worker) => Effect.ignoreCause(renew(worker, clock)), { discard: true }),
    end: (workers) => {
      ids.forgetCurrentRenewal()
      return Effect.ignore(commit(Effect.void, () => Result.succeed(endLeases(workers)), "once"))
    }
  }
}
