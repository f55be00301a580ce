/**
 * The id and the lease of a worker. Claims rows under the id and renews the lease while the worker has claimed rows. Changes to a new
 * id when it is unknown which rows are claimed under the old id. Source: decisions 0006 and 0035.
 */
import { Duration, Effect, Latch, Result } from "effect"
import { endLeases, renewLease } from "../decide/store/lease.ts"
import type { Claim, ClaimKind } from "../domain/store/Claim.ts"
import type { Rotation } from "../domain/store/Rotation.ts"
import type { Delivery } from "../domain/delivery/Delivery.ts"
import type { EventDelivery } from "../domain/event/EventDelivery.ts"
import { hourMillis, secondMillis } from "../domain/value/Instant.ts"
import { wholeOption } from "../domain/value/OptionRule.ts"
import { errorNameOf } from "../port/bugReport.ts"
import type { Crypto } from "../port/Crypto.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import type { ClockReading } from "./clockJumpDetector.ts"
import type { ClaimLease } from "./claimLease.ts"
import type { NotStored } from "./commit.ts"
import { makeCommit } from "./commit.ts"
import type { Moment } from "./moment.ts"
import { millisBetween } from "./moment.ts"
import { randomHex } from "./randomHex.ts"

/** How many former ids are kept, to end their leases on shutdown. */
const formerIdsMax = 64

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
  const commit = makeCommit(store)
  const newWorkerId = () => randomHex(crypto, 8)
  /** The number of claimed rows under work for each id. */
  const claimedRows = new Map<string, number>()
  /** Open while there are claimed rows, so that an idle worker has no timer. */
  const hasClaimedRows = Latch.makeUnsafe(false)
  /** When the lease of each id with claimed rows was last set. */
  const renewed = new Map<string, Moment>()
  const formerIds: Array<string> = []
  let workerId = newWorkerId()

  const changeWorkerId = Effect.sync(() => {
    formerIds.push(workerId)
    if (formerIds.length > formerIdsMax) formerIds.shift()
    if (!claimedRows.has(workerId)) renewed.delete(workerId)
    workerId = newWorkerId()
  })

  /**
   * Changes the id unless this is a former id: rows may be claimed under it that nobody works on. A shutdown interrupts many rows at once, and a
   * change for each of them would drop ids from `formerIds` whose leases must end.
   */
  const abandonId = (id: string) => Effect.suspend(() => (id === workerId ? changeWorkerId : Effect.void))

  const recordRenewal = (worker: string, at: Moment): void => {
    const last = renewed.get(worker)
    if (last === undefined || at.monotonicMillis >= last.monotonicMillis) renewed.set(worker, at)
  }

  const renew = (worker: string, clock: ClockReading) =>
    Effect.tap(
      commit(Effect.void, () => Result.succeed(renewLease({ now: clock.now, worker, leaseMillis })), "once"),
      () => Effect.sync(() => recordRenewal(worker, clock))
    )

  /** Whether more than half of the lease has passed, by either clock. */
  const isLate = (worker: string, clock: ClockReading): boolean => {
    const last = renewed.get(worker)
    return last === undefined || millisBetween(last, clock) > leaseMillis / 2
  }

  /** Renews late leases before a claim. Without this, the claim could take rows that this process still works on. */
  const renewLate = (clock: ClockReading) =>
    Effect.forEach(
      [...claimedRows.keys()].filter((worker) => isLate(worker, clock)),
      (worker) => Effect.catchTag(renew(worker, clock), "Conflict", () => Effect.void),
      { discard: true }
    )

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
      yield* renewLate(clock)
      const { now } = clock
      // The id can change while the claim runs.
      const worker = workerId
      // A claim that failed or was interrupted may have been applied. Its rows must not stay claimed by an id whose lease is renewed.
      const rows = yield* Effect.onError(claimRows({ now, limit, worker, leaseUntil: now + leaseMillis }), () =>
        abandonId(worker)
      )
      if (rows.length > 0) recordRenewal(worker, clock)
      return rows
    })
  }

  const count = (worker: string, by: number) =>
    Effect.sync(() => {
      const sum = (claimedRows.get(worker) ?? 0) + by
      if (sum > 0) claimedRows.set(worker, sum)
      else {
        claimedRows.delete(worker)
        if (worker !== workerId) renewed.delete(worker)
      }
      if (claimedRows.size > 0) hasClaimedRows.openUnsafe()
      else hasClaimedRows.closeUnsafe()
    })

  const workOn: WorkerLease["workOn"] = (row, work) => {
    const abandon = (why: string) =>
      Effect.andThen(abandonId(row.worker!), Effect.logError("The work on a claimed row failed.", { row: row.id, why }))
    const guarded = work.pipe(
      Effect.catch(({ _tag, reason }) => abandon(`${_tag}: ${reason}`)),
      Effect.catchDefect((defect) => abandon(errorNameOf(defect))),
      Effect.onInterrupt(() => abandonId(row.worker!))
    )
    return Effect.acquireUseRelease(
      count(row.worker!, 1),
      () => guarded,
      () => count(row.worker!, -1)
    )
  }

  const ofClaim: WorkerLease["ofClaim"] = ({ worker }) => ({
    millis: leaseMillis,
    renewedAt: () => renewed.get(worker!),
    // Without claimed rows, nothing reads or deletes the record.
    recordRenewal: (at) => {
      if (claimedRows.has(worker!)) recordRenewal(worker!, at)
    }
  })

  const heartbeat = Effect.flatMap(readClock, (clock) =>
    Effect.forEach([...claimedRows.keys()], (worker) => Effect.ignoreCause(renew(worker, clock)), { discard: true })
  ).pipe(Effect.delay(Duration.millis(Math.floor(leaseMillis / 3))), hasClaimedRows.whenOpen, Effect.forever)

  const end = (ids: ReadonlyArray<string>) => {
    renewed.delete(workerId)
    return Effect.ignore(commit(Effect.void, () => Result.succeed(endLeases(ids)), "once"))
  }

  const release = Effect.suspend(() => end([...formerIds, workerId]))

  const releaseIdle = Effect.suspend(() =>
    renewed.has(workerId) && !claimedRows.has(workerId) ? end([workerId]) : Effect.void
  )

  return {
    workerId: () => workerId,
    claim: (kind, limit, rotation) =>
      claiming(limit, kind === "abandonedSending", (lease) => store.claim({ kind, ...lease, rotation })),
    claimEventDeliveries: (subscriber, limit) =>
      claiming(limit, true, (lease) => store.claimEventDeliveries({ subscriber, ...lease })),
    workOn,
    ofClaim,
    changeWorkerId,
    heartbeat,
    release,
    releaseIdle
  }
}
