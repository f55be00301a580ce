/**
 * Keeps the concurrency limit of the relay for one process: records the results of hand-offs, and says how many may start. Source: decision 0041.
 */
import { Clock, Effect } from "effect"
import type { HandOffResult } from "../../decide/delivery/handOffResult.ts"
import type { HealthOfRelay } from "../../decide/observability/decideHealth.ts"
import type { RelayFault, RelayLimitState } from "./relayLimitState.ts"
import {
  circuitOf,
  freeHandOffsOf,
  initialRelayLimit,
  pausedUntilOf,
  relayLimitAfter,
  relayNews
} from "./relayLimitState.ts"

/** How the relay is doing, as this process sees it. */
export interface RelayHealth extends HealthOfRelay {
  /** The last fault of the relay; `null` before the first. Its text may contain an address. */
  readonly lastFault: RelayFault | null
}

/** The concurrency limit of the relay, as this process sees it. */
export interface RelayLimiter {
  /** Sets how many hand-offs may run at once while the relay is well. */
  readonly setLimit: (limit: number) => Effect.Effect<void>
  readonly record: (result: HandOffResult) => Effect.Effect<void>
  /** Counts a hand-off as under way while it runs. */
  readonly duringHandOff: <A, E, R>(handOff: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** How many more hand-offs may start while `underWay` run. */
  readonly free: (underWay: number) => Effect.Effect<number>
  readonly health: Effect.Effect<RelayHealth>
}

export const makeRelayLimiter = (): RelayLimiter => {
  let limitMax = 1
  let inFlight = 0
  let state: RelayLimitState = initialRelayLimit(limitMax)
  return {
    setLimit: (limit) =>
      Effect.sync(() => {
        limitMax = limit
        state = { ...state, limit }
      }),
    record: (result) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const before = state
        state = relayLimitAfter(state, result, { now, limitMax })
        const news = relayNews(before, state)
        return news === undefined ? Effect.void : Effect.logWarning(news)
      }),
    duringHandOff: (handOff) =>
      Effect.suspend(() => {
        inFlight++
        return Effect.ensuring(
          handOff,
          Effect.sync(() => inFlight--)
        )
      }),
    free: (underWay) => Effect.map(Clock.currentTimeMillis, (now) => freeHandOffsOf(state, underWay, now)),
    health: Effect.map(Clock.currentTimeMillis, (now) => ({
      circuit: circuitOf(state),
      pausedUntil: pausedUntilOf(state, now),
      lastFault: state.lastFault,
      inFlight
    }))
  }
}
