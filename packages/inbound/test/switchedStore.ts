/**
 * A memory store whose commits a test holds back or refuses.
 */
import { MailStore, StoreUnavailable } from "@mailkeep/core"
import { MemoryMailStore } from "@mailkeep/memory"
import type { StoreUnderTest } from "@mailkeep/test-support"
import { Effect, Latch, Layer } from "effect"

export interface SwitchedStore extends StoreUnderTest {
  /** Whether commits and reads fail. */
  fails: boolean
  /** Closed: commits wait. */
  readonly commits: Latch.Latch
}

export const makeSwitchedStore = (): SwitchedStore => {
  const commits = Latch.makeUnsafe(true)
  const unlessFailing = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | StoreUnavailable> =>
    Effect.suspend<A, E | StoreUnavailable, never>(() =>
      switched.fails ? Effect.fail(new StoreUnavailable({ reason: "unreachable" })) : effect
    )
  const switched: SwitchedStore = {
    name: "switched",
    fails: false,
    commits,
    layer: Layer.effect(
      MailStore,
      Effect.map(MailStore, (store) => ({
        ...store,
        read: ((queries) => unlessFailing(store.read(queries))) as typeof store.read,
        commit: (changes) => unlessFailing(Effect.andThen(commits.await, store.commit(changes)))
      }))
    ).pipe(Layer.provide(MemoryMailStore.layer))
  }
  return switched
}
