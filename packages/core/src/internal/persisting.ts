/**
 * The way a worker writes what must not be dropped: again and again until it stands.
 */
import { Duration, Effect } from "effect"
import type { Conflict } from "../domain/Change.ts"
import { secondMillis } from "../domain/Instant.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"

/** Past so many conflicts on end it is worth a pause. */
const conflictsMax = 64
const patienceMillisMax = 5 * secondMillis

/**
 * Looks, decides and commits until it stands: at once after a conflict, patiently while the store is out of reach. A commit that
 * failed is unknown, and a claimed delivery must not be dropped. Only the waiting can be interrupted; what is left then is taken up
 * when the lease is over.
 */
export const persisting = <A>(once: Effect.Effect<A, Conflict | StoreUnavailable>, waitMillis = 50): Effect.Effect<A> =>
  once.pipe(
    Effect.retry({ while: ({ _tag }) => _tag === "Conflict", times: conflictsMax }),
    Effect.uninterruptible,
    Effect.catch(() =>
      Effect.andThen(
        Effect.interruptible(Effect.sleep(Duration.millis(waitMillis))),
        Effect.suspend(() => persisting(once, Math.min(patienceMillisMax, waitMillis * 2)))
      )
    )
  )
