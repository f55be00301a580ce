/**
 * Lets a busy dispatcher claim in batches. Each claim is a commit with a disk sync. While there is a backlog, the end of every hand-off would
 * otherwise cause three claims, and hand-offs that begin one by one share no commit.
 */
import { Clock, Effect } from "effect"

/** The part of the hand-offs that must be free before a busy dispatcher claims again. */
const batchFraction = 1 / 4
/** How long a busy dispatcher waits at most for a batch. A slow hand-off thus delays no other one by more than this. */
const batchWaitMillis = 10
/** How often a busy dispatcher looks for scheduled and abandoned deliveries. */
const queueingAndRecoveryMillis = 100

/** What the next turn does: nothing for `waitMillis`, or the claims of all kinds, or those for hand-offs alone. */
interface TurnPlan {
  readonly waitMillis: number
  readonly only: "all" | "handOffs"
}

export interface BusyTurns {
  /** `free` is how many hand-offs may start. */
  readonly plan: (free: number) => Effect.Effect<TurnPlan>
  /** Records how many deliveries a turn claimed for hand-offs. */
  readonly record: (claimed: number) => void
}

/** `concurrency` is how many hand-offs run at once. */
export const makeBusyTurns = (concurrency: number): BusyTurns => {
  const batch = Math.ceil(concurrency * batchFraction)
  /** The last turn claimed deliveries, so there may be more. */
  let isBusy = false
  let claimedAt = Number.NEGATIVE_INFINITY
  let queuedAt = Number.NEGATIVE_INFINITY
  return {
    plan: (free) =>
      Effect.map(Clock.monotonicTimeNanos, (nanos): TurnPlan => {
        const now = Number(nanos / 1_000_000n)
        const isQueueingDue = now - queuedAt >= queueingAndRecoveryMillis
        if (isBusy && !isQueueingDue && free < batch && now - claimedAt < batchWaitMillis)
          return { waitMillis: claimedAt + batchWaitMillis - now, only: "handOffs" }
        claimedAt = now
        if (isBusy && !isQueueingDue) return { waitMillis: 0, only: "handOffs" }
        queuedAt = now
        return { waitMillis: 0, only: "all" }
      }),
    record: (claimed) => {
      isBusy = claimed > 0
    }
  }
}
