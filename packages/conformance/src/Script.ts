/**
 * A script is a list of commits, claims, sweeps and reads, as data. It runs on any store and can be pasted into a test.
 */
import type {
  AnswerOf,
  Change,
  Claim,
  EventDeliveryClaim,
  MessageSweep,
  Query,
  Sweep,
  MailStoreShape,
  StoreUnavailable
} from "@mailkeep/core/adapter"
import { compareRecordKeys, storedRecordKey } from "@mailkeep/core/adapter"
import { Effect, Exit } from "effect"
import { wholeState } from "./arbitraries/wholeState.ts"
import { same } from "./expectation.ts"
import type { Violation } from "./Law.ts"

/** One call of a store: a commit, a claim, a sweep or a read. */
export type Step =
  | { readonly commit: ReadonlyArray<Change> }
  | { readonly claim: Claim }
  | { readonly claimEventDeliveries: EventDeliveryClaim }
  | { readonly sweep: Sweep }
  | { readonly sweepMessages: MessageSweep }
  | { readonly read: ReadonlyArray<Query> }

/** Calls of a store in order. */
export type Script = ReadonlyArray<Step>

/** Answers queries. The records of a kind are in the order of their keys, because each store has its own order. */
export const readSorted = (
  store: MailStoreShape,
  queries: ReadonlyArray<Query>
): Effect.Effect<ReadonlyArray<unknown>, StoreUnavailable> =>
  Effect.map(store.read(queries), (answers) =>
    answers.map((answer, n) =>
      queries[n]!._tag === "Records"
        ? (answer as AnswerOf<"Records">).toSorted((a, b) => compareRecordKeys(storedRecordKey(a), storedRecordKey(b)))
        : answer
    )
  )

/** Makes the call of the step. */
export const runStep = (store: MailStoreShape, step: Step): Effect.Effect<unknown, unknown> => {
  if ("commit" in step) return store.commit(step.commit)
  if ("claim" in step) return store.claim(step.claim)
  if ("claimEventDeliveries" in step) return store.claimEventDeliveries(step.claimEventDeliveries)
  if ("sweep" in step) return store.sweep(step.sweep)
  if ("sweepMessages" in step) return store.sweepMessages(step.sweepMessages)
  return readSorted(store, step.read)
}

/** The answer of the store, or the number and the reason of the refused change. */
const toAnswer = (exit: Exit.Exit<unknown, unknown>): unknown => {
  if (Exit.isSuccess(exit)) return exit.value === undefined ? "applied" : exit.value
  const [reason] = exit.cause.reasons
  if (reason?._tag === "Die") return { mistake: String(reason.defect) }
  if (reason?._tag !== "Fail") return "interrupted"
  const { _tag, at, change, reason: why } = reason.error as Readonly<Record<string, unknown>>
  return { _tag, at, change, why }
}

/** Returns the answer of the store to each step, and the whole state after the last step. */
export const answersOf = (store: MailStoreShape, script: Script): Effect.Effect<ReadonlyArray<unknown>> =>
  Effect.forEach([...script, { read: wholeState }], (step) => Effect.map(Effect.exit(runStep(store, step)), toAnswer))

/** Fails at the first step that `store` answers differently from `reference`, or when the final states differ. */
export const lockstep = (
  reference: MailStoreShape,
  store: MailStoreShape,
  script: Script
): Effect.Effect<void, Violation> =>
  Effect.gen(function* () {
    const expected = yield* answersOf(reference, script)
    const actual = yield* answersOf(store, script)
    for (const [index, step] of script.entries())
      yield* same(() => `step ${index}, ${printStep(step)}`, actual[index], expected[index])
    const [actualState, expectedState] = [actual.at(-1), expected.at(-1)] as [
      ReadonlyArray<unknown>,
      ReadonlyArray<unknown>
    ]
    for (const [index, query] of wholeState.entries())
      yield* same(`after the script, ${JSON.stringify(query)}`, actualState[index], expectedState[index])
  })

/** A longer array of bytes is printed as its length. */
const printedBytesMax = 1000

const stepJson = (step: Step): string =>
  JSON.stringify(step, (_, value: unknown) => {
    if (!(value instanceof Uint8Array)) return value
    return value.length > printedBytesMax ? `${value.length} bytes` : `bytes:${value.join()}`
  })

/** Prints a step as TypeScript. A content has bytes, which JSON does not have. A law can make a step with a value that cannot be read. */
export const printStep = (step: Step): string => {
  try {
    return stepJson(step).replace(/"bytes:([\d,]*)"/g, "new Uint8Array([$1])")
  } catch {
    return "a call that cannot be printed"
  }
}

/** Prints the script as TypeScript, one line for each step. */
export const printScript = (script: Script): string =>
  `const script: Script = [\n${script.map((step) => `  ${printStep(step)}`).join(",\n")}\n]`
