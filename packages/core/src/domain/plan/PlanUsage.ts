/**
 * How much of its plan a project has used, and on which days. Source: decision 0015.
 */
import { Result, Schema } from "effect"
import type { Instant, TimeInput, UtcDay } from "../value/Instant.ts"
import { dayMillis, utcDayOf } from "../value/Instant.ts"
import type { Issue } from "../value/Issue.ts"
import { decoder, issue } from "../value/Issue.ts"
import { boundOrNull, timeBound } from "../value/TimeBound.ts"

/** Which days `PlanUsage.days` has. */
export interface PlanUsageInput {
  /** A time on the first UTC day, such as `2026-11-01`. Default: today. */
  readonly startDate?: TimeInput | null | undefined
  /** A time on the last UTC day. Default: today. There are at most 366 days. */
  readonly endDate?: TimeInput | null | undefined
}

/** The use of one limit. */
export interface LimitUsage {
  readonly used: number
  /** `null`: no limit. */
  readonly limit: number | null
}

/** The recipients that count on one UTC day. */
export interface DayUsage {
  readonly day: UtcDay
  /** Recipients of accepted messages, and those of messages that are scheduled for the day. Canceled and suppressed ones do not count. */
  readonly recipients: number
}

/** How much of its plan a project has used. */
export interface PlanUsage {
  /** Recipients that count today, which is a UTC day. */
  readonly dailySends: LimitUsage
  readonly sendingAllowance: LimitUsage
  readonly scheduledRecipients: LimitUsage
  readonly contacts: LimitUsage
  /** The days of the input, oldest first, also those without recipients. */
  readonly days: ReadonlyArray<DayUsage>
}

const daysMax = 366

const decode = decoder(Schema.Struct({ startDate: timeBound("start"), endDate: timeBound("end") }))

/** Validates which days to count. Returns these days, oldest first. */
export const parsePlanUsage = (
  input: unknown,
  now: Instant
): Result.Result<ReadonlyArray<UtcDay>, ReadonlyArray<Issue>> =>
  Result.flatMap(decode(input), ({ startDate, endDate }) => {
    const first = Math.floor((boundOrNull(startDate, "start") ?? now) / dayMillis)
    const last = Math.floor((boundOrNull(endDate, "end") ?? now) / dayMillis)
    if (first > last)
      return Result.fail([
        issue(["startDate"], "invalid_value", "must not be after endDate, which is today by default")
      ])
    if (last - first >= daysMax)
      return Result.fail([
        issue(["startDate"], "too_large", `must be at most ${daysMax} days before the end of endDate`)
      ])
    return Result.succeed(Array.from({ length: last - first + 1 }, (_, n) => utcDayOf((first + n) * dayMillis)))
  })
