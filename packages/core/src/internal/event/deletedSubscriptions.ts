/**
 * Finds the subscriptions that were deleted while events waited for their handlers.
 */
import { Clock, Effect } from "effect"
import { allProjects } from "../../domain/event/Subscription.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import { minuteMillis } from "../../domain/value/Instant.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"

/** How long a subscription counts as existing after it was read. Another process can delete it. */
const existsMillis = minuteMillis

/** The deleted subscriptions, as far as this process knows them. */
export interface DeletedSubscriptions {
  readonly has: (id: string) => boolean
  readonly add: (id: string) => void
  /** Reads whether these subscriptions still exist: each at most once a minute. */
  readonly readAgain: (ids: ReadonlyArray<string>) => Effect.Effect<void, StoreUnavailable>
}

export const makeDeletedSubscriptions = (store: MailStoreShape): DeletedSubscriptions => {
  // An id is not used again, so a deleted subscription stays one.
  const deleted = new Set<string>()
  const existedAt = new Map<string, Instant>()
  const add = (id: string): void => {
    existedAt.delete(id)
    deleted.add(id)
  }
  return {
    has: (id) => deleted.has(id),
    add,
    readAgain: (ids) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        // The distance counts, because the clock can be set back.
        const isOld = (readAt: Instant | undefined) => readAt === undefined || Math.abs(now - readAt) >= existsMillis
        const unknown = ids.filter((id) => !deleted.has(id) && isOld(existedAt.get(id)))
        if (unknown.length === 0) return
        const found = yield* store.read(
          unknown.map((id) => ({ _tag: "Resource", projectId: allProjects, id }) as const)
        )
        for (const [n, id] of unknown.entries())
          if (found[n] === null) add(id)
          else existedAt.set(id, now)
      })
  }
}
