/**
 * The current id of a worker and its former ones, in the memory of this process. Counts the claimed rows of each that are under work, and knows when
 * the lease of each was last set.
 */
import { Effect, Latch } from "effect"
import type { Moment } from "./moment.ts"

/** How many former ids are kept, to end their leases on shutdown. */
const formerIdsMax = 64

export interface WorkerIds {
  /** The id of further claims. */
  readonly current: () => string
  /** The former ids and the current one. */
  readonly all: () => ReadonlyArray<string>
  /** Makes further claims under a new id. */
  readonly change: () => void
  /** Counts a claimed row of an id as under work while the work runs. */
  readonly duringWork: (id: string, work: Effect.Effect<unknown>) => Effect.Effect<unknown>
  readonly hasRows: (id: string) => boolean
  /** The ids with claimed rows under work. */
  readonly withRows: () => ReadonlyArray<string>
  /** Waits until there are claimed rows under work, and then runs the effect. So an idle worker has no timer. */
  readonly whenRows: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Records when the lease of an id was set. An earlier moment than the last one changes nothing. */
  readonly recordRenewal: (id: string, at: Moment) => void
  readonly renewedAt: (id: string) => Moment | undefined
  /** Forgets when the lease of the current id was set, because the lease ends. */
  readonly forgetCurrentRenewal: () => void
}

export const makeWorkerIds = (newId: () => string): WorkerIds => {
  const rowCounts = new Map<string, number>()
  const hasAnyRows = Latch.makeUnsafe(false)
  const renewed = new Map<string, Moment>()
  const formerIds: Array<string> = []
  let current = newId()

  const count = (id: string, by: number): void => {
    const sum = (rowCounts.get(id) ?? 0) + by
    if (sum > 0) rowCounts.set(id, sum)
    else {
      rowCounts.delete(id)
      if (id !== current) renewed.delete(id)
    }
    if (rowCounts.size > 0) hasAnyRows.openUnsafe()
    else hasAnyRows.closeUnsafe()
  }

  return {
    current: () => current,
    all: () => [...formerIds, current],
    change: () => {
      formerIds.push(current)
      if (formerIds.length > formerIdsMax) formerIds.shift()
      if (!rowCounts.has(current)) renewed.delete(current)
      current = newId()
    },
    duringWork: (id, work) =>
      Effect.acquireUseRelease(
        Effect.sync(() => count(id, 1)),
        () => work,
        () => Effect.sync(() => count(id, -1))
      ),
    hasRows: (id) => rowCounts.has(id),
    withRows: () => [...rowCounts.keys()],
    whenRows: hasAnyRows.whenOpen,
    recordRenewal: (id, at) => {
      const last = renewed.get(id)
      if (last === undefined || at.monotonicMillis >= last.monotonicMillis) renewed.set(id, at)
    },
    renewedAt: (id) => renewed.get(id),
    forgetCurrentRenewal: () => void renewed.delete(current)
  }
}
