/**
 * The rules for number fields of requests, each with its code. NaN and infinities are not valid numbers.
 */
import { Schema } from "effect"
import { says } from "./Issue.ts"

/** Any finite number, as one of the types of a field with several. */
export const Finite = Schema.Finite.annotate(says("invalid_value", "must be a finite number"))

/** An integer from `min` to `max`. The bounds are not compared with another number. */
export const wholeOf = (min: number, max: number) =>
  Schema.Finite.annotate(says("invalid_type", "must be a number")).check(
    Schema.isInt(says("invalid_type", "must be an integer")).abort(),
    Schema.isGreaterThanOrEqualTo(min, says("too_small", `must be at least ${min}`)),
    Schema.isLessThanOrEqualTo(max, says("too_large", `must be at most ${max}`))
  )
