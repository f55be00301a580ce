/**
 * Groups of commits that end when the test says so: with all commits applied, or with none because a lock was not free.
 */
import type { Change } from "@mailkeep/core/adapter"
import { eventLoopTurns } from "@mailkeep/test-support/eventLoop"
import { Effect, Exit } from "effect"
import { makeGroupCommit } from "../src/internal/write/groupCommit.ts"

type Commit = ReadonlyArray<Change>

export const put = (name: string): Commit => [{ _tag: "PutSetting", name, value: "x" }]

export const spend = (by: number, max: number, projectId = "prj_1"): Commit => [
  { _tag: "AddToCounter", projectId: projectId as never, name: "allowance", by, max }
]

/** The project to whose counters the commit adds. */
const projectOf = ([change]: Commit) => (change?._tag === "AddToCounter" ? change.projectId : "none")

/** `texts` has the projects of each group, and how long it may wait for a lock. */
export const heldGroups = Effect.gen(function* () {
  const groups: Array<{
    readonly commits: ReadonlyArray<Commit>
    readonly text: string
    readonly end: (isApplied: boolean) => void
  }> = []
  let isEndedAtOnce = false
  const commitGroup = (commits: ReadonlyArray<Commit>, lockWait: string) =>
    Effect.callback<ReadonlyArray<Exit.Exit<void> | undefined>>((resume) => {
      const end = (isApplied: boolean) => resume(Effect.succeed(commits.map(() => (isApplied ? Exit.void : undefined))))
      groups.push({ commits, text: `${commits.map(projectOf).join(" ")}: ${lockWait}`, end })
      if (isEndedAtOnce) end(true)
    })
  const { commit, counts } = yield* makeGroupCommit(commitGroup)
  const begin = (changes: Commit) => Effect.forkChild(commit(changes), { startImmediately: true })
  return {
    begin,
    commit,
    counts,
    /** Begins one group after the other, so that each has one commit. */
    beginApart: (commits: ReadonlyArray<Commit>) =>
      Effect.forEach(commits, (changes) => Effect.tap(begin(changes), () => eventLoopTurns(10))),
    end: (at: number, isApplied: boolean) =>
      Effect.andThen(
        Effect.sync(() => groups[at]!.end(isApplied)),
        eventLoopTurns(10)
      ),
    /** Applies all commits from now on at once. */
    endAll: () => {
      isEndedAtOnce = true
      for (const { end } of groups) end(true)
    },
    texts: () => groups.map(({ text }) => text),
    commitsOf: (at: number) => groups[at]!.commits,
    sizes: () => groups.map(({ commits }) => commits.length)
  }
})
