/**
 * Counts how much work of each project is under way in this process, so that the work of one project does not hold up that of others. Source:
 * decision 0043.
 */
import { Effect } from "effect"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { Rotation } from "../../domain/store/Rotation.ts"
import type { StartWork, WorkGroup } from "./workLoop.ts"

/** A group of work that also counts the work of each project. */
export interface ProjectGroup {
  /** Starts work by the function of a loop or of a tick. */
  readonly start: (startWork: StartWork, projectId: ProjectId, work: Effect.Effect<unknown>) => Effect.Effect<unknown>
  /** How much more work may start. */
  readonly free: () => number
  /** How much work has ended since the group was made. */
  readonly ended: () => number
  /** Whether more work of the project may start. */
  readonly hasRoom: (projectId: ProjectId) => boolean
  /** The limit of the claim for each project. */
  readonly limits: () => Pick<Rotation, "perProject" | "underWay">
  /** Whether all projects together, or one of them, have as much work under way as they may have. */
  readonly isFull: () => boolean
}

/** `perProject`: at most so much work of one project at once. The group does not refuse work above it. */
export const makeProjectGroup = (group: WorkGroup, perProject: number): ProjectGroup => {
  const counts = new Map<ProjectId, number>()
  let endedCount = 0
  const add = (projectId: ProjectId, by: number) => {
    const count = (counts.get(projectId) ?? 0) + by
    if (count > 0) counts.set(projectId, count)
    else counts.delete(projectId)
  }
  return {
    // Work that is counted and not started would count for ever.
    start: (startWork, projectId, work) =>
      Effect.suspend(() => {
        add(projectId, 1)
        return group.start(
          startWork,
          Effect.ensuring(
            work,
            Effect.sync(() => {
              add(projectId, -1)
              endedCount++
            })
          )
        )
      }).pipe(Effect.uninterruptible),
    free: group.free,
    ended: () => endedCount,
    hasRoom: (projectId) => group.free() > 0 && (counts.get(projectId) ?? 0) < perProject,
    limits: () => ({ perProject, underWay: [...counts].map(([projectId, count]) => ({ projectId, count })) }),
    isFull: () => group.free() <= 0 || [...counts.values()].some((count) => count >= perProject)
  }
}
