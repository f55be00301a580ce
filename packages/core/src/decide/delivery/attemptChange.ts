/**
 * The change that writes a state of an attempt, and the one that ends it.
 */
import type { Attempt, AttemptOutcome, AttemptState, Delivery } from "../../domain/delivery/Delivery.ts"
import type { SmtpReply } from "../../domain/delivery/SmtpReply.ts"
import { shownReply } from "../../domain/delivery/SmtpReply.ts"
import type { Change } from "../../domain/store/Change.ts"
import type { Instant } from "../../domain/value/Instant.ts"

/** The change that writes a state of the attempt. The guard is the fencing token of its delivery and the phase that it had. */
export const attemptChange = (
  { projectId, deliveryId, number, phase }: Attempt,
  { fencingToken }: Delivery,
  next: AttemptState
): Change => ({ _tag: "TransitionAttempt", projectId, deliveryId, number, fencingToken, from: phase, next })

/** How an attempt ended. `statusMessage` is the explanation when there is no reply. */
export interface EndedAttempt {
  readonly outcome: AttemptOutcome
  readonly reply?: SmtpReply | null
  readonly statusMessage?: string | null
}

/** The change that ends an attempt of the delivery. */
export const endedAttemptChange = (
  attempt: Attempt,
  delivery: Delivery,
  { outcome, reply = null, statusMessage = null }: EndedAttempt,
  now: Instant
): Change =>
  attemptChange(attempt, delivery, {
    phase: "ended",
    outcome,
    smtpCode: reply?.smtpCode ?? null,
    enhancedCode: reply?.enhancedCode ?? null,
    statusMessage: reply === null ? statusMessage : shownReply(reply),
    durationMillis: Math.max(0, now - attempt.startedAt)
  })
