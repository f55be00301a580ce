/**
 * Creates projects and changes their settings.
 */
import { Result } from "effect"
import type { ProjectId, ProjectRecord, ValidUpdateProject } from "../../domain/access/Project.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { Decision } from "../store/Decision.ts"
import { unchanged } from "../store/Decision.ts"
import { expectNoDeletion } from "../store/expectation.ts"

export interface ProjectFacts {
  readonly now: Instant
  readonly existing: ProjectRecord | null
}

const newProject = (id: ProjectId, now: Instant): ProjectRecord => ({
  id,
  onAmbiguous: "retry",
  listUnsubscribe: false,
  createdAt: now,
  revision: 1
})

const put = (project: ProjectRecord, replaces: number | null): Decision<ProjectRecord> => ({
  answer: project,
  changes: [...(replaces === null ? [expectNoDeletion(project.id)] : []), { _tag: "PutProject", project, replaces }]
})

/** Returns the existing project, or creates it. */
export const ensureProject = (id: ProjectId, { now, existing }: ProjectFacts): Result.Result<Decision<ProjectRecord>> =>
  Result.succeed(existing === null ? put(newProject(id, now), null) : unchanged(existing))

/** Changes the given settings. Creates the project when it does not exist. */
export const updateProject = (
  id: ProjectId,
  input: ValidUpdateProject,
  { now, existing }: ProjectFacts
): Result.Result<Decision<ProjectRecord>> => {
  const before = existing ?? newProject(id, now)
  const onAmbiguous = input.onAmbiguous ?? before.onAmbiguous
  const listUnsubscribe = input.listUnsubscribe ?? before.listUnsubscribe
  if (existing === null) return Result.succeed(put({ ...before, onAmbiguous, listUnsubscribe }, null))
  if (onAmbiguous === before.onAmbiguous && listUnsubscribe === before.listUnsubscribe)
    return Result.succeed(unchanged(existing))
  const revision = existing.revision + 1
  return Result.succeed(put({ ...existing, onAmbiguous, listUnsubscribe, revision }, existing.revision))
}
