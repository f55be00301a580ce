/**
 * Repeats a call while the store is unavailable for a short time.
 */
import { Effect, Schedule } from "effect"
import type { StoreUnavailable } from "../../port/MailStore.ts"

const busySchedule = Schedule.min([Schedule.exponential("20 millis"), Schedule.spaced("1 second")]).pipe(
  Schedule.jittered,
  Schedule.upTo({ duration: "30 seconds" })
)

const isBusy = (failure: unknown): boolean => {
  const { _tag, isRetryable, reason } = failure as Partial<StoreUnavailable>
  return _tag === "StoreUnavailable" && isRetryable === true && reason !== "full"
}

/** Retries for up to 30 s while the store is temporarily unavailable. Almost every call succeeds at once, and then costs no retry. */
export const retryWhileBusy = <A, E>(
  effect: Effect.Effect<A, E | StoreUnavailable>
): Effect.Effect<A, E | StoreUnavailable> =>
  Effect.catch(effect, (failure) =>
    isBusy(failure) ? Effect.retry(effect, { schedule: busySchedule, while: isBusy }) : Effect.fail(failure)
  )
