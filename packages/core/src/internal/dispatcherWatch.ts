/**
 * Warns when mail was accepted and nothing hands it over. Source: decision 0033.
 */
import { Clock, Effect } from "effect"
import { secondMillis } from "../domain/Instant.ts"
import type { MailStoreShape } from "../port/MailStore.ts"

/** A dispatcher of another process notices new mail within 15 s, even if its store cannot tell of foreign commits. */
const patienceMillis = 30 * secondMillis

/**
 * `accepted` is to be run after mail was accepted that is due at once. The first time, it looks at the backlog 30 s later, unless a dispatcher
 * of this process has started: mail that has been due for so long while nothing is being handed over has no dispatcher anywhere. It
 * looks once, and warns at most once. An idle dispatcher holds no lease, so leases alone cannot tell.
 */
export const makeDispatcherWatch = (store: MailStoreShape, hasDispatched: Effect.Effect<boolean>) =>
  Effect.map(Effect.scope, (scope) => {
    let watching = false

    const look = Effect.gen(function* () {
      yield* Effect.sleep(patienceMillis)
      if (yield* hasDispatched) return
      const now = yield* Clock.currentTimeMillis
      const [{ oldestDueAt, queued, sending }] = yield* store.read([{ _tag: "Backlog", now }])
      if (oldestDueAt === null || now - oldestDueAt < patienceMillis || sending > 0) return
      yield* Effect.logWarning(
        "Mail was accepted, but no dispatcher is running: nothing will be sent. Run `Dispatcher.run` in this process or `mailkeep serve`.",
        { queued }
      )
    })

    const accepted = Effect.gen(function* () {
      if (watching || (yield* hasDispatched)) return
      watching = true
      yield* Effect.forkIn(Effect.ignoreCause(look), scope)
    })
    return { accepted }
  })
