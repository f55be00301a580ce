/**
 * Records what a law does to a store, so that the report of a broken law can show a script that anyone can run again.
 */
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { wrapStore } from "@mailkeep/core/adapter"
import { MemoryMailStore } from "@mailkeep/memory"
import { Effect, Exit } from "effect"
import type { Scope } from "effect"
import type { Script, Step } from "../Script.ts"
import { lockstep, printScript, printStep } from "../Script.ts"

export interface Recording {
  readonly store: MailStoreShape
  /** The steps that were begun so far. */
  readonly steps: () => Script
}

/** A law can change a step after the call, and can make one with a value that cannot be copied. */
const copyOf = (step: Step): Step => {
  try {
    return structuredClone(step)
  } catch {
    return step
  }
}

/** Wraps a store, and records each call of it and of the transactions that it joins. */
export const recorded = (store: MailStoreShape): Recording => {
  const steps: Array<Step> = []
  const recordCall = <A, E>(step: Step, call: () => Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      steps.push(copyOf(step))
      return call()
    })
  const recording = wrapStore(store, (one) => ({
    ...one,
    commit: (changes) => recordCall({ commit: changes }, () => one.commit(changes)),
    claim: (claim) => recordCall({ claim }, () => one.claim(claim)),
    claimEventDeliveries: (claim) => recordCall({ claimEventDeliveries: claim }, () => one.claimEventDeliveries(claim)),
    sweep: (sweep) => recordCall({ sweep }, () => one.sweep(sweep)),
    sweepMessages: (sweep) => recordCall({ sweepMessages: sweep }, () => one.sweepMessages(sweep)),
    read: (queries) => recordCall({ read: queries }, () => one.read(queries))
  }))
  return { steps: () => [...steps], store: recording }
}

/** How often a script is run again to find a shorter one. */
const runsMax = 150

/** Each way to leave out one of `parts` parts of the script. */
const withoutPart = (script: Script, parts: number): ReadonlyArray<Script> => {
  const size = Math.ceil(script.length / parts)
  return Array.from({ length: parts }, (_, n) => script.toSpliced(n * size, size)).filter(
    (one) => one.length < script.length
  )
}

/** Removes parts of the script while it still shows a difference: first halves, then smaller parts, then single steps. */
const shortened = (script: Script, differs: (script: Script) => Effect.Effect<string | undefined>) =>
  Effect.gen(function* () {
    let [shortest, how] = [script, yield* differs(script)]
    if (how === undefined) return undefined
    let runs = 0
    let parts = 2
    while (shortest.length > 1 && runs < runsMax) {
      let found = false
      for (const candidate of withoutPart(shortest, parts)) {
        if (runs++ >= runsMax) break
        const message = yield* differs(candidate)
        if (message === undefined) continue
        shortest = candidate
        how = message
        found = true
        break
      }
      if (!found && parts >= shortest.length) break
      parts = found ? Math.max(2, parts - 1) : Math.min(shortest.length, parts * 2)
    }
    return { script: shortest, how }
  })

/** A longer script, such as one with bodies of megabytes, is not printed in full. */
const scriptCharactersMax = 20_000

const callsMax = 12
const callCharactersMax = 300

/** The last calls of a law that changed the store, and its last read. */
const lastCalls = (script: Script): string => {
  const calls = script.filter((step, n) => !("read" in step) || n === script.length - 1)
  const last = calls.slice(-callsMax)
  const left = calls.length - last.length
  const lines = last.map((step) => {
    const line = printStep(step)
    return line.length > callCharactersMax ? `${line.slice(0, callCharactersMax)}…` : line
  })
  return `${left === 0 ? "" : `after ${left} earlier changes: `}\n  ${lines.join("\n  ")}`
}

/**
 * Describes the steps of a broken law. Runs them again, one after another, on a new store and on the reference store. If the
 * answers differ, returns the shortest script that was found; otherwise returns the steps of the law.
 */
export const explained = (
  steps: Script,
  open: Effect.Effect<MailStoreShape, unknown, Scope.Scope>
): Effect.Effect<string> =>
  Effect.gen(function* () {
    if (steps.length === 0) return "the law made no call"
    const differs = (script: Script) =>
      Effect.gen(function* () {
        const reference = yield* MemoryMailStore.make
        const exit = yield* Effect.exit(lockstep(reference, yield* open, script))
        if (Exit.isSuccess(exit)) return undefined
        const [reason] = exit.cause.reasons
        return reason?._tag === "Fail" ? reason.error.message : undefined
      }).pipe(
        Effect.scoped,
        Effect.orElseSucceed(() => undefined)
      )
    const found = yield* shortened(steps, differs)
    if (found === undefined) return `the calls of the law: ${lastCalls(steps)}`
    const script = printScript(found.script)
    const how = found.how.length > scriptCharactersMax ? `${found.how.slice(0, scriptCharactersMax)}…` : found.how
    return `a script that shows a difference (${how}): ${script.length > scriptCharactersMax ? lastCalls(found.script) : script}`
  })
