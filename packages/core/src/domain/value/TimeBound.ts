/**
 * A bound of a span of time in the input of a program: a time, or a whole UTC day.
 */
import { Schema } from "effect"
import type { Instant } from "./Instant.ts"
import { instantOfInput, parseInstantOrDay } from "./Instant.ts"
import { says } from "./Issue.ts"

/** Which end of its UTC day a date without a time means. */
export type DayEdge = "start" | "end"

/** Converts a bound; `undefined` if the value is not a time. */
const instantOfBound = (value: unknown, edge: DayEdge): Instant | undefined =>
  typeof value === "string" ? parseInstantOrDay(value, edge) : instantOfInput(value)

/** The field of a bound, which may be absent or `null`. */
export const timeBound = (edge: DayEdge) =>
  Schema.optionalKey(
    Schema.Unknown.check(
      Schema.makeFilter(
        (value: unknown) => value === null || instantOfBound(value, edge) !== undefined,
        says(
          "invalid_value",
          "must be a Date, whole milliseconds, or an ISO 8601 date, alone or with a time with an offset, in the years 0 to 9999"
        )
      )
    )
  )

/** Converts the value of a field that `timeBound` has checked. Returns `null` for an absent bound. */
export const boundOrNull = (value: unknown, edge: DayEdge): Instant | null =>
  value === null || value === undefined ? null : (instantOfBound(value, edge) ?? null)
