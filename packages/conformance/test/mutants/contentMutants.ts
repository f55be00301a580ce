/**
 * Mutants of the reference store for the laws of contents and of the sweep of messages.
 */
import type { Attempt, ChangeOf, MailStoreShape, MessageSweep, SweptMessages } from "@mailkeep/core/adapter"
import { StoreUnavailable } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import type { Mutation } from "./mutating.ts"
import { answering, changing, keeping, rereading } from "./mutating.ts"

/** Replaces a content by the one that was written last. */
const lastContent: Mutation = (store) => {
  const last = new Map<string, ChangeOf<"PutContent">["chunks"]>()
  const answered = answering("ContentChunk", (answer, { projectId, hash, chunk }) =>
    last.has(`${projectId} ${hash}`) ? (last.get(`${projectId} ${hash}`)?.[chunk] ?? null) : answer
  )(store)
  return {
    ...answered,
    commit: (changes) =>
      Effect.tap(store.commit(changes), () =>
        Effect.sync(() => {
          for (const change of changes)
            if (change._tag === "PutContent") last.set(`${change.projectId} ${change.hash}`, change.chunks)
        })
      )
  }
}

/** Looks for the contents first, and writes the message later, without those that the project had. */
const contentsCheckedFirst: Mutation = (store) => ({
  ...store,
  commit: (changes) =>
    Effect.gen(function* () {
      const missing = yield* Effect.filter(changes, (change): Effect.Effect<boolean, StoreUnavailable> =>
        change._tag === "PutContent"
          ? Effect.map(
              store.read([{ _tag: "ContentChunk", projectId: change.projectId, hash: change.hash, chunk: 0 }]),
              ([chunk]) => chunk === null
            )
          : Effect.succeed(true)
      )
      yield* Effect.yieldNow
      yield* store.commit(missing)
    })
})

/** Refuses a commit whose contents are larger than a group of commits. */
const limited: Mutation = (store) => ({
  ...store,
  commit: (changes) => {
    const bytes = changes.reduce(
      (sum, change) =>
        change._tag === "PutContent" ? change.chunks.reduce((all, chunk) => all + chunk.length, sum) : sum,
      0
    )
    return bytes > 8 * 1024 * 1024 ? Effect.fail(new StoreUnavailable({ reason: "overloaded" })) : store.commit(changes)
  }
})

/** Changes what a sweep of messages does. */
const sweepingMessages =
  (sweep: (store: MailStoreShape, request: MessageSweep) => Effect.Effect<SweptMessages, StoreUnavailable>): Mutation =>
  (store) => ({ ...store, sweepMessages: (request) => sweep(store, request) })

const attemptsOf = (store: MailStoreShape, deliveryId: Attempt["deliveryId"]) =>
  Effect.map(store.read([{ _tag: "Attempts", projectId: "prj_law", deliveryId }]), ([attempts]) => attempts)

/** Leaves the attempts of one delivery. */
const attemptsLeft = sweepingMessages((store, request) =>
  Effect.gen(function* () {
    const before = yield* attemptsOf(store, "del_1b")
    const swept = yield* store.sweepMessages(request)
    if ((yield* attemptsOf(store, "del_1b")).length === 0)
      yield* Effect.orDie(store.commit(before.map((attempt) => ({ _tag: "InsertAttempt", attempt }) as const)))
    return swept
  })
)

/** Deletes all contents with the first message. */
const contentsGone: Mutation = (store) => {
  let isSwept = false
  return {
    ...answering("ContentChunk", (answer) => (isSwept ? null : answer))(store),
    sweepMessages: (request) => Effect.tap(store.sweepMessages(request), () => Effect.sync(() => (isSwept = true)))
  }
}

/** Does not count what it deletes. */
const uncounted = sweepingMessages((store, request) =>
  Effect.gen(function* () {
    const swept = yield* store.sweepMessages(request)
    const [[value]] = yield* store.read([{ _tag: "Counters", projectId: "prj_law", names: ["deletedCharged"] }])
    yield* Effect.orDie(
      store.commit([{ _tag: "AddToCounter", projectId: "prj_law", name: "deletedCharged", by: -value!, max: null }])
    )
    return swept
  })
)

/** Examines messages until as many are deleted as the limit. */
const untilDeleted = sweepingMessages((store, request) =>
  Effect.gen(function* () {
    let swept = yield* store.sweepMessages(request)
    while (swept.deleted === 0 && swept.next !== null)
      swept = yield* store.sweepMessages({ ...request, after: swept.next })
    return swept
  })
)

export const contentMutants: Readonly<Record<string, Mutation>> = {
  "contents/bytes-unchanged": changing("PutContent", (change) => [
    { ...change, chunks: change.chunks.filter((chunk) => chunk.length > 0) }
  ]),
  "contents/stored-once": lastContent,
  "contents/apart-for-each-project": rereading("ContentChunk", (store, query) =>
    Effect.map(store.read([query, { ...query, projectId: "prj_law" }]), ([own, other]) => own ?? other)
  ),
  "contents/with-their-commit": keeping((changes) => changes.filter(({ _tag }) => _tag === "PutContent")),
  "contents/as-large-as-they-come": limited,
  "contents/kept-beside-a-sweep": contentsCheckedFirst,
  "messages/only-ended": sweepingMessages((store, request) =>
    store.sweepMessages({ ...request, before: request.before + 1 })
  ),
  "messages/with-all-that-is-theirs": attemptsLeft,
  "messages/contents-with-the-last-message": contentsGone,
  "messages/usage-audit-stays": uncounted,
  "messages/examines-up-to-the-limit": untilDeleted
}
