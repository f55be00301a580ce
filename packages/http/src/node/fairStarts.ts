/**
 * Starts the requests of API keys in turn, for a short time in each round of the event loop. A thousand requests of one client at once delay
 * those of others by one round. Source: decision 0032.
 */
import { setImmediate } from "node:timers"

/** After this time, the other requests wait for the next round, so that data, timers and answers of the store have their turn. */
const roundMillis = 8

export interface FairStarts {
  /** Runs `start` at once, or in a later round if this round has no time left or the API key has requests that wait. */
  readonly enter: (apiKey: string, start: () => void) => void
}

export const makeFairStarts = (now: () => number = () => performance.now()): FairStarts => {
  /** The requests that wait, by API key. The key whose turn it is comes first. */
  const waiting = new Map<string, Array<() => void>>()
  let usedMillis = 0
  let nextRound: NodeJS.Immediate | undefined

  const run = (start: () => void) => {
    const began = now()
    start()
    usedMillis += now() - began
  }

  const beginRound = () => {
    nextRound = undefined
    usedMillis = 0
    for (const [apiKey, starts] of waiting) {
      if (usedMillis >= roundMillis) break
      const start = starts.shift()!
      waiting.delete(apiKey)
      // Its next turn comes after those of the others: a map keeps the order of insertion, and this loop meets the key again.
      if (starts.length > 0) waiting.set(apiKey, starts)
      run(start)
    }
    if (waiting.size > 0) scheduleRound()
  }
  const scheduleRound = () => {
    nextRound ??= setImmediate(beginRound)
  }

  const enter = (apiKey: string, start: () => void) => {
    scheduleRound()
    const before = waiting.get(apiKey)
    if (before !== undefined) before.push(start)
    else if (usedMillis < roundMillis) run(start)
    else waiting.set(apiKey, [start])
  }

  return { enter }
}
