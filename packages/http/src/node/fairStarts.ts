/**
 * Starts requests in turns between API keys, so that a thousand requests that one client sends at once delay nobody else's by their sum.
 * Source: decision 0032.
 */
import { setImmediate } from "node:timers"

/** Requests started in one round of the event loop, if one API key alone sends them. */
const startsPerRoundMax = 64
/** Requests of one API key started in one round, however many others there are. */
const startsPerApiKeyMin = 8
/** An API key shares the rounds for so long after its last request. */
const activeMillis = 1000

interface ApiKeyTurns {
  readonly waiting: Array<() => void>
  /** Started in this round. */
  started: number
  lastAt: number
}

export interface FairStarts {
  /** Runs the start at once, or in a later round when the API key has used up its share of this one. */
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
