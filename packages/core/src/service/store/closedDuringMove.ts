/**
 * Keeps the source and the target of a move closed while it runs, and the source afterwards. Source: decision 0078.
 *
 * The `Clock` must be the clock of the source. The leases of its workers are compared with it, and its processes compare the lease of the move with their
 * clock. The lease in the target has no end, so that the clock of the target has no influence.
 */
import { Clock, Duration, Effect, Exit, Result } from "effect"
import type { Decision } from "../../decide/store/Decision.ts"
import { endLeases, renewLease } from "../../decide/store/lease.ts"
import { ensureSetting } from "../../decide/store/setting.ts"
import { MoveRefused } from "../../domain/store/MoveRefused.ts"
import {
  endlessLease,
  isRecordOfMove,
  movedToSetting,
  moveSourceLease,
  moveTargetLease
} from "../../domain/store/StoreClosure.ts"
import { minuteMillis, secondMillis } from "../../domain/value/Instant.ts"
import { closureKeptMillis, readClosure } from "../../internal/store/closableStore.ts"
import { makeCommit } from "../../internal/store/commit.ts"
import { forEachRecordPage } from "../../internal/store/recordPages.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"

/** How long the source stays closed after its move was killed. */
const sourceLeaseMillis = minuteMillis
/** How often a move renews the lease in the source. */
const renewMillis = 10 * secondMillis
/** Every process knows by then that the source is closed, and its last commit has ended, unless that waits for a lock. */
const closureNoticeMillis = closureKeptMillis + secondMillis / 2
/** A write that takes longer than this has waited for a lock of another process. */
const promptMillis = 100
/** The longest that a commit waits for a lock, and some time to write. */
const lockWaitMillis = 5 * secondMillis + secondMillis / 2

/** Fails when a worker has a live lease in the source. With `ownMove`, the lease of this move is no reason. */
export const checkSourceQuiet = (from: MailStoreShape, ownMove = false) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    yield* forEachRecordPage(from, { kind: "Lease", projectId: null }, (leases) =>
      leases.some((one) => one.record.leaseUntil > now && !(ownMove && isRecordOfMove(one)))
        ? Effect.fail(new MoveRefused({ reason: "source_in_use", kinds: ["Lease"] }))
        : Effect.void
    )
  })

/** A move that is to close its source. */
export interface ClosingMove {
  readonly source: MailStoreShape
  readonly target: MailStoreShape
  /** The location of the target. */
  readonly to: string
  readonly resume: boolean
  readonly force: boolean
  /** The number of records that the copy has written so far, or has begun to write. */
  readonly written: () => number
}

/** Writes a lease or a setting of the move. No guard of them can fail, because no other move writes into these stores. */
const write = (store: MailStoreShape, decision: Decision<unknown>) =>
  Effect.catchTag(
    makeCommit(store)(Effect.void, () => Result.succeed(decision), "once"),
    "Conflict",
    (conflict) => Effect.die(conflict)
  )

/**
 * Closes the source, and waits until no process writes any more. A commit of another process can have found the source open and then wait for a lock. So
 * the source is closed once more after the wait. If one of the two writes had to wait, others can wait too, for as long as a commit does.
 */
const closeAndWaitForWriters = <E>(close: Effect.Effect<void, E>): Effect.Effect<void, E> =>
  Effect.gen(function* () {
    const [first] = yield* Effect.timed(close)
    yield* Effect.sleep(Duration.millis(closureNoticeMillis))
    const [second] = yield* Effect.timed(close)
    const hasWaited = [first, second].some((took) => Duration.toMillis(took) > promptMillis)
    if (hasWaited) yield* Effect.sleep(Duration.millis(lockWaitMillis))
  })

/** Whether the source was moved to the target before. Fails when the stores do not allow a move. */
const checkClosures = ({ source, target, to, resume, force }: ClosingMove) =>
  Effect.gen(function* () {
    const from = yield* readClosure(source)
    const into = yield* readClosure(target)
    if (into?.reason === "moved") return yield* new MoveRefused({ reason: "target_moved", kinds: ["Setting"] })
    if (from?.reason === "incomplete") return yield* new MoveRefused({ reason: "source_incomplete", kinds: ["Lease"] })
    const isMoved = from?.reason === "moved"
    if (isMoved && !force && !(resume && from.to === to))
      return yield* new MoveRefused({ reason: "source_moved", kinds: ["Setting"] })
    return { isMoved, targetWasClosed: into !== null }
  })

/**
 * Closes both stores, runs the copy and then closes the source for good. A copy that fails opens the source again. The copy runs `renew` after each
 * page and before each batch of records, so that the source stays closed.
 */
export const closedDuringMove = <A, E, R>(
  move: ClosingMove,
  copy: (renew: Effect.Effect<void, StoreUnavailable>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | MoveRefused | StoreUnavailable, R> =>
  Effect.gen(function* () {
    const { source, target, to, force, written } = move
    const { isMoved, targetWasClosed } = yield* checkClosures(move)
    if (!force) yield* checkSourceQuiet(source)
    let renewedAt = yield* Clock.currentTimeMillis
    const renew = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (now - renewedAt < renewMillis) return Effect.void
      renewedAt = now
      return write(source, renewLease({ now, worker: moveSourceLease, leaseMillis: sourceLeaseMillis }))
    })
    const openSource = write(source, endLeases([moveSourceLease]))
    const openTarget = write(target, endLeases([moveTargetLease]))
    /** The target stays closed when it may have a part of the records. */
    const undo = Effect.suspend(() =>
      targetWasClosed || written() > 0 ? openSource : Effect.andThen(openSource, openTarget)
    )
    const closed = Effect.gen(function* () {
      yield* write(
        target,
        renewLease({ now: renewedAt, worker: moveTargetLease, leaseMillis: endlessLease - renewedAt })
      )
      if ((yield* readClosure(source))?.reason === "incomplete")
        return yield* new MoveRefused({ reason: "same_store", kinds: ["Lease"] })
      yield* closeAndWaitForWriters(
        write(source, renewLease({ now: renewedAt, worker: moveSourceLease, leaseMillis: sourceLeaseMillis }))
      )
      if (!force) yield* checkSourceQuiet(source, true)
      return yield* copy(renew)
    })
    const copied = yield* Effect.onExit(closed, (exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.ignore(undo)))
    if (!isMoved) yield* write(source, ensureSetting({ name: movedToSetting, existing: null, initial: to }))
    yield* openSource
    yield* openTarget
    return copied
  })
