/**
 * No random script of commits, claims, sweeps and reads can tell one store from another.
 */
import type { MailStoreShape } from "@mailkeep/core"
import { MailStore } from "@mailkeep/core"
import { stores } from "@mailkeep/proving"
import { Effect, Exit, Layer } from "effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import type { Step } from "./storeScripts.ts"
import { script } from "./storeScripts.ts"

const runs = Number(process.env["DIFFERENTIAL_RUNS"] ?? 150)

const run = (store: MailStoreShape, step: Step): Effect.Effect<unknown, unknown> =>
  "commit" in step
    ? store.commit(step.commit)
    : "claim" in step
      ? store.claim(step.claim)
      : "sweep" in step
        ? store.sweep(step.sweep)
        : store.read(step.read)

/** An answer, or which change was refused and why. */
const told = (exit: Exit.Exit<unknown, unknown>): unknown => {
  if (Exit.isSuccess(exit)) return { answer: exit.value }
  const [reason] = exit.cause.reasons
  if (reason?._tag !== "Fail") return { mistake: reason?._tag }
  const { _tag, at, change, reason: why } = reason.error as Record<string, unknown>
  return { _tag, at, change, why }
}

it("memory and sqlite answer every script alike", { timeout: 120_000 }, async () => {
  let refused = 0
  await fc.assert(
    fc.asyncProperty(script, (steps) =>
      Effect.gen(function* () {
        const [one, other] = yield* Effect.forEach(stores, ({ layer }) =>
          Effect.map(Layer.build(Layer.fresh(layer)), (context) => MailStore.pipe(Effect.provideContext(context)))
        )
        const [memory, sqlite] = [yield* one!, yield* other!]
        for (const [place, step] of steps.entries()) {
          const [expected, answered] = [yield* Effect.exit(run(memory, step)), yield* Effect.exit(run(sqlite, step))]
          if (Exit.isFailure(expected)) refused++
          expect({ place, step, ...(told(answered) as object) }).toEqual({ place, step, ...(told(expected) as object) })
        }
      }).pipe(Effect.scoped, Effect.runPromise)
    ),
    { numRuns: runs }
  )
  expect(refused).toBeGreaterThan(runs)
})
