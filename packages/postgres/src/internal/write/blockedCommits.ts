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
  /** Whether a short wait for its locks was not enough. */
  readonly isBlocked: boolean
}

export const countersOf = (changes: ReadonlyArray<Change>): string | null =>
  changes.find((change) => change._tag === "AddToCounter")?.projectId ?? null

export interface BlockedCommits {
  /** Whether a group under way waits long for the same counters. */
  readonly isBehind: (one: Blockable) => boolean
  /** Whether the commit can be in the next group, whose first commit this is if there is one. */
  readonly mayJoin: (one: Blockable, first: Blockable | undefined) => boolean
  /** Runs a group of blocked commits, of which this is the first. */
  readonly whileWaiting: <A>(first: Blockable, group: Effect.Effect<A>) => Effect.Effect<A>
}

/** `groupsMax`: so many groups may wait long for their locks at once. */
export const makeBlockedCommits = (groupsMax: number): BlockedCommits => {
  let groups = 0
  const counted = new Set<string>()
  const isBehind = ({ counters }: Blockable): boolean => counters !== null && counted.has(counters)
  return {
    isBehind,
    mayJoin: (one, first) => {
      if (isBehind(one)) return false
      if (first === undefined) return !one.isBlocked || groups < groupsMax
      if (!one.isBlocked) return !first.isBlocked
      // Without counters, it is unknown which lock each of them waits for.
      return first.isBlocked && one.counters !== null && one.counters === first.counters
    },
    whileWaiting: ({ counters }, group) =>
      Effect.suspend(() => {
        groups++
        if (counters !== null) counted.add(counters)
        return Effect.map(group, (result) => {
          groups--
          if (counters !== null) counted.delete(counters)
          return result
        })
      })
  }
}
