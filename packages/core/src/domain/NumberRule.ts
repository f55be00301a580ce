/**
 * The rules that number fields of requests are made of, each with its code. NaN and the infinities are no numbers here.
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

/** UTC milliseconds. */
export const InstantMillis = wholeOf(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
