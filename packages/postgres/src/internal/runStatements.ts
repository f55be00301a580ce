/**
 * Runs work on the server as an effect: repeats what lost against another transaction, and converts the failures.
 */
import type { StoreUnavailable } from "@mailkeep/core/adapter"
import { Effect, Schedule } from "effect"
import { defectOf, unavailableOf, unreadableOf } from "./postgresFailure.ts"
import { isConnectionLost, isRepeatable, isSilence, isUniqueViolation } from "./sqlStates.ts"

/** Waits after a conflict with another transaction, 5 s in all. */
const contendedSchedule = Schedule.min([Schedule.exponential("2 millis"), Schedule.spaced("50 millis")]).pipe(
  Schedule.jittered,
  Schedule.upTo({ duration: "5 seconds" })
)

/** The transaction can run again. Another one may have written the same unique value. */
export const isLost = (cause: unknown): boolean => isRepeatable(cause) || isUniqueViolation(cause)

/** Runs a transaction. Repeats it when it lost against another transaction. The signal is aborted when the caller is interrupted. */
export const attempt = <A>(run: (signal: AbortSignal) => Promise<A>, isRepeated = isLost): Effect.Effect<A, unknown> =>
  Effect.tryPromise({ try: run, catch: (cause) => cause }).pipe(
    Effect.retry({ schedule: contendedSchedule, while: isRepeated })
  )

/** Fails with `StoreUnavailable`, or dies of a bug. */
const orUnavailable = <A>(
  effect: Effect.Effect<A, unknown>,
  failureOf = unavailableOf
): Effect.Effect<A, StoreUnavailable> =>
  Effect.catch(effect, (cause) => {
    const failure = failureOf(cause)
    return failure === undefined ? Effect.die(defectOf(cause)) : Effect.fail(failure)
  })

/** Runs a write that is not part of a group. */
export const attemptWrite = <A>(run: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, StoreUnavailable> =>
  orUnavailable(attempt(run))

const lostConnectionsMax = 2

/** Runs a read. Repeats it at once on another connection when the connection was lost, because the pool may have kept dead ones. */
export const attemptRead = <A>(run: () => Promise<A>): Effect.Effect<A, StoreUnavailable> =>
  orUnavailable(
    Effect.retry(attempt(run), {
      times: lostConnectionsMax,
      while: (cause) => isConnectionLost(cause) && !isSilence(cause)
    }),
    unreadableOf
  )
