/**
 * The allowed range of a scheduled time. Source: interface, Send an email, rule 5; decision 0004.
 */
import { Schema } from "effect"
import type { Instant } from "./Instant.ts"
import { dayMillis } from "./Instant.ts"
import type { Issue } from "./Issue.ts"
import { decoder, issue } from "./Issue.ts"
import { InstantMillis } from "./NumberRule.ts"
import { Timestamp } from "./TextRule.ts"

export const aheadMillisMax = 30 * dayMillis

/** Returns what is wrong with the scheduled time, or `undefined` if it is valid. */
export const windowIssue = (scheduledAt: Instant, now: Instant): Issue | undefined =>
  scheduledAt <= now
    ? issue(["scheduledAt"], "not_in_future", "must be in the future")
    : scheduledAt > now + aheadMillisMax
      ? issue(["scheduledAt"], "too_far_ahead", "must be at most 30 days ahead")
      : undefined

export const RescheduleBody = Schema.Struct({ scheduledAt: Timestamp }).annotate({
  identifier: "RescheduleMessageRequest"
})

export const parseReschedule = decoder(RescheduleBody)

/** The in-process form, with a time in UTC milliseconds. */
export const parseScheduledAt = decoder(Schema.Struct({ scheduledAt: InstantMillis }))
