/**
 * Starts the requests of API keys round-robin. A thousand requests of one client at once do not delay the requests of others. Source:
 * decision 0032.
 */
import { setImmediate } from "node:timers"

/** Requests started in one round of the event loop if only one API key sends requests. */
const startsPerRoundMax = 64
/** Requests of one API key started in one round, however many other keys send requests. */
const startsPerApiKeyMin = 8
/** How long after its last request an API key still counts in the division of a round. */
const activeMillis = 1000

interface ApiKeyQueue {
  readonly waiting: Array<() => void>
  /** The number of requests started in this round. */
  started: number
  lastAt: number
}

export interface FairStarts {
  /** Runs `start` at once, or in a later round if the API key has used up its share of this round. */
  readonly enter: (apiKey: string, start: () => void) => void
}

export const makeFairStarts = (now: () => number = () => performance.now()): FairStarts => {
  const byApiKey = new Map<string, ApiKeyQueue>()
  let waiting = 0
  let nextRound: NodeJS.Immediate | undefined

  const share = () => Math.max(startsPerApiKeyMin, Math.floor(startsPerRoundMax / byApiKey.size))

  const beginRound = () => {
    nextRound = undefined
    const longAgo = now() - activeMillis
    for (const [apiKey, queue] of byApiKey) {
      queue.started = 0
      if (queue.waiting.length === 0 && queue.lastAt < longAgo) byApiKey.delete(apiKey)
    }
    const starts = share()
    for (const queue of byApiKey.values()) {
      if (queue.waiting.length === 0) continue
      queue.started = Math.min(starts, queue.waiting.length)
      waiting -= queue.started
      for (const start of queue.waiting.splice(0, starts)) start()
    }
    if (waiting > 0) scheduleRound()
  }
  const scheduleRound = () => {
    nextRound ??= setImmediate(beginRound)
  }

  const enter = (apiKey: string, start: () => void) => {
    const queue = byApiKey.get(apiKey) ?? { waiting: [], started: 0, lastAt: 0 }
    byApiKey.set(apiKey, queue)
    queue.lastAt = now()
    scheduleRound()
    if (queue.waiting.length === 0 && queue.started < share()) {
      queue.started++
      return start()
    }
    waiting++
    queue.waiting.push(start)
  }

  return { enter }
}
