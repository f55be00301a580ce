/**
 * A project's limits and the counters they are held against. Source: interface, Limits; decision 0015.
 */
import { Schema } from "effect"
import type { UtcDay } from "./Instant.ts"
import { decoder, says } from "./Issue.ts"
import { wholeOf } from "./NumberRule.ts"
import type { ProjectId } from "./Project.ts"
import type { BucketLimit } from "./TokenBucket.ts"

/** Each limit is off when `null`. Usage is counted all the same. */
export interface Plan {
  /** Recipients a day, in UTC; a scheduled one counts on the day it is scheduled for. */
  readonly dailySends: number | null
  /** Recipients in all, charged when sent; a total that the operator raises. */
  readonly sendingAllowance: number | null
  /** Recipients waiting in scheduled messages at once. */
  readonly scheduledRecipients: number | null
  readonly contacts: number | null
  /** Requests that send or create a contact, for each key and then for the project. */
  readonly rateLimit: BucketLimit | null
}

export const unlimited: Plan = {
  dailySends: null,
  sendingAllowance: null,
  scheduledRecipients: null,
  contacts: null,
  rateLimit: null
}

const Limit = Schema.optionalKey(
  Schema.NullOr(wholeOf(0, Number.MAX_SAFE_INTEGER)).annotate(says("invalid_type", "must be a number or null"))
)
/** Reads the limits that are given; the others are off. */
export const parsePlan = decoder(
  Schema.Struct({
    dailySends: Limit,
    sendingAllowance: Limit,
    scheduledRecipients: Limit,
    contacts: Limit,
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
  | "waiting"
  | "allowance"
  | "contacts"
  /** Contacts that are unsubscribed. */
  | "unsubscribed"
  | `daily:${UtcDay}`
  /** Contacts on a list. */
  | `list:${string}`
  /** Contacts with a value of a property. */
  | `property:${string}`

export const dailyCounter = (day: UtcDay): CounterName => `daily:${day}`

export interface Counter {
  readonly projectId: ProjectId
  readonly name: CounterName
  readonly value: number
}

/** The `code` of a plan refusal. Source: interface, Errors; decision 0015. */
export type PlanLimitCode =
  | "daily_sending_limit_exceeded"
  | "sending_allowance_exceeded"
  | "scheduled_recipient_limit_exceeded"
  | "contact_limit_exceeded"

/** Whether `used + more` stays within the limit. */
export const fits = (limit: number | null, used: number, more: number): boolean =>
  limit === null || used + more <= limit
