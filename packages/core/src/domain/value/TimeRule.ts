/**
 * The rule for a time in the input of a program, with its code and its message.
 */
import { Schema } from "effect"
import { instantOfInput } from "./Instant.ts"
import { says } from "./Issue.ts"

/** What is wrong with a value that is not a time. */
export const timeRule = says(
  "invalid_value",
  "must be a Date, whole milliseconds, or an ISO 8601 date and time with an offset, in the years 0 to 9999"
)

/** A `TimeInput`. `instantOfInput` converts it. */
export const Time = Schema.Unknown.check(
  Schema.makeFilter((time: unknown) => instantOfInput(time) !== undefined, timeRule)
)
