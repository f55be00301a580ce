/**
 * The comparisons that checks use.
 */
import { isDeepStrictEqual } from "node:util"
import type { Conflict, StoreUnavailable } from "@mailkeep/core/adapter"
import { Effect, Exit } from "effect"
import { noSuchField, Violation } from "./Law.ts"

/** Removes the classes that a driver gives to its rows and to bytes. */
const plain = (value: unknown): unknown => {
  if (value === null || typeof value !== "object") return value
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (Array.isArray(value)) return Array.from(value, plain)
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, plain(field)]))
}

const isNested = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !ArrayBuffer.isView(value)

const fieldOf = (record: object, key: string): unknown =>
  Object.hasOwn(record, key) ? (record as Record<string, unknown>)[key] : noSuchField

/** The first place at which two records differ; `undefined` if they differ as a whole. */
const differenceOf = (expected: unknown, actual: unknown, path = ""): Violation["difference"] => {
  const whole = path === "" ? undefined : { at: path, expected, actual }
  if (!isNested(expected) || !isNested(actual) || Array.isArray(expected) !== Array.isArray(actual)) return whole
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const [one, other] = [fieldOf(expected, key), fieldOf(actual, key)]
    const isIndex = Array.isArray(expected)
    if (isIndex && (one === noSuchField || other === noSuchField)) continue
    const place = isIndex ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`
    if (!isDeepStrictEqual(one, other)) return differenceOf(one, other, place)
  }
  if (!Array.isArray(expected) || !Array.isArray(actual)) return whole
  return { at: path === "" ? "length" : `${path}.length`, expected: expected.length, actual: actual.length }
}

/** `what` is a function where the text takes long to make. */
export const same = (
  what: string | (() => string),
  actual: unknown,
  expected: unknown
): Effect.Effect<void, Violation> =>
  isDeepStrictEqual(plain(actual), plain(expected))
    ? Effect.void
    : Effect.suspend(() => {
        const difference = differenceOf(plain(expected), plain(actual))
        const found = { what: typeof what === "string" ? what : what(), expected, actual }
        return Effect.fail(new Violation(difference === undefined ? found : { ...found, difference }))
      })

/** `expected` says in words when the condition is true. */
export const holds = (
  what: string,
  expected: string,
  condition: boolean,
  actual: unknown
): Effect.Effect<void, Violation> => (condition ? Effect.void : Effect.fail(new Violation({ what, expected, actual })))

/** Runs a call that must fail, and returns its failure. */
export const failureOf = <A, E>(what: string, call: Effect.Effect<A, E>): Effect.Effect<E, Violation> =>
  Effect.flatMap(Effect.exit(call), (exit) => {
    if (Exit.isSuccess(exit))
      return Effect.fail(new Violation({ what, expected: "a failure", actual: { success: exit.value } }))
    const [reason] = exit.cause.reasons
    if (reason?._tag === "Fail") return Effect.succeed(reason.error)
    const actual = reason?._tag === "Die" ? { defect: String(reason.defect) } : "an interruption"
    return Effect.fail(new Violation({ what, expected: "a failure", actual }))
  })

/** Runs a commit and returns `"applied"`, or the reason of its conflict. */
export const resultOf = (
  commit: Effect.Effect<void, Conflict | StoreUnavailable>
): Effect.Effect<string, StoreUnavailable> =>
  commit.pipe(
    Effect.as("applied"),
    Effect.catchTag("Conflict", ({ reason }) => Effect.succeed(reason))
  )

/** Runs the commits concurrently and returns their results in order. */
export const resultsOf = (commits: ReadonlyArray<Effect.Effect<void, Conflict | StoreUnavailable>>) =>
  Effect.forEach(commits, resultOf, { concurrency: "unbounded" })

/** Counts how often each value occurs. */
export const tally = (values: Iterable<string>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}
