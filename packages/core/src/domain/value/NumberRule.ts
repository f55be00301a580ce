/**
 * The rules for number fields of requests, each with its code. NaN and infinities are not valid numbers.
 */
import { Schema } from "effect"
import { says } from "./Issue.ts"

/** An integer from `min` to `max`. */
export const wholeOf = (min: number, max: number) =>
  Schema.Finite.annotate(says("invalid_type", "must be a number")).check(
    Schema.isInt(says("invalid_type", "must be an integer")),
    Schema.isGreaterThanOrEqualTo(min, says("too_small", `must be at least ${min}`)),
    Schema.isLessThanOrEqualTo(max, says("too_large", `must be at most ${max}`))
  )
