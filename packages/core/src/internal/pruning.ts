/**
 * Deletes the bodies and files of old messages, one page of messages at a time. Walks the messages in the order of their ids, which is that of
 * their acceptance, and stops at the first message that is too young. Begins again once a day, for messages that had not ended. Source: decision 0051.
 */
import { Effect, Result } from "effect"
import type { PruneBefore } from "../decide/message/pruneMessage.ts"
import { pruneMessages } from "../decide/message/pruneMessage.ts"
import type { StoredRecordKey } from "../domain/store/StoredRecord.ts"
import { storedRecordKey } from "../domain/store/StoredRecord.ts"
import { dayMillis } from "../domain/value/Instant.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import { makeCommit } from "./commit.ts"
import { recordPage } from "./recordPages.ts"

/** Prunes the next page of messages. Returns whether another page follows now. */
export type PrunePage = (before: PruneBefore, monotonicMillis: number) => Effect.Effect<boolean, StoreUnavailable>

export const makePruning = (store: MailStoreShape): PrunePage => {
  const commit = makeCommit(store)
  let after: StoredRecordKey | null = null
  let begunMillis = Number.NEGATIVE_INFINITY

  return (before, monotonicMillis) =>
    Effect.gen(function* () {
      const newest = Math.max(before.bodies ?? Number.NEGATIVE_INFINITY, before.attachments ?? Number.NEGATIVE_INFINITY)
      if (newest === Number.NEGATIVE_INFINITY) return false
      if (monotonicMillis - begunMillis >= dayMillis) {
        begunMillis = monotonicMillis
        after = null
      }
      const messages = yield* recordPage(store, "Message", after)
      const young = messages.findIndex(({ record }) => record.createdAt >= newest)
      const old = messages.slice(0, young === -1 ? undefined : young)
      if (old.length === 0) return false
      const load = Effect.gen(function* () {
        const [stored, deliveries] = yield* Effect.all([
          store.read(
            old.map(({ record }) => ({ _tag: "Message", projectId: record.projectId, id: record.id }) as const)
          ),
          store.read(
            old.map(
              ({ record }) =>
                ({ _tag: "DeliveriesOfMessage", projectId: record.projectId, messageId: record.id }) as const
            )
          )
        ])
        return stored.flatMap((message, n) => (message === null ? [] : [{ message, deliveries: deliveries[n]! }]))
      })
      yield* commit(load, (facts) => Result.succeed(pruneMessages(facts, before)), "bounded")
      after = storedRecordKey(old.at(-1)!)
      return old.length === messages.length
    })
}
