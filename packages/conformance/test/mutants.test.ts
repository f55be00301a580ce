/**
 * The kit is itself tested: every law has a mutant that breaks it, and catches it.
 */
import { MailStore } from "@mailkeep/core/port"
import { MemoryMailStore } from "@mailkeep/memory"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import type { LawBook, StoreSubject } from "../src/index.ts"
import { judge, sinkLaws, storeLaws, transportLaws } from "../src/index.ts"
import { lastingMutants } from "./mutants/lastingMutants.ts"
import { storeMutants } from "./mutants/storeMutants.ts"
import { sinkMutants, transportMutants } from "./mutants/transportMutants.ts"

const ofMemory: Readonly<Record<string, StoreSubject>> = Object.fromEntries(
  Object.entries(storeMutants).map(([law, mutate]) => [
    law,
    { place: Layer.effect(MailStore, Effect.map(MemoryMailStore.make, mutate)) }
  ])
)

/** A mutant that would be waited for in vain is waited for no longer than this. */
const limitSeconds = 5

const caught = <S, R>(book: LawBook<S, R>, mutants: Readonly<Record<string, S>>) =>
  describe(`each law of the ${book.port}`, () => {
    it("has a mutant, and each mutant a law", () => {
      expect(Object.keys(mutants).toSorted()).toEqual(book.laws.map(({ id }) => id).toSorted())
    })

    it.each(Object.entries(mutants))("%s catches its mutant", { timeout: 30_000 }, async (law, mutant) => {
      const { laws } = await Effect.runPromise(judge("mutant", book, mutant, { only: [law], limitSeconds }))
      expect(laws.map(({ id, verdict }) => [id, verdict])).toEqual([[law, "broken"]])
    })
  })

caught(storeLaws, { ...ofMemory, ...lastingMutants })
caught(transportLaws, transportMutants)
caught(sinkLaws, sinkMutants)
