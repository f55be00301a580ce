/**
 * Commits a message with large files in several transactions: the chunks of the files first, then everything else with the guards of the
 * message. Source: docs/decisions/0091-staged-contents.md.
 */
import type { Change, ChangeOf, Conflict, StoreUnavailable } from "@mailkeep/core/adapter"
import { Clock, Duration, Effect, Semaphore } from "effect"
import type { GroupCommit } from "./groupCommit.ts"
import type { PutStagedContent } from "./stagedContents.ts"
import { bytesOfChunks, stagedKey } from "./stagedContents.ts"

/** Contents of a commit that have more bytes together are staged. */
const unstagedBytesMax = 1024 * 1024

/** The chunks of one transaction: 1 MiB. */
const chunksAtOnce = 4

/** A staged content that is not committed in this time is left over from a process that ended. */
const expiryMillis = 60 * 60 * 1000

/** A commit that has failed waits at most so long for the end of what it has staged. It may have waited for a lock already. */
const discardWait = Duration.seconds(1)

const isContent = (change: Change): change is ChangeOf<"PutContent"> => change._tag === "PutContent"

/** Whether the contents of the changes are to be staged. */
const isLarge = (changes: ReadonlyArray<Change>): boolean =>
  changes.filter(isContent).reduce((sum, content) => sum + bytesOfChunks(content), 0) > unstagedBytesMax

/** What staging needs of the store. */
export interface StagedCommitDeps {
  readonly submit: GroupCommit["submit"]
  /** Whether the project has the content. */
  readonly hasContent: (projectId: string, hash: string) => Effect.Effect<boolean, StoreUnavailable>
}

/** Makes the `commit` of the store. */
export const makeStagedCommit = ({ submit, hasContent }: StagedCommitDeps) => {
  const commitWhole = (changes: ReadonlyArray<Change>): Effect.Effect<void, Conflict | StoreUnavailable> =>
    submit({ _tag: "Commit", changes })

  // Otherwise the chunks of several commits would be one long transaction.
  const oneAtATime = Semaphore.makeUnsafe(1)

  const discard = ({ projectId, key }: PutStagedContent): Effect.Effect<void> =>
    key === null ? Effect.void : Effect.ignore(submit({ _tag: "DiscardStaged", projectId, key }))

  /** After the wait, the discards still run when the lock is released. */
  const discardAll = (staged: ReadonlyArray<PutStagedContent>): Effect.Effect<void> =>
    Effect.forEach(staged, discard, { concurrency: "unbounded", discard: true }).pipe(
      Effect.interruptible,
      Effect.timeoutOption(discardWait),
      Effect.asVoid
    )

  const stagedOf = ({ projectId, hash, chunks }: ChangeOf<"PutContent">, now: number) =>
    Effect.map(hasContent(projectId, hash), (isStored): PutStagedContent => ({
      _tag: "PutStagedContent",
      projectId,
      hash,
      key: isStored ? null : stagedKey(now, crypto.randomUUID()),
      chunkCount: chunks.length
    }))

  const stage = Effect.fnUntraced(function* (
    { projectId, key }: PutStagedContent,
    { chunks }: ChangeOf<"PutContent">,
    now: number
  ) {
    if (key === null) return
    const expiredBefore = stagedKey(now - expiryMillis, "")
    for (let from = 0; from < chunks.length; from += chunksAtOnce) {
      // A part of an array would take the whole array to the commit thread.
      const copies = chunks.slice(from, from + chunksAtOnce).map((chunk) => chunk.slice())
      const write = submit({ _tag: "StageChunks", projectId, key, from, chunks: copies, expiredBefore })
      // An interrupted caller would discard the content while the write waits for a lock, and the write would run afterwards.
      yield* oneAtATime.withPermit(Effect.uninterruptible(write))
    }
  })

  const commitStaged = (changes: ReadonlyArray<Change>): Effect.Effect<void, Conflict | StoreUnavailable> =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const withStaged = yield* Effect.forEach(
        changes,
        (change): Effect.Effect<Change | PutStagedContent, StoreUnavailable> =>
          isContent(change) ? stagedOf(change, now) : Effect.succeed(change)
      )
      const staged = withStaged.filter((change) => change._tag === "PutStagedContent")
      const contents = changes.filter(isContent)
      return yield* Effect.forEach(staged, (one, n) => stage(one, contents[n]!, now), { discard: true }).pipe(
        Effect.andThen(submit({ _tag: "Commit", changes: withStaged })),
        // After a failure it can be unknown whether the commit was made. Then nothing has the key any more.
        Effect.onError(() => discardAll(staged))
      )
    }).pipe(
      // Only a content that another process has deleted meanwhile, or that took an hour to stage, is missing.
      Effect.catchIf(isMissingContent, () => commitWhole(changes))
    )

  return (changes: ReadonlyArray<Change>): Effect.Effect<void, Conflict | StoreUnavailable> =>
    isLarge(changes) ? commitStaged(changes) : commitWhole(changes)
}

/** No other content has a guard. */
const isMissingContent = (failure: Conflict | StoreUnavailable): boolean =>
  failure._tag === "Conflict" && failure.change === "PutContent"
