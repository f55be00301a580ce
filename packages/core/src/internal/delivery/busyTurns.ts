/**
 * Lets a busy dispatcher claim in batches, and seldom for anything but hand-offs. Each claim is a commit with a disk sync. The end of every hand-off and
 * every commit of another process would otherwise cause three claims, and hand-offs that begin one by one share no commit.
 */
import { Effect } from "effect"
import { monotonicMillis } from "../worker/moment.ts"

/** The part of the hand-offs that must have ended before a busy dispatcher claims again. */
const batchFraction = 1 / 4
/** How long a busy dispatcher waits at most for a batch. A slow hand-off thus delays no other one by more than this. */
const batchWaitMillis = 10
/** How often a dispatcher that is woken looks for scheduled and abandoned deliveries, unless one is due. */
const queueingAndRecoveryMillis = 500

/** What the next turn does: nothing for `waitMillis`, or the claims of all kinds, or those for hand-offs alone. */
interface TurnPlan {
  readonly waitMillis: number
  readonly claims: "all" | "handOffs"
}

/**
 * Whether there is news of mail: `claimable` if a hand-off of it may start. With `ofFullProjects`, its projects have as many hand-offs under way as they
 * may have. With `none`, only a hand-off or a wait has ended.
 */
export type MailNews = "claimable" | "ofFullProjects" | "none"

/** What woke the dispatcher. */
interface TurnFacts {
  /** How many hand-offs have ended since the start. */
  readonly ended: number
  readonly news: MailNews
}

export interface BusyTurns {
  readonly plan: (facts: TurnFacts) => Effect.Effect<TurnPlan>
  /** Records how many deliveries a turn claimed for hand-offs. */
  readonly record: (claimed: number) => void
  /** Records that a delivery is due that a turn for hand-offs alone did not claim. The next turn claims all kinds. */
  readonly recordOtherDue: () => void
}

/** `concurrency` is how many hand-offs run at once. */
export const makeBusyTurns = (concurrency: number): BusyTurns => {
  const batch = Math.ceil(concurrency * batchFraction)
  /** The last turn claimed deliveries, so there may be more. */
  let isBusy = false
  let endedBeforeClaim = 0
  let claimedAt = Number.NEGATIVE_INFINITY
  let queuedAt = Number.NEGATIVE_INFINITY
  let isOtherDue = false

  /** How long the next claim for hand-offs waits for a batch. */
  const batchWait = ({ ended, news }: TurnFacts, now: number): number => {
    const endedSince = ended - endedBeforeClaim
    if (news === "claimable" || endedSince >= batch) return 0
    if (endedSince > 0) return isBusy ? Math.max(0, claimedAt + batchWaitMillis - now) : 0
    // The last claim took what it could.
    return isBusy || news === "ofFullProjects" ? queuedAt + queueingAndRecoveryMillis - now : 0
  }

  return {
    plan: (facts) =>
      Effect.map(monotonicMillis, (now): TurnPlan => {
        const claims = isOtherDue || now - queuedAt >= queueingAndRecoveryMillis ? "all" : "handOffs"
        const waitMillis = claims === "all" ? 0 : batchWait(facts, now)
        if (waitMillis > 0) return { waitMillis, claims }
        claimedAt = now
        endedBeforeClaim = facts.ended
        if (claims === "all") {
          queuedAt = now
          isOtherDue = false
        }
        return { waitMillis: 0, claims }
      }),
    record: (claimed) => {
      isBusy = claimed > 0
    },
    recordOtherDue: () => {
      isOtherDue = true
    }
  }
}
