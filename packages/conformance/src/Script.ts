/**
 * A script: commits, claims, sweeps and reads in a row, as data that can be run on any store and pasted into a test.
 */
import type { Change, Claim, PushClaim, Query, Sweep } from "@mailkeep/core/domain"
import type { MailStoreShape } from "@mailkeep/core/port"
import { Effect, Exit } from "effect"
import { wholeState } from "./arbitraries/query.ts"
import { same } from "./expectation.ts"
import type { Violation } from "./Law.ts"

export type Step =
  | { readonly commit: ReadonlyArray<Change> }
  | { readonly claim: Claim }
  | { readonly claimPushes: PushClaim }
  | { readonly sweep: Sweep }
  | { readonly read: ReadonlyArray<Query> }

export type Script = ReadonlyArray<Step>

const run = (store: MailStoreShape, step: Step): Effect.Effect<unknown, unknown> =>
  "commit" in step
    ? store.commit(step.commit)
    : "claim" in step
      ? store.claim(step.claim)
      : "claimPushes" in step
        ? store.claimPushes(step.claimPushes)
        : "sweep" in step
          ? store.sweep(step.sweep)
          : store.read(step.read)

/** An answer, or which change was refused and why. */
const told = (exit: Exit.Exit<unknown, unknown>): unknown => {
  if (Exit.isSuccess(exit)) return exit.value === undefined ? "applied" : exit.value
  const [reason] = exit.cause.reasons
  if (reason?._tag === "Die") return { mistake: String(reason.defect) }
  if (reason?._tag !== "Fail") return "interrupted"
  const { _tag, at, change, reason: why } = reason.error as Readonly<Record<string, unknown>>
  return { _tag, at, change, why }
}

/** What the store answers to each step, and all that stands at the end. */
export const answersOf = (store: MailStoreShape, script: Script): Effect.Effect<ReadonlyArray<unknown>> =>
  Effect.forEach([...script, { read: wholeState }], (step) => Effect.map(Effect.exit(run(store, step)), told))

/** Fails at the first step that `store` answers otherwise than `reference`, or when another state is left behind. */
export const lockstep = (
  reference: MailStoreShape,
  store: MailStoreShape,
  script: Script
): Effect.Effect<void, Violation> =>
  Effect.gen(function* () {
    const expected = yield* answersOf(reference, script)
    const actual = yield* answersOf(store, script)
    for (const [place, step] of script.entries())
      yield* same(`step ${place}, ${JSON.stringify(step)}`, actual[place], expected[place])
    const [left, meant] = [actual.at(-1), expected.at(-1)] as [ReadonlyArray<unknown>, ReadonlyArray<unknown>]
    for (const [place, query] of wholeState.entries())
      yield* same(`after the script, ${JSON.stringify(query)}`, left[place], meant[place])
  })

/** As TypeScript, a step to a line. */
export const printScript = (script: Script): string =>
  `const script: Script = [\n${script.map((step) => `  ${JSON.stringify(step)}`).join(",\n")}\n]`
