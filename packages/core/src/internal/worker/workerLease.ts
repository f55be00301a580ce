/**
 * The lease of a worker. Claims rows under the id of the worker, and renews the lease while the worker has claimed rows. Changes to a new id when it
 * is unknown which rows are claimed under the old id. Source: decisions 0006 and 0035.
 */
import { Duration, Effect } from "effect"
import type { Claim, ClaimKind } from "../../domain/store/Claim.ts"
import type { Rotation } from "../../domain/store/Rotation.ts"
import type { Delivery } from "../../domain/delivery/Delivery.ts"
import type { EventDelivery } from "../../domain/event/EventDelivery.ts"
import { hourMillis, secondMillis } from "../../domain/value/Instant.ts"
import { wholeOption } from "../../domain/value/OptionRule.ts"
import { errorNameOf } from "../../domain/observability/bugReport.ts"
import type { Crypto } from "../../port/Crypto.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import type { ClockReading } from "./clockJumpDetector.ts"
import type { ClaimLease } from "./claimLease.ts"
import type { NotStored } from "../store/commit.ts"
import { makeLeaseRecords } from "./leaseRecords.ts"
import { randomHex } from "../randomHex.ts"
import { makeWorkerIds } from "./workerIds.ts"

/** A row with the id of the worker that claimed it. */
interface ClaimedRow {
  readonly id: string
  readonly worker: string | null
}

type LeasedClaim = Pick<Claim, "now" | "limit" | "worker" | "leaseUntil">

export interface WorkerLease {
  readonly workerId: () => string
  readonly claim: (
    kind: ClaimKind,
    limit: number,
    rotation: Rotation
  ) => Effect.Effect<ReadonlyArray<Delivery>, StoreUnavailable>
  readonly claimEventDeliveries: (
    subscriber: string,
    limit: number
  ) => Effect.Effect<ReadonlyArray<EventDelivery>, StoreUnavailable>
  /**
   * Runs the work on a claimed row and renews the lease until the work ends. When the work dies or is interrupted, or its result was not
   * stored, the row stays claimed until its lease ends. Work on other rows continues.
   */
  readonly workOn: (row: ClaimedRow, work: Effect.Effect<unknown, NotStored>) => Effect.Effect<unknown>
  /** The lease of a claimed row. */
  readonly ofClaim: (row: ClaimedRow) => ClaimLease
  /** Makes further claims under a new id. Rows claimed under the old id can be claimed again when its lease ends. */
  readonly changeWorkerId: Effect.Effect<void>
  /** Renews, for ever, the leases of the ids that have claimed rows. */
  readonly heartbeat: Effect.Effect<never>
  /** Ends the leases of the current id and of former ids. */
  readonly release: Effect.Effect<void>
  /**
   * Ends the lease of the current id, unless one of its rows is still under work. Writes nothing when it has no lease. The leases of former ids stay, so
   * that the next of many short-lived workers does not claim a row at once whose work fails.
   */
  readonly releaseIdle: Effect.Effect<void>
}

/** The bounds of the option `leaseMillis`. A shorter lease ends while its worker waits for a commit or a busy processor. */
export const leaseRule = wholeOption(secondMillis, hourMillis)

/** How far the wall clock may advance beyond the monotonic clock between two claims, for a lease of this length. */
export const forwardJumpMillis = (leaseMillis: number): number => leaseMillis / 3

export interface WorkerLeaseDeps {
  readonly store: MailStoreShape
  readonly crypto: Crypto["Service"]
  readonly readClock: Effect.Effect<ClockReading>
}

export const makeWorkerLease = ({ store, crypto, readClock }: WorkerLeaseDeps, leaseMillis: number): WorkerLease => {
  const ids = makeWorkerIds(() => randomHex(crypto, 8))
  const leases = makeLeaseRecords(store, ids, leaseMillis)
  const changeWorkerId = Effect.sync(ids.change)

  /**
   * Changes the id unless this is a former id: rows may be claimed under it that nobody works on. A shutdown interrupts many rows at once, and a
   * change for each of them would drop former ids whose leases must end.
   */
  const abandonId = (id: string) => Effect.suspend(() => (id === ids.current() ? changeWorkerId : Effect.void))

  const claiming = <A>(
    limit: number,
    takesAbandoned: boolean,
    claimRows: (lease: LeasedClaim) => Effect.Effect<ReadonlyArray<A>, StoreUnavailable>
  ): Effect.Effect<ReadonlyArray<A>, StoreUnavailable> => {
    if (limit <= 0) return Effect.succeed([])
    return Effect.gen(function* () {
      const clock = yield* readClock
      // After a jump of the wall clock every lease looks lapsed. Live workers get time to renew their leases.
      if (takesAbandoned && clock.sinceJumpMillis < leaseMillis) return []
      yield* leases.renewLate(clock)
      const { now } = clock
      // The id can change while the claim runs.
      const worker = ids.current()
      // A claim that failed or was interrupted may have been applied. Its rows must not stay claimed by an id whose lease is renewed.
      const rows = yield* Effect.onError(claimRows({ now, limit, worker, leaseUntil: now + leaseMillis }), () =>
        abandonId(worker)
      )
      if (rows.length > 0) ids.recordRenewal(worker, clock)
      return rows
    })
  }

  const workOn: WorkerLease["workOn"] = (row, work) => {
    const abandon = (why: string) =>
      Effect.andThen(abandonId(row.worker!), Effect.logError("The work on a claimed row failed.", { row: row.id, why }))
    const guarded = work.pipe(
      Effect.catch(({ _tag, reason }) => abandon(`${_tag}: ${reason}`)),
      Effect.catchDefect((defect) => abandon(errorNameOf(defect))),
      Effect.onInterrupt(() => abandonId(row.worker!))
    )
    return ids.duringWork(row.worker!, guarded)
  }

  const ofClaim: WorkerLease["ofClaim"] = ({ worker }) => ({
    millis: leaseMillis,
    renewedAt: () => ids.renewedAt(worker!),
    // Without claimed rows, nothing reads or deletes the record.
    recordRenewal: (at) => {
      if (ids.hasRows(worker!)) ids.recordRenewal(worker!, at)
    }
  })

  const heartbeat = Effect.flatMap(readClock, leases.renewAll).pipe(
    Effect.delay(Duration.millis(Math.floor(leaseMillis / 3))),
    ids.whenRows,
    Effect.forever
  )

  const releaseIdle = Effect.suspend(() => {
    const worker = ids.current()
    return ids.renewedAt(worker) !== undefined && !ids.hasRows(worker) ? leases.end([worker]) : Effect.void
  })

  return {
    workerId: ids.current,
    claim: (kind, limit, rotation) =>
      claiming(limit, kind === "abandonedSending", (lease) => store.claim({ kind, ...lease, rotation })),
    claimEventDeliveries: (subscriber, limit) =>
      claiming(limit, true, (lease) => store.claimEventDeliveries({ subscriber, ...lease })),
    workOn,
    ofClaim,
    changeWorkerId,
    heartbeat,
    release: Effect.suspend(() => leases.end(ids.all())),
    releaseIdle
  }
}
