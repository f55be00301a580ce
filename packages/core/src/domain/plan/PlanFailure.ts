/**
 * The limit of a plan as the reason of a refusal.
 */
import * as Data from "effect/Data"
import type { PlanLimitCode } from "./Plan.ts"

/** The call would exceed a limit of the plan of the project. `code` is the limit. */
export class PlanLimitReached extends Data.TaggedError("PlanLimitReached")<{
  readonly code: PlanLimitCode
}> {
  readonly kind = "too_many_requests"
  override get message() {
    return planLimitMessages[this.code]
  }
  /** Retryable for the daily limit after midnight UTC, and for scheduled recipients after some are queued or canceled. Not retryable for the other limits. */
  get isRetryable() {
    return this.code === "daily_sending_limit_exceeded" || this.code === "scheduled_recipient_limit_exceeded"
  }
}

const planLimitMessages: Readonly<Record<PlanLimitCode, string>> = {
  daily_sending_limit_exceeded: "The message would exceed the project's daily sending limit.",
  sending_allowance_exceeded: "The message would exceed the project's sending allowance.",
  scheduled_recipient_limit_exceeded:
    "The message would exceed the number of recipients that may wait in the project's scheduled messages.",
  contact_limit_exceeded: "The contact would exceed the project's contact limit."
}
