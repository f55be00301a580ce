/**
 * Bounds how long the core waits for what it asks about the limits of a project. An adapter that never answered would keep each call that asks it.
 */
import { Duration, Effect } from "effect"
import { secondMillis } from "../../domain/value/Instant.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"

/** The longest that one answer may take. As long as the store waits for a silent server (decision 0096). */
export const answerMillisMax = 10 * secondMillis

/** Runs `tooLate` after 10 s without an answer. */
export const inTime = <A, E>(
  answer: Effect.Effect<A, E>,
  tooLate: Effect.Effect<never, StoreUnavailable>
): Effect.Effect<A, E | StoreUnavailable> =>
  Effect.timeoutOrElse(answer, { duration: Duration.millis(answerMillisMax), orElse: () => tooLate })
