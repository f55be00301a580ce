/**
 * Lets an event sender look for work less often while it would find nothing to send. Otherwise each event costs a read and a commit, also when it has no
 * subscriber. And several processes repeat the same distribution for every event, and all but one of their commits are refused. Source: decision 0092.
 */
import { Effect } from "effect"
import type { DistributedBatch } from "./eventDistribution.ts"
import { monotonicMillis } from "../worker/moment.ts"

/** The first pause of the distribution. Each further one in a row takes twice as long. */
const pauseMillisMin = 25
/** The other process may end at any time, so no event waits much longer than this. */
const pauseMillisMax = 200
/** How long the next turn waits after events without a subscriber. An event that has one waits at most so long. */
const quietMillis = 25

/** One turn of an event sender. */
export interface SenderTurn {
  /** The turn left the distribution to another process. */
  readonly isPaused: boolean
  readonly batch: DistributedBatch
  /** How many subscribers have event deliveries that are pending and that no worker has claimed. */
  readonly waitingSubscribers: number
}

export interface SenderPause {
  /** How long the distribution is left to another process; 0 when it is not. */
  readonly distributionMillis: Effect.Effect<number>
  /** How long the next turn waits; 0 when it comes at once. */
  readonly turnMillis: Effect.Effect<number>
  /** Records a turn, which can begin a pause. */
  readonly record: (turn: SenderTurn) => Effect.Effect<void>
}

/** Whether the turn had nothing to send although it was woken, and left nothing behind that can be distributed at once. */
const isQuiet = ({ isPaused, batch, waitingSubscribers }: SenderTurn): boolean => {
  if (waitingSubscribers > 0 || batch.eventDeliveries > 0 || batch.isFull) return false
  return isPaused || batch.isContended || batch.distributed > 0
}

export const makeSenderPause = (): SenderPause => {
  let nextPause = pauseMillisMin
  let until = Number.NEGATIVE_INFINITY
  let quietUntil = Number.NEGATIVE_INFINITY
  return {
    distributionMillis: Effect.map(monotonicMillis, (now) => Math.max(0, until - now)),
    turnMillis: Effect.map(monotonicMillis, (now) => Math.max(0, quietUntil - now)),
    record: (turn) =>
      Effect.map(monotonicMillis, (now) => {
        if (isQuiet(turn)) quietUntil = turn.isPaused ? Math.min(until, now + quietMillis) : now + quietMillis
        if (turn.isPaused) return
        const { isContended } = turn.batch
        if (isContended) until = now + nextPause
        nextPause = isContended ? Math.min(pauseMillisMax, 2 * nextPause) : pauseMillisMin
      })
  }
}
