/**
 * The order in which a claim takes deliveries: round-robin over the projects, and over the immediate and the bulk mail of each.
 * Source: decision 0043.
 */
import type { ProjectId } from "../access/Project.ts"
import type { Instant } from "../value/Instant.ts"
import { compareIds } from "../value/Id.ts"

/** The deliveries of one project that are bulk, or those that are not. */
export interface Lane {
  readonly projectId: ProjectId
  readonly bulk: boolean
}

/** Where a claim begins, and how many deliveries each project may have under way. */
export interface Rotation {
  /** The lane that was served last. The first round begins with the lane after it; `null`: with the first lane. */
  readonly after: Lane | null
  /** At most so many deliveries of one project under way: those of `underWay` and those that the claim takes. */
  readonly perProject: number
  /** How many deliveries of a project are under way. A project that is not named has none. Names no project twice. */
  readonly underWay: ReadonlyArray<{ readonly projectId: ProjectId; readonly count: number }>
}

/** Begins with the first lane, without a limit for each project. */
export const wholeRotation: Rotation = { after: null, perProject: Number.MAX_SAFE_INTEGER, underWay: [] }

/** The order of lanes: by project id, and immediate before bulk. Compares UTF-16 code units; project ids are ASCII. */
export const compareLanes = (a: Lane, b: Lane): number =>
  a.projectId < b.projectId ? -1 : a.projectId > b.projectId ? 1 : Number(a.bulk) - Number(b.bulk)

/** What a claim can mark: a delivery or an event delivery. */
export interface Due {
  readonly id: string
  readonly dueAt: Instant | null
}

/** The order of deliveries in one lane: by `dueAt`, oldest first, then by id. */
export const longestDueFirst = (a: Due, b: Due): number => (a.dueAt ?? 0) - (b.dueAt ?? 0) || compareIds(a, b)

/** The due deliveries of each lane, longest due first. The lanes have the order of the first round. */
const lanesOf = <D extends Due & Lane>(due: ReadonlyArray<D>, after: Lane | null): ReadonlyArray<ReadonlyArray<D>> => {
  const lanes = [...Map.groupBy(due, ({ projectId, bulk }) => `${projectId}/${Number(bulk)}`).values()]
    .map((lane) => lane.toSorted(longestDueFirst))
    .toSorted(([a], [b]) => compareLanes(a!, b!))
  const first = after === null ? 0 : lanes.findIndex(([one]) => compareLanes(one!, after) > 0)
  return first <= 0 ? lanes : [...lanes.slice(first), ...lanes.slice(0, first)]
}

/**
 * Chooses at most `limit` of the due deliveries, in the order in which they are taken. Each round takes, from one lane after the other, the
 * delivery that has been due longest, while its project has fewer than `perProject` under way.
 */
export const roundRobin = <D extends Due & Lane>(
  due: ReadonlyArray<D>,
  limit: number,
  { after, perProject, underWay }: Rotation
): ReadonlyArray<D> => {
  const counts = new Map(underWay.map(({ projectId, count }) => [projectId, count]))
  const taken: Array<D> = []
  let lanes = lanesOf(due, after)
  for (let round = 0; lanes.length > 0 && taken.length < limit; round++) {
    for (const lane of lanes) {
      const next = lane[round]!
      const count = counts.get(next.projectId) ?? 0
      if (taken.length >= limit) break
      if (count >= perProject) continue
      counts.set(next.projectId, count + 1)
      taken.push(next)
    }
    // The lane of a full project takes no more in this claim, so that a delivery that a round left out is not needed again.
    lanes = lanes.filter((lane) => lane.length > round + 1 && (counts.get(lane[0]!.projectId) ?? 0) < perProject)
  }
  return taken
}
