/**
 * Stores that lose a part of what they are given, as real databases and clients do. The laws catch each.
 */
import type { Message } from "@mailkeep/core/adapter"
import { MailStore } from "@mailkeep/core/adapter"
import { MemoryMailStore } from "@mailkeep/memory"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { runConformance, storeLaws } from "../src/index.ts"
import type { Mutation } from "./mutants/mutating.ts"
import { changing } from "./mutants/mutating.ts"

const storing = (change: (message: Message) => Message): Mutation =>
  changing("InsertMessage", (one) => [{ ...one, message: change(one.message) }])

const withoutNulls = (message: Message): Message => ({
  ...message,
  metadata: Object.fromEntries(Object.entries(message.metadata).filter(([, value]) => value !== null))
})

const withoutLists = (message: Message): Message => ({
  ...message,
  metadata: Object.fromEntries(Object.entries(message.metadata).filter(([, value]) => !Array.isArray(value)))
})

/** `TextDecoder` does so, unless it has the option `ignoreBOM`. */
const decoded = (message: Message): Message => ({
  ...message,
  html: message.html === null ? null : new TextDecoder().decode(new TextEncoder().encode(message.html))
})

const cases: ReadonlyArray<readonly [string, string, Mutation]> = [
  ["null in the metadata", "values/json-unchanged", storing(withoutNulls)],
  ["lists in the metadata", "values/json-unchanged", storing(withoutLists)],
  ["the byte order mark of a text", "values/texts-unchanged", storing(decoded)],
  [
    "the changes of a commit after the first 200",
    "commit/as-large-as-they-come",
    (store) => ({ ...store, commit: (changes) => store.commit(changes.slice(0, 200)) })
  ]
]

describe("storeLaws", () => {
  it.each(cases)("catches a store that loses %s", async (_, law, mutate) => {
    const place = Layer.effect(MailStore, Effect.map(MemoryMailStore.make, mutate))
    const { laws } = await Effect.runPromise(runConformance("lossy", storeLaws, { place }, { only: [law] }))
    expect(laws.map(({ id, verdict }) => [id, verdict])).toEqual([[law, "broken"]])
  })
})
