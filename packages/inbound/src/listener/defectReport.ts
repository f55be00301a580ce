/**
 * Describes a bug by the class of its error and its place in the code, never by its message, because a message may contain what a client sent.
 */
import type { Cause } from "effect"

const framesMax = 10
const className = /^[\w$/@.-]{1,100}$/
const frame = /^\s+at .*:\d+:\d+\)?$/

const classOf = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return typeof value
  const name: unknown = value.constructor.name
  return typeof name === "string" && className.test(name) ? name : "object"
}

const framesOf = (value: unknown): ReadonlyArray<string> => {
  if (!(value instanceof Error)) return []
  const { stack = "", name, message } = value
  const headline = `${name}: ${message}`
  return (stack.startsWith(headline) ? stack.slice(headline.length) : stack)
    .split("\n")
    .filter((line) => frame.test(line))
    .slice(0, framesMax)
    .map((line) => line.trim())
}

/** The class and the stack frames of each defect and each unexpected failure of the cause. */
export const defectReports = (cause: Cause.Cause<unknown>) =>
  cause.reasons.flatMap((reason) => {
    if (reason._tag === "Interrupt") return []
    const value: unknown = reason._tag === "Die" ? reason.defect : reason.error
    return [{ error: classOf(value), at: framesOf(value) }]
  })
