/**
 * Creates projects and changes their settings.
 */
import { Result } from "effect"
import type { ProjectId, ProjectRecord, ValidUpdateProject } from "../../domain/access/Project.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { Decision } from "../store/Decision.ts"
import { unchanged } from "../store/Decision.ts"

export interface ProjectFacts {
  readonly now: Instant
  readonly existing: ProjectRecord | null
}

const newProject = (id: ProjectId, now: Instant): ProjectRecord => ({
  id,
  onAmbiguous: "retry",
  createdAt: now,
  revision: 1
})

const put = (project: ProjectRecord, replaces: number | null): Decision<ProjectRecord> => ({
  answer: project,
  changes: [{ _tag: "PutProject", project, replaces }]
})

/** Returns the existing project, or creates it. */
export const ensureProject = (id: ProjectId, { now, existing }: ProjectFacts): Result.Result<Decision<ProjectRecord>> =>
  Result.succeed(existing === null ? put(newProject(id, now), null) : unchanged(existing))

/** Changes the given settings. Creates the project when it does not exist. */
export const updateProject = (
  id: ProjectId,
  { onAmbiguous }: ValidUpdateProject,
  { now, existing }: ProjectFacts
): Result.Result<Decision<ProjectRecord>> => {
  if (existing === null) {
    const made = newProject(id, now)
    return Result.succeed(put({ ...made, onAmbiguous: onAmbiguous ?? made.onAmbiguous }, null))
  }
  if (onAmbiguous === undefined || onAmbiguous === existing.onAmbiguous) return Result.succeed(unchanged(existing))
  return Result.succeed(put({ ...existing, onAmbiguous, revision: existing.revision + 1 }, existing.revision))
}
