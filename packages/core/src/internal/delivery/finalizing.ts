/**
 * The commit before the end of data of a hand-off, for a transport that signals it. For another transport, the phase begins with the attempt.
 * Sets the phase `finalizing`, and the lease unless it was set a short time ago, with the fencing token and the suppression as guards. Source:
 * decisions 0006 and 0035.
 */
import { Effect, Latch, Result, Schedule } from "effect"
import type { StartedAttempt } from "../../decide/delivery/beginAttempt.ts"
import type { MarkFinalizingFacts } from "../../decide/delivery/markFinalizing.ts"
import { isSuppressionChange, markFinalizing } from "../../decide/delivery/markFinalizing.ts"
import type { SuppressionRecord } from "../../domain/contact/Suppression.ts"
import type { IdSource } from "../../port/IdSource.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import { eventClockFacts } from "../store/clockFacts.ts"
import type { Commit } from "../store/commit.ts"
import type { ClaimLease } from "../worker/claimLease.ts"
import { confirmLease, leaseForFinalizing } from "../worker/claimLease.ts"
import { knownFirst } from "../store/knownFacts.ts"
import { HandOffRevoked } from "../../port/Transport.ts"

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

/**
 * Succeeds when the transport may send the end of data. Fails when the recipient is suppressed, when another worker has claimed the
 * delivery, or when the commit failed. Also fails by `confirmLease`.
 */
export const finalize = (
  { store, commit, ids }: FinalizingDeps,
  { delivery, attempt, suppression: suppressionAtBegin }: StartedAttempt,
  addressKey: string,
  lease: ClaimLease
): Effect.Effect<void, HandOffRevoked> => {
  const suppressionNow = knownFirst<SuppressionRecord | null, StoreUnavailable, never>(
    Effect.succeed(suppressionAtBegin),
    Effect.map(
      store.read([{ _tag: "Suppressions", projectId: delivery.projectId, addressKeys: [addressKey] }]),
      ([[suppression]]) => suppression!
    )
  )
  const once = Effect.gen(function* () {
    const leased = yield* leaseForFinalizing(lease)
    const clock = yield* eventClockFacts(ids)
    const load = Effect.map(suppressionNow, (suppression): MarkFinalizingFacts => ({
      ...clock,
      delivery,
      attempt,
      addressKey,
      suppression,
      leaseUntil: leased.leaseUntil(clock.now)
    }))
    const permitted = yield* commit(load, (facts) => Result.succeed(markFinalizing(facts)), "once")
    return { leased, permitted }
  })
  return Effect.gen(function* () {
    const { leased, permitted } = yield* once.pipe(
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
    yield* confirmLease(lease, leased)
  })
}

/**
 * Permits the end of data once in a hand-off. A second run may come from a transport that tries another relay, so a permission would hide a possible
 * duplicate. The second run waits for the end of the first, so that the core knows whether the first was permitted.
 */
export const onlyOnce = (finalizing: Effect.Effect<void, HandOffRevoked>): Effect.Effect<void, HandOffRevoked> => {
  const firstEnded = Latch.makeUnsafe(false)
  let hasRun = false
  return Effect.suspend(() => {
    if (hasRun) return Effect.andThen(firstEnded.await, Effect.fail(new HandOffRevoked({ why: "repeated" })))
    hasRun = true
    return Effect.ensuring(finalizing, firstEnded.open)
  })
}
