/**
 * A memory store that takes no more commits from a moment on, like one whose disk is full.
 */
import { MailStore, StoreUnavailable } from "@mailkeep/core/adapter"
import { MemoryMailStore } from "@mailkeep/memory"
import { Effect, Layer } from "effect"

/** A store that takes all commits until `allowCommits` sets how many more it takes. Further commits fail. */
export const makeFailingStore = () => {
  let left = Number.POSITIVE_INFINITY
  const layer = Layer.effect(
    MailStore,
    Effect.map(MemoryMailStore.make, (store) => ({
      ...store,
      commit: (changes: Parameters<typeof store.commit>[0]) =>
        left-- > 0 ? store.commit(changes) : Effect.fail(new StoreUnavailable({ reason: "full" }))
    }))
  )
  const allowCommits = (count: number) => {
    left = count
  }
  return { store: { name: "failing", layer }, allowCommits }
}
