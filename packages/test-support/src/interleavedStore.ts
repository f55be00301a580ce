/**
 * A memory store in which something happens between the calls of the use case under test.
 */
import type { Query } from "@mailkeep/core/adapter"
import { MailStore } from "@mailkeep/core/adapter"
import { MemoryMailStore } from "@mailkeep/memory"
import { Effect, Layer } from "effect"

/** A store that runs an effect once, after the first read for which `isMoment` holds. `runMeanwhile` sets the effect. */
export const makeInterleavedStore = (isMoment: (queries: ReadonlyArray<Query>) => boolean) => {
  let meanwhile: Effect.Effect<unknown, unknown> = Effect.void
  const layer = Layer.effect(
    MailStore,
    Effect.map(MemoryMailStore.make, (store) => ({
      ...store,
      read: ((queries) =>
        Effect.tap(store.read(queries), () => {
          if (!isMoment(queries)) return Effect.void
          const now = meanwhile
          meanwhile = Effect.void
          return Effect.orDie(now)
        })) as typeof store.read
    }))
  )
  const runMeanwhile = (effect: Effect.Effect<unknown, unknown>) => {
    meanwhile = effect
  }
  return { store: { name: "memory", layer }, runMeanwhile }
}
