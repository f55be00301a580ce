/**
 * Starts the requests of each lane in turn, for a short time in each round of the event loop. A thousand requests of one client at once delay
 * those of others by one round. Source: decision 0032.
 */
import { setImmediate } from "node:timers"

/** After this time, the other requests wait for the next round, so that data, timers and answers of the store have their turn. */
const roundMillis = 2

export interface FairStarts {
  /** Runs `start` at once, or in a later round if this round has no time left or the lane has requests that wait. */
  readonly enter: (lane: string, start: () => void) => void
}

export const makeFairStarts = (now: () => number = () => performance.now()): FairStarts => {
  /** The requests that wait, by lane. The lane whose turn it is comes first. */
  const waiting = new Map<string, Array<() => void>>()
  /** When the first request of this round started; `undefined` before it. */
  let roundBegan: number | undefined
  let nextRound: NodeJS.Immediate | undefined

  /** The whole time since the first start counts: much of the work of a request follows its start, in the same round. */
  const hasTime = (): boolean => now() - (roundBegan ??= now()) < roundMillis

  const beginRound = () => {
    nextRound = undefined
    roundBegan = undefined
    for (const [lane, starts] of waiting) {
      if (!hasTime()) break
      const start = starts.shift()!
      waiting.delete(lane)
      // Its next turn comes after those of the others: a map keeps the order of insertion, and this loop meets the lane again.
      if (starts.length > 0) waiting.set(lane, starts)
      start()
    }
    if (roundBegan !== undefined) scheduleRound()
  }
  const scheduleRound = () => {
    nextRound ??= setImmediate(beginRound)
  }

  const enter = (lane: string, start: () => void) => {
    scheduleRound()
    const before = waiting.get(lane)
    if (before !== undefined) before.push(start)
    else if (hasTime()) start()
    else waiting.set(lane, [start])
  }

  return { enter }
}
