import type { SweptMessages } from "@mailkeep/core/adapter"
import { changeOrder, claimKinds, sweepKinds } from "@mailkeep/core/adapter"
import { MemoryMailStore } from "@mailkeep/memory"
import { Effect } from "effect"
import { expect, it } from "vitest"
import type { Step } from "../src/Script.ts"
import { answersOf } from "../src/Script.ts"
import { scriptsBeforeReopening } from "../src/store/durability.ts"

/** The kinds of work that the step did: a change is refused or applied, and a claim or a sweep can find nothing. */
const kindsOf = (step: Step, answer: unknown): ReadonlyArray<string> => {
  if ("commit" in step) return answer === "applied" ? step.commit.map(({ _tag }) => _tag) : []
  if ("claim" in step) return (answer as ReadonlyArray<unknown>).length > 0 ? [step.claim.kind] : []
  if ("claimEventDeliveries" in step) return (answer as ReadonlyArray<unknown>).length > 0 ? ["event deliveries"] : []
  if ("sweep" in step) return (answer as number) > 0 ? [`sweep of ${step.sweep.kind}`] : []
  if ("sweepMessages" in step) return (answer as SweptMessages).deleted > 0 ? ["sweep of messages"] : []
  return []
}

it("makes every kind of change, claim and sweep before a store is opened again", async () => {
  const seen = new Set<string>()
  for (const steps of scriptsBeforeReopening) {
    const answers = await Effect.runPromise(Effect.flatMap(MemoryMailStore.make, (store) => answersOf(store, steps)))
    for (const [n, step] of steps.entries()) for (const kind of kindsOf(step, answers[n])) seen.add(kind)
  }
  const all = [
    ...changeOrder,
    ...Object.keys(claimKinds),
    "event deliveries",
    ...sweepKinds.map((kind) => `sweep of ${kind}`),
    "sweep of messages"
  ]
  expect(all.filter((kind) => !seen.has(kind))).toEqual([])
})
