/**
 * Runs `notify` after each commit that appends an event, also when the caller no longer waits for the commit.
 */
import type { Effect, Scope } from "effect"
import type { MailStoreShape } from "../../port/MailStore.ts"
import { wakeAfterCommit } from "../store/wakeAfterCommit.ts"

/** `scope` ends the wake-ups after a commit whose caller was interrupted. */
export const notifyOnEvents = (
  store: MailStoreShape,
  notify: Effect.Effect<void>,
  scope: Scope.Scope
): MailStoreShape => {
  const thenNotify = wakeAfterCommit(notify, scope)
  return {
    ...store,
    commit: (changes) =>
      changes.some(({ _tag }) => _tag === "AppendEvent") ? thenNotify(store.commit(changes)) : store.commit(changes)
  }
}
