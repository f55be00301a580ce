/**
 * Invalid values for each kind of input, as a caller without types may pass them, and valid values for the other inputs.
 */
import type { Effect } from "effect"

/** A value of a caller that has no types or that casts. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Anything = any

export const huge = "x".repeat(10 * 1024 * 1024)
export const notText: ReadonlyArray<Anything> = [undefined, null, 7, Number.NaN, {}, [], Symbol("s"), () => "x"]
const notOneLine = ["a\u0000b", "a\nb", "\u001b[31mred", "\u009b1m", "a\u2028b", "\ud800"]
export const notName = [...notText.filter((value) => value !== undefined), ...notOneLine, huge]
export const notProject = [...notText, "", "a b", "a\u0000", huge, "*"]
/** Absent counts have a default. */
export const notCount = [null, "1", Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 1.5]
export const notLimit = [...notCount, 101, 1e9]
export const notObject: ReadonlyArray<Anything> = [undefined, null, 7, "x", [], () => ({})]
export const notEmail = [
  ...notText,
  "",
  "nonsense",
  "a\n@example.org",
  "a@b",
  `${huge}@example.org`,
  "\ud800@example.org"
]
export const notInstant = [undefined, null, "2026-01-01", Number.NaN, Number.POSITIVE_INFINITY, 0.5]

export const email = "ada@example.org"
export const segment = { name: "S", filter: { all: [] } }
export const url = "https://hooks.example.com/x"

/** One input of a method, and the values that the method must refuse. */
export type Case = readonly [
  name: string,
  values: ReadonlyArray<Anything>,
  call: (value: Anything) => Effect.Effect<unknown, unknown, Anything>
]
