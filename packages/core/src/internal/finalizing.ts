/**
 * The commit before the end of data of a hand-off, for a transport that signals it. For another transport, the phase begins with the attempt. Sets the phase `finalizing` and renews the lease, with the fencing token and the suppression
 * as guards. Source: decisions 0006 and 0035.
 */
import { Clock, Effect, Result, Schedule } from "effect"
import type { StartedAttempt } from "../decide/delivery/beginAttempt.ts"
import type { MarkFinalizingFacts } from "../decide/delivery/markFinalizing.ts"
import { isSuppressionChange, markFinalizing } from "../decide/delivery/markFinalizing.ts"
import type { SuppressionRecord } from "../domain/contact/Suppression.ts"
import type { IdSource } from "../port/IdSource.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import { clockFacts } from "./clockFacts.ts"
import type { Commit } from "./commit.ts"
import { knownFirst } from "./knownFacts.ts"
import { HandOffRevoked } from "../port/Transport.ts"

export interface FinalizingDeps {
  readonly store: MailStoreShape
  readonly commit: Commit
  readonly ids: IdSource["Service"]
}

/** Retries after the first commit: three at once, then after 10 ms, doubled each time. About 5 s in total. */
const retriesMax = 12
const pauses = Schedule.recurs(retriesMax).pipe(
  Schedule.addDelay(({ output }) => Effect.succeed(output < 3 ? 0 : 10 * 2 ** (output - 3)))
)

/** A moment by both clocks. The monotonic clock stops during a suspension, and the wall clock may be set back. */
export interface Moment {
  readonly now: number
  readonly nanos: bigint
}

export const currentMoment: Effect.Effect<Moment> = Effect.zipWith(
  Clock.currentTimeMillis,
  Clock.monotonicTimeNanos,
  (now, nanos) => ({ now, nanos })
)

/**
 * Fails when half of the lease has passed since the commit of the phase `finalizing` began, by the clock that advanced more. The process may
 * have been frozen, and the lease could end before the end of data is sent.
 */
export const failIfTooLate = (from: Moment, leaseMillis: number): Effect.Effect<void, HandOffRevoked> =>
  Effect.flatMap(currentMoment, ({ now, nanos }) =>
    Math.max(now - from.now, Number((nanos - from.nanos) / 1_000_000n)) > leaseMillis / 2
      ? Effect.fail(new HandOffRevoked({ why: "too_late" }))
      : Effect.void
  )

/**
 * Succeeds when the transport may send the end of data. Fails when the recipient is suppressed, when another worker has claimed the
 * delivery, or when the commit failed. Also fails by `failIfTooLate`.
 */
export const finalize = (
  { store, commit, ids }: FinalizingDeps,
  { delivery, attempt, suppression: suppressionAtBegin }: StartedAttempt,
  addressKey: string,
  leaseMillis: number
): Effect.Effect<void, HandOffRevoked> => {
  const suppressionNow = knownFirst<SuppressionRecord | null, StoreUnavailable, never>(
    Effect.succeed(suppressionAtBegin),
    Effect.map(
      store.read([{ _tag: "Suppressions", projectId: delivery.projectId, addressKeys: [addressKey] }]),
      ([[suppression]]) => suppression!
    )
  )
  const once = Effect.gen(function* () {
    const clock = yield* clockFacts(ids)
    const from = { now: clock.now, nanos: yield* Clock.monotonicTimeNanos }
    const load = Effect.map(suppressionNow, (suppression): MarkFinalizingFacts => ({
      ...clock,
      delivery,
      attempt,
      addressKey,
      suppression,
      leaseUntil: from.now + leaseMillis
    }))
    const permitted = yield* commit(load, (facts) => Result.succeed(markFinalizing(facts)), "once")
    return { from, permitted }
  })
  return Effect.gen(function* () {
    const { from, permitted } = yield* once.pipe(
      // An interruption during the commit would leave the phase unknown.
      Effect.uninterruptible,
      Effect.retry({
        while: (failure) => failure._tag === "Conflict" && isSuppressionChange(failure),
        schedule: pauses
      }),
      Effect.mapError((failure) =>
        failure._tag === "Conflict" && !isSuppressionChange(failure)
          ? new HandOffRevoked({ why: "lease_lost" })
          : new HandOffRevoked({ why: "not_stored" })
      )
    )
    if (!permitted) return yield* new HandOffRevoked({ why: "suppressed" })
    yield* failIfTooLate(from, leaseMillis)
  })
}
