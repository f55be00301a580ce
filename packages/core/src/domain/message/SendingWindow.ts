/**
 * The allowed range of a scheduled time. Source: docs/spec/coverage.md S6.19; decision 0004.
 */
import { Result, Schema } from "effect"
import type { Instant } from "../value/Instant.ts"
import { dayMillis, instantOfInput } from "../value/Instant.ts"
import type { Issue } from "../value/Issue.ts"
import { decoder, issue } from "../value/Issue.ts"
import { Timestamp } from "../value/TextRule.ts"
import { Time } from "../value/TimeRule.ts"

const aheadMillisMax = 30 * dayMillis

/** Returns what is wrong with the scheduled time, or `undefined` if it is valid. */
export const windowIssue = (scheduledAt: Instant, now: Instant): Issue | undefined =>
  scheduledAt <= now
    ? issue(["scheduledAt"], "not_in_future", "must be in the future")
    : scheduledAt > now + aheadMillisMax
      ? issue(["scheduledAt"], "too_far_ahead", "must be at most 30 days ahead")
      : undefined

/** The schema of the new time of a scheduled message. */
export const RescheduleBody = Schema.Struct({ scheduledAt: Timestamp }).annotate({
  identifier: "RescheduleMessageRequest"
})

/** Parses the new time of a scheduled message. Only a decision checks whether the time is in the allowed range. */
export const parseReschedule = decoder(RescheduleBody)

const decodeScheduledAt = decoder(Schema.Struct({ scheduledAt: Time }))

/** Parses the new time of a message, as a program gives it. */
export const parseScheduledAt = (scheduledAt: unknown): Result.Result<Instant, ReadonlyArray<Issue>> =>
  Result.map(decodeScheduledAt({ scheduledAt }), (valid) => instantOfInput(valid.scheduledAt)!)
