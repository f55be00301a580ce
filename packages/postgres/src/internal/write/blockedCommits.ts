/**
 * Commits that did not get a lock in a short time, such as that of the counters of a project which a transaction of the product keeps locked. They wait
 * longer in groups of their own, so that the commits of other projects do not wait with them. Source: decision 0072.
 */
import type { Change } from "@mailkeep/core/adapter"
import { Effect } from "effect"

/** What decides with which commits another one can be in a group. */
export interface Blockable {
  /** The project to whose counters the commit adds, or `null`. */
  readonly counters: string | null
  /**
   * After a short wait of a group, each of its commits can be the reason that no lock was free: they are suspected. Commits that form a group by themselves are
   * then blocked.
   */
  readonly lockState: "new" | "suspected" | "blocked"
}

export const countersOf = (changes: ReadonlyArray<Change>): string | null =>
  changes.find((change) => change._tag === "AddToCounter")?.projectId ?? null

/** Whether the two wait for the same locks. Without counters, it is unknown which lock each of them waits for. */
const haveSameLocks = (one: Blockable, other: Blockable): boolean =>
  one === other || (one.counters !== null && one.counters === other.counters)

/** What the commits of a group are after a short wait for its locks was not enough. */
export const stateAfterWait = (group: ReadonlyArray<Blockable>): "suspected" | "blocked" =>
  group.every((one) => haveSameLocks(one, group[0]!)) ? "blocked" : "suspected"

export interface BlockedCommits {
  /** Whether the commit waits until earlier commits to the same counters have ended, which are suspected or blocked. */
  readonly isBehind: (one: Blockable) => boolean
  /** Whether a commit that is not behind others can be in the next group, whose first commit this is if there is one. */
  readonly mayJoin: (one: Blockable, first: Blockable | undefined) => boolean
  /** Counts a commit that is no longer new, until `remove`. */
  readonly add: (one: Blockable) => void
  readonly remove: (one: Blockable) => void
  /** Runs a group of blocked commits, of which this is the first. */
  readonly whileWaiting: <A>(first: Blockable, group: Effect.Effect<A>) => Effect.Effect<A>
}

/** `groupsMax`: so many groups may wait long for their locks at once. */
export const makeBlockedCommits = (groupsMax: number): BlockedCommits => {
  let groups = 0
  /** The counters for which a group waits long. */
  const waitingFor = new Set<string | null>()
  /** The number of commits that are no longer new, for each counters. */
  const counts = new Map<string | null, number>()
  const change = ({ counters }: Blockable, by: number) => {
    const count = (counts.get(counters) ?? 0) + by
    if (count === 0) counts.delete(counters)
    else counts.set(counters, count)
  }
  return {
    isBehind: ({ counters, lockState }) =>
      counters !== null && (lockState === "new" ? counts.has(counters) : waitingFor.has(counters)),
    mayJoin: (one, first) => {
      if (first === undefined) return one.lockState !== "blocked" || groups < groupsMax
      return one.lockState === first.lockState && (one.lockState === "new" || haveSameLocks(one, first))
    },
    add: (one) => change(one, 1),
    remove: (one) => change(one, -1),
    whileWaiting: ({ counters }, group) =>
      Effect.suspend(() => {
        groups++
        waitingFor.add(counters)
        return Effect.map(group, (result) => {
          groups--
          waitingFor.delete(counters)
          return result
        })
      })
  }
}
