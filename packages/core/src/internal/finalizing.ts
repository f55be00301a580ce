/**
 * The commit before the final bytes of a hand-off: phase `dot`, under the fencing token, with the suppression as a guard and the lease renewed.
 * Source: decisions 0006 and 0035.
 */
import { Clock, Effect, Schedule } from "effect"
import type { Begun } from "../decide/beginAttempt.ts"
import { markDot } from "../decide/beginAttempt.ts"
import type { Conflict } from "../domain/Change.ts"
import { idAt } from "../domain/Id.ts"
import type { IdSource } from "../port/IdSource.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import { HandOffRevoked } from "../port/Transport.ts"

export interface FinalizingDeps {
  readonly store: MailStoreShape
  readonly ids: IdSource["Service"]
  readonly addressKey: (address: string) => string
}

/** Retries after the first commit: three at once, then after 10 ms, doubled each time; about 5 s in all. */
const retriesMax = 12
const pauses = Schedule.recurs(retriesMax).pipe(
  Schedule.addDelay(({ output }) => Effect.succeed(output < 3 ? 0 : 10 * 2 ** (output - 3)))
)

/** Only the suppression may have changed meanwhile; any other conflict means that another worker has the delivery. */
const isSuppressionChange = (failure: Conflict | StoreUnavailable): boolean =>
  failure._tag === "Conflict" && failure.change === "Expect"

/** Time since `from`, by the clock that went further: the monotonic clock stops while the machine is suspended, the wall clock may be set back. */
const elapsedMillisSince = (from: { readonly now: number; readonly nanos: bigint }): Effect.Effect<number> =>
  Effect.zipWith(Clock.currentTimeMillis, Clock.monotonicTimeNanos, (now, nanos) =>
    Math.max(now - from.now, Number((nanos - from.nanos) / 1_000_000n))
  )

/**
 * Succeeds when the final bytes may go. Fails when the recipient is suppressed, when another worker has the delivery, when the commit could
 * not be made, and when so much time passed since the commit began that half of the lease is gone: the process may have been frozen, and
 * the lease may end before the final bytes.
 */
export const finalize = (
  { store, ids, addressKey }: FinalizingDeps,
  { delivery, attempt }: Begun,
  leaseMillis: number
): Effect.Effect<void, HandOffRevoked> => {
  const once = Effect.gen(function* () {
    const from = { now: yield* Clock.currentTimeMillis, nanos: yield* Clock.monotonicTimeNanos }
    const key = addressKey(delivery.address)
    const [[suppression]] = yield* store.read([
      { _tag: "Suppressions", projectId: delivery.projectId, addressKeys: [key] }
    ])
    const { changes, answer } = markDot({
      now: from.now,
      eventId: idAt(yield* ids.reserve(from.now, 1), "evt", 0),
      delivery,
      attempt,
      addressKey: key,
      suppression: suppression!,
      leaseUntil: from.now + leaseMillis
    })
    yield* store.commit(changes)
    return { from, answer }
  })
  return Effect.gen(function* () {
    const { from, answer } = yield* once.pipe(
      // Interrupted half-way, the phase would be unknown.
      Effect.uninterruptible,
      Effect.retry({ while: isSuppressionChange, schedule: pauses }),
      Effect.mapError((failure) =>
        failure._tag === "Conflict" && failure.change !== "Expect"
          ? new HandOffRevoked({ why: "lease_lost" })
          : new HandOffRevoked({ why: "not_recorded" })
      )
    )
    if (!answer) return yield* new HandOffRevoked({ why: "suppressed" })
    if ((yield* elapsedMillisSince(from)) > leaseMillis / 2) return yield* new HandOffRevoked({ why: "lease_lost" })
  })
}
