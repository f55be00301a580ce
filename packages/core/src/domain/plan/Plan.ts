/**
 * The limits of a project and the counters that are compared with them. Source: docs/spec/coverage.md S12; decision 0015.
 */
import { Schema } from "effect"
import type { UtcDay } from "../value/Instant.ts"
import { decoder, says } from "../value/Issue.ts"
import { wholeOf } from "../value/NumberRule.ts"
import type { ProjectId } from "../access/Project.ts"
import type { BucketLimit } from "./TokenBucket.ts"

/** The limits of a project. `null` means no limit; usage is counted anyway. */
export interface Plan {
  /** Recipients in one UTC day. A scheduled recipient counts on the day of its scheduled time. */
  readonly dailySends: number | null
  /** Total recipients, charged when they are queued. The operator raises this limit when needed. */
  readonly sendingAllowance: number | null
  /** Recipients in scheduled messages at the same time. */
  readonly scheduledRecipients: number | null
  readonly contacts: number | null
  /** Bytes of all files of one message. Always a number, because many relays refuse a larger message. Default: 20 MiB. */
  readonly attachmentBytes: number
  /** Requests that send mail or create a contact, for each API key and for the whole project. A batch counts once for each message. */
  readonly rateLimit: BucketLimit | null
}

/** The plan without limits, except on the files of one message. */
export const noLimits: Plan = {
  dailySends: null,
  sendingAllowance: null,
  scheduledRecipients: null,
  contacts: null,
  attachmentBytes: 20 * 1024 * 1024,
  rateLimit: null
}

const Limit = Schema.optionalKey(
  Schema.NullOr(wholeOf(0, Number.MAX_SAFE_INTEGER)).annotate(says("invalid_type", "must be a number or null"))
)
/** Parses the limits. An absent limit means no limit. */
export const parsePlan = decoder(
  Schema.Struct({
    dailySends: Limit,
    sendingAllowance: Limit,
    scheduledRecipients: Limit,
    contacts: Limit,
    attachmentBytes: Schema.optionalKey(wholeOf(0, Number.MAX_SAFE_INTEGER)),
    rateLimit: Schema.optionalKey(
      Schema.NullOr(
        Schema.Struct({
          requests: wholeOf(1, Number.MAX_SAFE_INTEGER),
          windowMillis: wholeOf(1, Number.MAX_SAFE_INTEGER)
        })
      ).annotate(says("invalid_type", "must be an object or null"))
    )
  })
)

/** The name of a counter of a project. */
export type CounterName =
  | "scheduledRecipients"
  | "allowance"
  | "contacts"
  /** Contacts that are unsubscribed. */
  | "unsubscribed"
  | `daily:${UtcDay}`
  /** Contacts on a list. */
  | `list:${string}`
  /** Contacts with a value of a property. */
  | `property:${string}`
  /** Deliveries that were charged to the allowance and deleted with their message. */
  | "deletedCharged"
  /** Deliveries of a day that were deleted with their message. */
  | `deletedDaily:${UtcDay}`

/** The counters of sending that a plan limits. A decision counts contacts by `contactCounts`. */
export type UsageCounter = "scheduledRecipients" | "allowance" | ReturnType<typeof dailyCounter>

export const dailyCounter = (day: UtcDay): `daily:${UtcDay}` => `daily:${day}`

/** A counter of a project and its value. */
export interface Counter {
  readonly projectId: ProjectId
  readonly name: CounterName
  readonly value: number
}

/** The `code` of a plan refusal. Source: docs/spec/coverage.md S11.10; decision 0015. */
export type PlanLimitCode =
  | "daily_sending_limit_exceeded"
  | "sending_allowance_exceeded"
  | "scheduled_recipient_limit_exceeded"
  | "contact_limit_exceeded"

/** The numbers of a limit that a call would exceed: `used` and `requested` together are more than `limit`. */
export interface LimitExcess {
  readonly limit: number
  /** What counts toward the limit already. It can be more than the limit, which may have been lowered. */
  readonly used: number
  /** What the call would add: recipients, or one contact. */
  readonly requested: number
}

/** Returns the numbers of the limit when `used` and `requested` together exceed it, otherwise `undefined`. */
export const excessOf = (limit: number | null, used: number, requested: number): LimitExcess | undefined =>
  limit === null || used + requested <= limit ? undefined : { limit, used, requested }
