/**
 * Warns when mail was accepted and no dispatcher hands it over. Source: decision 0033.
 */
import { Clock, Effect } from "effect"
import { secondMillis } from "../../domain/value/Instant.ts"
import type { MailStoreShape } from "../../port/MailStore.ts"

/** A dispatcher of another process notices new mail within 15 s, even if its store does not report commits of other processes. */
const patienceMillis = 30 * secondMillis

/**
 * Run `accepted` after mail was accepted that is due at once. The first run starts a check of the backlog 30 s later, unless a dispatcher
 * of this process has started. The check warns when mail has been due for 30 s and no hand-off is under way: then no process runs a
 * dispatcher. It runs once. Leases do not answer the question, because an idle dispatcher has no lease.
 */
export const makeNoDispatcherWarning = (store: MailStoreShape, dispatcherHasStarted: Effect.Effect<boolean>) =>
  Effect.map(Effect.scope, (scope) => {
    let watching = false

    const checkBacklog = Effect.gen(function* () {
      yield* Effect.sleep(patienceMillis)
      if (yield* dispatcherHasStarted) return
      const now = yield* Clock.currentTimeMillis
      const [{ oldestDueAt, queued, sending }] = yield* store.read([{ _tag: "Backlog", now }])
      if (oldestDueAt === null || now - oldestDueAt < patienceMillis || sending > 0) return
      yield* Effect.logWarning(
        "Mail was accepted, but no dispatcher is running: nothing will be sent. Open the mail with `background: true`, run `Dispatcher.run` in this process, or run `mailkeep serve`.",
        { queued }
      )
    })

    const watch = Effect.gen(function* () {
      if (yield* dispatcherHasStarted) return
      watching = true
      yield* Effect.forkIn(Effect.ignoreCause(checkBacklog), scope)
    })
    // Every send passes here.
    const accepted = Effect.suspend(() => (watching ? Effect.void : watch))
    return { accepted }
  })
