/**
 * Runs `notify` after each commit that appends an event.
 */
import { Effect } from "effect"
import type { MailStoreShape } from "../port/MailStore.ts"

export const notifyOnEvents = (store: MailStoreShape, notify: Effect.Effect<void>): MailStoreShape => ({
  ...store,
  commit: (changes) =>
    changes.some(({ _tag }) => _tag === "AppendEvent")
      ? Effect.tap(store.commit(changes), () => notify)
      : store.commit(changes)
})
