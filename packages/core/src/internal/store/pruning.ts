/**
 * Deletes the bodies and files of old messages, one page of messages at a time, oldest first. Begins again once a day, for messages that had not
 * ended. Source: decision 0051.
 */
import { Effect, Result } from "effect"
import type { PruneBefore } from "../../decide/message/pruneMessage.ts"
import { pruneMessages } from "../../decide/message/pruneMessage.ts"
import type { Message } from "../../domain/message/Message.ts"
import type { Position } from "../../domain/store/Paging.ts"
import { dayMillis } from "../../domain/value/Instant.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import { makeCommit } from "./commit.ts"
import { bytesOfRecord } from "./fittingPages.ts"

/** The most messages of a page. */
const pageMax = 20
/** How many messages one query reads. A message can have two bodies of 2 MiB. */
const readAtOnce = 4
/** A page of this size gets no more messages. The size is by `bytesOfRecord`. */
const pageBytesMax = 16 * 1024 * 1024

/** A message without its bodies. */
type MessageKey = Pick<Message, "id" | "projectId" | "createdAt">

/** Prunes the next page of messages. Returns whether another page follows now. */
export type PrunePage = (before: PruneBefore, monotonicMillis: number) => Effect.Effect<boolean, StoreUnavailable>

export const makePruning = (store: MailStoreShape): PrunePage => {
  const commit = makeCommit(store)
  let after: Position | null = null
  let begunMillis = Number.NEGATIVE_INFINITY

  /** Returns the next messages: fewer while they are large. `isLast` is whether no other message follows. */
  const nextPage = (newest: number) =>
    Effect.gen(function* () {
      const page: Array<MessageKey> = []
      let bytes = 0
      while (page.length < pageMax && bytes < pageBytesMax) {
        const from: Position | null = page.at(-1) ?? after
        const query = { _tag: "MessagesBefore", before: newest, after: from, limit: readAtOnce } as const
        const [found]: readonly [ReadonlyArray<Message>] = yield* store.read([query])
        for (const record of found) {
          const { id, projectId, createdAt } = record
          page.push({ id, projectId, createdAt })
          bytes += bytesOfRecord({ kind: "Message", record })
        }
        if (found.length < readAtOnce) return { page, isLast: true }
      }
      return { page, isLast: false }
    })

  const load = (messages: ReadonlyArray<MessageKey>) =>
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
      const { page, isLast } = yield* nextPage(newest)
      const last = page.at(-1)
      if (last === undefined) return false
      const pruned = (messages: ReadonlyArray<MessageKey>) =>
        commit(load(messages), (facts) => Result.succeed(pruneMessages(facts, before)), "bounded")
      const byProject = Map.groupBy(page, ({ projectId }) => projectId)
      yield* Effect.forEach(byProject, ([, messages]) => pruned(messages), { concurrency: "unbounded", discard: true })
      after = { createdAt: last.createdAt, id: last.id }
      return !isLast
    })
}
