/**
 * When a send may be scheduled for. Source: interface, Send an email, rule 5; decision 0004.
 */
import { Schema } from "effect"
import type { Instant } from "./Instant.ts"
import { dayMillis } from "./Instant.ts"
import type { Issue } from "./Issue.ts"
import { decoder, issue } from "./Issue.ts"
import { InstantMillis } from "./NumberRule.ts"
import { Timestamp } from "./TextRule.ts"

export const aheadMillisMax = 30 * dayMillis

/** What is wrong with the time, if anything. */
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

/** The same in process, where a time is UTC milliseconds. */
export const parseScheduledAt = decoder(Schema.Struct({ scheduledAt: InstantMillis }))
