/**
 * Deletes the bodies and files of old messages, one page of messages at a time, oldest first. Begins again once a day, for messages that had not
 * ended. Source: decision 0051.
 */
import { Effect, Result } from "effect"
import type { PruneBefore } from "../decide/message/pruneMessage.ts"
import { pruneMessages } from "../decide/message/pruneMessage.ts"
import type { Message } from "../domain/message/Message.ts"
import type { Position } from "../domain/store/Paging.ts"
import { dayMillis } from "../domain/value/Instant.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import { makeCommit } from "./commit.ts"

/** A message can be large. */
const messagesAtOnce = 20

/** Prunes the next page of messages. Returns whether another page follows now. */
export type PrunePage = (before: PruneBefore, monotonicMillis: number) => Effect.Effect<boolean, StoreUnavailable>

export const makePruning = (store: MailStoreShape): PrunePage => {
  const commit = makeCommit(store)
  let after: Position | null = null
  let begunMillis = Number.NEGATIVE_INFINITY

  const load = (messages: ReadonlyArray<Message>) =>
    Effect.gen(function* () {
      const [stored, deliveries] = yield* Effect.all([
        store.read(messages.map(({ projectId, id }) => ({ _tag: "Message", projectId, id }) as const)),
        store.read(
          messages.map(({ projectId, id }) => ({ _tag: "DeliveriesOfMessage", projectId, messageId: id }) as const)
        )
      ])
      return stored.flatMap((message, n) => (message === null ? [] : [{ message, deliveries: deliveries[n]! }]))
    })

  return (before, monotonicMillis) =>
    Effect.gen(function* () {
      const newest = Math.max(before.bodies ?? Number.NEGATIVE_INFINITY, before.attachments ?? Number.NEGATIVE_INFINITY)
      if (newest === Number.NEGATIVE_INFINITY) return false
      if (monotonicMillis - begunMillis >= dayMillis) {
        begunMillis = monotonicMillis
        after = null
      }
      const [old] = yield* store.read([{ _tag: "MessagesBefore", before: newest, after, limit: messagesAtOnce }])
      const last = old.at(-1)
      if (last === undefined) return false
      const pruned = (messages: ReadonlyArray<Message>) =>
        commit(load(messages), (facts) => Result.succeed(pruneMessages(facts, before)), "bounded")
      const byProject = Map.groupBy(old, ({ projectId }) => projectId)
      yield* Effect.forEach(byProject, ([, messages]) => pruned(messages), { concurrency: "unbounded", discard: true })
      after = { createdAt: last.createdAt, id: last.id }
      return old.length === messagesAtOnce
    })
}
