/**
 * Bounds the memory and the time of request bodies, over all requests and for each API key. Source: decision 0032.
 */
import { Context } from "effect"

export interface BodyLimits {
  /** Bytes of all request bodies in memory at once; default 24 MiB. */
  readonly bodyBytesMax: number
  /** Bytes of the request bodies of one API key in memory at once; default 12 MiB. */
  readonly bodyBytesPerApiKeyMax: number
  /** How long one body may take to arrive, from its first read; default 60 s. */
  readonly bodyMillis: number
}

export const defaultBodyLimits: BodyLimits = {
  bodyBytesMax: 24 * 1024 * 1024,
  bodyBytesPerApiKeyMax: 12 * 1024 * 1024,
  bodyMillis: 60_000
}

/** The first bytes of each body are not counted, so an ordinary send is never refused because others upload much. */
export const uncountedBytes = 16 * 1024

export interface BodyReservation {
  /** Sets how many bytes the body takes. Returns `false` and reserves nothing if the bytes exceed the budget. */
  readonly resize: (bytes: number) => boolean
  readonly release: () => void
}

export interface BodyBudgetShape {
  readonly bodyMillis: number
  /** An empty reservation for one body of the API key. */
  readonly reserve: (apiKey: string) => BodyReservation
  /** Bytes that all bodies reserve at the moment. */
  readonly reservedBytes: () => number
}

/** Counts the bytes that have arrived, not the declared `Content-Length`, because a false declaration costs its sender nothing. */
export const makeBodyBudget = (limits: Partial<BodyLimits> = {}): BodyBudgetShape => {
  const { bodyBytesMax, bodyBytesPerApiKeyMax, bodyMillis } = { ...defaultBodyLimits, ...limits }
  const byApiKey = new Map<string, number>()
  let total = 0

  const reserve = (apiKey: string): BodyReservation => {
    let reserved = 0
    const set = (bytes: number) => {
      const ofApiKey = (byApiKey.get(apiKey) ?? 0) + bytes - reserved
      if (ofApiKey === 0) byApiKey.delete(apiKey)
      else byApiKey.set(apiKey, ofApiKey)
      total += bytes - reserved
      reserved = bytes
    }
    const resize = (bytes: number): boolean => {
      const counted = Math.max(0, bytes - uncountedBytes)
      const more = counted - reserved
      const fits = total + more <= bodyBytesMax && (byApiKey.get(apiKey) ?? 0) + more <= bodyBytesPerApiKeyMax
      if (counted !== reserved) set(more <= 0 || fits ? counted : 0)
      return more <= 0 || fits
    }
    return { resize, release: () => set(0) }
  }

  return { bodyMillis, reserve, reservedBytes: () => total }
}

/** The budget of the request bodies. By default all handlers of the process share one budget with the default limits. */
export const BodyBudget = Context.Reference<BodyBudgetShape>("@mailkeep/http/server/BodyBudget", {
  defaultValue: () => makeBodyBudget()
})
