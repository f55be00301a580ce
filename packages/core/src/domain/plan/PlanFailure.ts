/**
 * The limit of a plan as the reason of a refusal.
 */
import * as Data from "effect/Data"
import type { LimitExcess, PlanLimitCode } from "./Plan.ts"

/**
 * The call would exceed a limit of the plan of the project. `code` is the limit. `excess` has its numbers, such as
 * `{ limit: 500, used: 498, requested: 3 }`. It is absent over HTTP, where the interface has only `code`.
 */
export class PlanLimitReached extends Data.TaggedError("PlanLimitReached")<{
  readonly code: PlanLimitCode
  readonly excess?: LimitExcess | undefined
}> {
  readonly kind = "too_many_requests"
  override get message() {
    const sentence = planLimitMessages[this.code]
    if (sentence === undefined || this.excess === undefined) return sentence
    const { limit, used, requested } = this.excess
    return `${sentence} Limit: ${limit}, used: ${used}, requested: ${requested}.`
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
