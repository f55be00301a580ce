/**
 * Tells of appended events, wherever in the core they were committed.
 */
import { Effect } from "effect"
import type { MailStoreShape } from "../port/MailStore.ts"

export const tellingOfEvents = (store: MailStoreShape, tell: Effect.Effect<void>): MailStoreShape => ({
  ...store,
  commit: (changes) =>
    changes.some(({ _tag }) => _tag === "AppendEvent")
      ? Effect.tap(store.commit(changes), () => tell)
      : store.commit(changes)
})
