/**
 * The strongest law: the store answers every random script as the reference store does.
 */
import { MemoryMailStore } from "@mailkeep/memory"
import { Effect } from "effect"
import * as fc from "fast-check"
import { script } from "../arbitraries/script.ts"
import type { Script } from "../Script.ts"
import { lockstep } from "../Script.ts"
import { ScriptDifference } from "../ScriptDifference.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { openAt, storeLawsFor, StorePlace } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0001-core-decides.md")

const searchMillisMax = 60_000

const differential = law(
  "differential/no-script-finds-a-difference",
  "The store answers any script of commits, claims, sweeps and reads as the reference store does, and ends in the same state.",
  function* () {
    const { another, runs, seed } = yield* StorePlace
    const holds = (steps: Script) =>
      Effect.gen(function* () {
        const reference = yield* MemoryMailStore.make
        const store = yield* Effect.flatMap(another, openAt)
        yield* lockstep(reference, store, steps)
      }).pipe(Effect.scoped, Effect.runPromise)
    const outcome = yield* Effect.promise((signal) => {
      const property = fc.asyncProperty(script, (steps) => (signal.aborted ? Promise.resolve() : holds(steps)))
      return fc.check(property, {
        numRuns: runs,
        // Reports the script found so far, even if it could be made shorter.
        interruptAfterTimeLimit: searchMillisMax,
        ...(seed === undefined ? {} : { seed })
      })
    })
    if (!outcome.failed) return
    const { message } = outcome.errorInstance as Error
    return yield* new ScriptDifference({ seed: outcome.seed, how: message, script: outcome.counterexample![0] })
  }
)

export const differentialLaws: ReadonlyArray<StoreLaw> = [differential]
