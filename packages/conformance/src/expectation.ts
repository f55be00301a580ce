/**
 * What a check compares with.
 */
import { isDeepStrictEqual } from "node:util"
import type { Conflict } from "@mailkeep/core/domain"
import type { StoreUnavailable } from "@mailkeep/core/port"
import { Effect } from "effect"
import { Violation } from "./Law.ts"

/** Whatever class a driver makes its rows of. */
const plain = (value: unknown): unknown => {
  if (value === null || typeof value !== "object") return value
  if (ArrayBuffer.isView(value)) return [...Buffer.from(value.buffer, value.byteOffset, value.byteLength)]
  if (Array.isArray(value)) return Array.from(value, plain)
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, plain(field)]))
}

export const same = (what: string, actual: unknown, expected: unknown): Effect.Effect<void, Violation> =>
  isDeepStrictEqual(plain(actual), plain(expected))
    ? Effect.void
    : Effect.fail(new Violation({ what, expected, actual }))

export const holds = (what: string, condition: boolean, actual: unknown): Effect.Effect<void, Violation> =>
  condition ? Effect.void : Effect.fail(new Violation({ what, expected: "it to hold", actual }))

/** What became of a commit: `"applied"`, or the reason of its conflict. */
export const fateOf = (
  commit: Effect.Effect<void, Conflict | StoreUnavailable>
): Effect.Effect<string, StoreUnavailable> =>
  commit.pipe(
    Effect.as("applied"),
    Effect.catchTag("Conflict", ({ reason }) => Effect.succeed(reason))
  )

/** The fates of commits made at once, in their order. */
export const fatesOf = (commits: ReadonlyArray<Effect.Effect<void, Conflict | StoreUnavailable>>) =>
  Effect.all(commits.map(fateOf), { concurrency: "unbounded" })

/** How many there are of each. */
export const tally = (values: Iterable<string>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}
