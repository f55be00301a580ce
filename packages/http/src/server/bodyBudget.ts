/**
 * Bounds the memory and the time of request bodies, over all requests and for each API key. Source: decision 0032.
 */
import { makeKeyedBudget } from "@mailkeep/core/binding"
import { Context } from "effect"

export interface BodyLimits {
  /** Bytes of all request bodies in memory at once, up to the first 10 MiB of each; default 16 MiB. */
  readonly bodyBytesMax: number
  /** Bytes of the request bodies of one API key in memory at once, up to the first 10 MiB of each; default 12 MiB. */
  readonly bodyBytesPerApiKeyMax: number
  /** Bytes above the first 10 MiB of all request bodies in memory at once. Only a send with files has them. Default 22 MiB. */
  readonly largeBodyBytesMax: number
  /** Bytes above the first 10 MiB of the request bodies of one API key in memory at once; default 22 MiB. */
  readonly largeBodyBytesPerApiKeyMax: number
  /** How long one body may take to arrive, from its first read; default 60 s. */
  readonly bodyMillis: number
}

export const defaultBodyLimits: BodyLimits = {
  bodyBytesMax: 16 * 1024 * 1024,
  bodyBytesPerApiKeyMax: 12 * 1024 * 1024,
  largeBodyBytesMax: 22 * 1024 * 1024,
  largeBodyBytesPerApiKeyMax: 22 * 1024 * 1024,
  bodyMillis: 60_000
}

/** The first bytes of each body are not counted, so an ordinary send is never refused because others upload much. */
export const uncountedBodyBytes = 16 * 1024

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

/** The bytes of a body above this number belong to the budget of large bodies, so that files never take the place of other bodies. */
const ordinaryBytesMax = 10 * 1024 * 1024

/** Counts the bytes that have arrived, not the declared `Content-Length`, because a false declaration costs its sender nothing. */
export const makeBodyBudget = (limits: Partial<BodyLimits> = {}): BodyBudgetShape => {
  const all = { ...defaultBodyLimits, ...limits }
  const ordinary = makeKeyedBudget(all.bodyBytesMax, all.bodyBytesPerApiKeyMax)
  const large = makeKeyedBudget(all.largeBodyBytesMax, all.largeBodyBytesPerApiKeyMax)

  const reserve = (apiKey: string): BodyReservation => {
    const reserved = { ordinary: 0, large: 0 }
    const set = (next: typeof reserved): void => {
      ordinary.add(apiKey, next.ordinary - reserved.ordinary)
      large.add(apiKey, next.large - reserved.large)
      Object.assign(reserved, next)
    }
    const resize = (bytes: number): boolean => {
      const counted = Math.max(0, bytes - uncountedBodyBytes)
      const next = { ordinary: Math.min(counted, ordinaryBytesMax), large: Math.max(0, counted - ordinaryBytesMax) }
      const fits =
        ordinary.fits(apiKey, next.ordinary - reserved.ordinary) && large.fits(apiKey, next.large - reserved.large)
      set(fits ? next : { ordinary: 0, large: 0 })
      return fits
    }
    return { resize, release: () => set({ ordinary: 0, large: 0 }) }
  }

  return { bodyMillis: all.bodyMillis, reserve, reservedBytes: () => ordinary.total() + large.total() }
}

/** The budget of the request bodies. By default all handlers of the process share one budget with the default limits. */
export const BodyBudget = Context.Reference<BodyBudgetShape>("@mailkeep/http/server/BodyBudget", {
  defaultValue: () => makeBodyBudget()
})
