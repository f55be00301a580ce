/**
 * Tests the kit itself: each law has a mutant that breaks it, and the law catches that mutant.
 */
import { MailStore } from "@mailkeep/core/adapter"
import { MemoryMailStore } from "@mailkeep/memory"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import type { LawBook, StoreSubject } from "../src/index.ts"
import { limiterLaws, resolverLaws, runConformance, sinkLaws, storeLaws, transportLaws } from "../src/index.ts"
import { lastingMutants } from "./mutants/lastingMutants.ts"
import { limiterMutants } from "./mutants/limiterMutants.ts"
import { resolverMutants } from "./mutants/resolverMutants.ts"
import { storeMutants } from "./mutants/storeMutants.ts"
import { sinkMutants, transportMutants } from "./mutants/transportMutants.ts"

/** With 100 random scripts, one of 20 seeds finds no difference of the mutant. */
const runs = 400

const ofMemory: Readonly<Record<string, StoreSubject>> = Object.fromEntries(
  Object.entries(storeMutants).map(([law, mutate]) => [
    law,
    { place: Layer.effect(MailStore, Effect.map(MemoryMailStore.make, mutate)), runs }
  ])
)

/** These mutants break their law only by never answering, so they end at the limit. */
const neverAnswer: ReadonlySet<string> = new Set([
  "processes/reports-other-processes",
  "processes/reports-commits-since-opening",
  "event/unfinished-answer-is-an-answer"
])

const caught = <S, R>(book: LawBook<S, R>, mutants: Readonly<Record<string, S>>) =>
  describe(`each law of the ${book.port}`, () => {
    it("has one mutant for each law and no other", () => {
      expect(Object.keys(mutants).toSorted()).toEqual(book.laws.map(({ id }) => id).toSorted())
    })

    it.each(Object.entries(mutants))("catches the mutant of %s", { timeout: 120_000 }, async (law, mutant) => {
      const limitSeconds = neverAnswer.has(law) ? 5 : 60
      const { laws } = await Effect.runPromise(runConformance("mutant", book, mutant, { only: [law], limitSeconds }))
      expect(laws.map(({ id, verdict }) => [id, verdict])).toEqual([[law, "broken"]])
      expect(laws[0]?.detail).toMatch(/expected [\s\S]+(?:got|but) [\s\S]+/)
      expect(laws[0]?.detail).not.toMatch(/^undefined|got undefined \{\}/)
    })
  })

caught(storeLaws, { ...ofMemory, ...lastingMutants })
caught(transportLaws, transportMutants)
caught(sinkLaws, sinkMutants)
caught(limiterLaws, limiterMutants)
caught(resolverLaws, resolverMutants)
