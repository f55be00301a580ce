/**
 * Starts requests in turns between API keys. A thousand requests of one client at once do not delay the requests of others. Source:
 * decision 0032.
 */
import { setImmediate } from "node:timers"

/** Requests started in one round of the event loop if only one API key sends requests. */
const startsPerRoundMax = 64
/** Requests of one API key started in one round, however many other keys send requests. */
const startsPerApiKeyMin = 8
/** How long after its last request an API key still counts in the division of a round. */
const activeMillis = 1000

interface ApiKeyTurns {
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
  const byApiKey = new Map<string, ApiKeyTurns>()
  let waiting = 0
  let nextRound: NodeJS.Immediate | undefined

  const share = () => Math.max(startsPerApiKeyMin, Math.floor(startsPerRoundMax / byApiKey.size))

  const beginRound = () => {
    nextRound = undefined
    const longAgo = now() - activeMillis
    for (const [apiKey, turns] of byApiKey) {
      turns.started = 0
      if (turns.waiting.length === 0 && turns.lastAt < longAgo) byApiKey.delete(apiKey)
    }
    const starts = share()
    for (const turns of byApiKey.values()) {
      if (turns.waiting.length === 0) continue
      turns.started = Math.min(starts, turns.waiting.length)
      waiting -= turns.started
      for (const start of turns.waiting.splice(0, starts)) start()
    }
    if (waiting > 0) scheduleRound()
  }
  const scheduleRound = () => {
    nextRound ??= setImmediate(beginRound)
  }

  const enter = (apiKey: string, start: () => void) => {
    const turns = byApiKey.get(apiKey) ?? { waiting: [], started: 0, lastAt: 0 }
    byApiKey.set(apiKey, turns)
    turns.lastAt = now()
    scheduleRound()
    if (turns.waiting.length === 0 && turns.started < share()) {
      turns.started++
      return start()
    }
    waiting++
    turns.waiting.push(start)
  }

  return { enter }
}
