/**
 * The strongest law: no random script can tell the store from the reference store.
 */
import { MemoryMailStore } from "@mailkeep/memory"
import { Data, Effect } from "effect"
import * as fc from "fast-check"
import { script } from "../arbitraries/script.ts"
import type { Script } from "../Script.ts"
import { lockstep, printScript } from "../Script.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { openAt, storeLaw, StorePlace } from "./StoreSubject.ts"

/** The shortest script found that tells the two apart, as text that can be pasted into a test. */
export class ToldApart extends Data.TaggedError("ToldApart")<{
  readonly seed: number
  readonly how: string
  readonly script: Script
}> {
  override get message() {
    return `${this.how}\nseed ${this.seed}; with \`lockstep(reference, store, script)\`:\n${printScript(this.script)}`
  }
}

const searchMillisMax = 60_000

const differential = storeLaw(
  "differential/no-script-tells-them-apart",
  {
    says: "To any script of commits, claims, sweeps and reads the store answers as the reference store does, and leaves the same behind.",
    why: "decisions/0001-core-decides.md"
  },
  () =>
    Effect.gen(function* () {
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
          // What was found by then is told, however short it has become.
          interruptAfterTimeLimit: searchMillisMax,
          ...(seed === undefined ? {} : { seed })
        })
      })
      if (!outcome.failed) return
      const { message } = outcome.errorInstance as Error
      return yield* new ToldApart({ seed: outcome.seed, how: message, script: outcome.counterexample![0] })
    })
)

export const differentialLaws: ReadonlyArray<StoreLaw> = [differential]
