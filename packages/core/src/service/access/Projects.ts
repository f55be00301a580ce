/**
 * Projects. `Domains.create`, `Domains.ensure`, `ApiKeys.create`, `Projects.ensure` and `Projects.update` create the project when it does not exist.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { ensureProject, updateProject } from "../../decide/access/project.ts"
import { planUsage, usageCounters } from "../../decide/plan/planUsage.ts"
import type { Project, ProjectId, UpdateProjectInput } from "../../domain/access/Project.ts"
import { parseUpdateProject, toProject } from "../../domain/access/Project.ts"
import type { ProjectDeletionReport } from "../../domain/access/ProjectDeletion.ts"
import type { PlanUsage, PlanUsageInput } from "../../domain/plan/PlanUsage.ts"
import { parsePlanUsage } from "../../domain/plan/PlanUsage.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import { utcDayOf } from "../../domain/value/Instant.ts"
import { makeCommit } from "../../internal/store/commit.ts"
import { failWhileDeleting, makeProjectDeletion } from "../../internal/access/projectDeletion.ts"
import { validated, validIds } from "../../internal/validated.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"
import { PlanSource } from "../../port/PlanSource.ts"

/**
 * The projects and their settings. A project exists after the first `Domains.create`, `Domains.ensure`, `ApiKeys.create`, `Projects.ensure` or
 * `Projects.update` with its id. The other services create no project. Each method fails with `InvalidArgument` when a project id or a setting is not
 * valid. `ensure` and `update` fail with `StoreUnavailable`, reason `deleting`, while the project is being deleted.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Projects } from "@mailkeep/core"
 *
 * export const neverSendTwice = Effect.gen(function* () {
 *   const projects = yield* Projects
 *   return yield* projects.update("prj_acme", { onAmbiguous: "fail" })
 * })
 * ```
 */
export class Projects extends Context.Service<
  Projects,
  {
    /** Returns the project. Creates the project when it does not exist. */
    readonly ensure: (projectId: ProjectId) => Effect.Effect<Project, InvalidArgument | StoreUnavailable>
    /** Changes the given settings. Creates the project when it does not exist. */
    readonly update: (
      projectId: ProjectId,
      input: UpdateProjectInput
    ) => Effect.Effect<Project, InvalidArgument | StoreUnavailable>
    /**
     * Deletes the project with all of its records: its mail and its log, also the mail that waits, its API keys, domains, contacts, suppressions,
     * templates, webhooks, events and usage. Writes bounded commits, so the deletion is not atomic. From its first commit, no send of the project is
     * accepted, its API keys are unknown, and what creates a project fails with `StoreUnavailable`, reason `deleting`.
     *
     * Call again while `isComplete` is `false`, and after a failure or an interruption: the deletion continues. A project without records is
     * deleted too, so that a repeat succeeds. Afterwards the id can be used for a new project.
     */
    readonly delete: (projectId: ProjectId) => Effect.Effect<ProjectDeletionReport, InvalidArgument | StoreUnavailable>
    /**
     * How much of its plan the project has used, and the recipients of each day. The default is today. Reads only counters, so that it is fast however
     * many records there are. A project that does not exist has used nothing. `DeliveryLog.usageAudit` counts the records.
     */
    readonly usage: (
      projectId: ProjectId,
      input?: PlanUsageInput
    ) => Effect.Effect<PlanUsage, InvalidArgument | StoreUnavailable>
    /** Lists all projects, by id. */
    readonly list: Effect.Effect<ReadonlyArray<Project>, StoreUnavailable>
  }
>()("@mailkeep/core/service/Projects") {
  /** Makes the service from the services that it needs. `MailCore.layer` makes all of them. */
  static readonly layer = Layer.effect(
    Projects,
    Effect.gen(function* () {
      const store = yield* MailStore
      const plans = yield* PlanSource
      const commit = makeCommit(store)

      const deletion = makeProjectDeletion({ store, commit })

      const load = (id: ProjectId) =>
        Effect.andThen(
          failWhileDeleting(store, id),
          Effect.map(store.read([{ _tag: "Project", id }]), ([existing]) => ({ existing }))
        )

      const ensure = Effect.fn("Projects.ensure")(function* (projectId: ProjectId) {
        yield* validIds({ projectId })
        const now = yield* Clock.currentTimeMillis
        const project = yield* commit(
          load(projectId),
          (facts) => ensureProject(projectId, { now, ...facts }),
          "bounded"
        )
        return toProject(project)
      })

      const update = Effect.fn("Projects.update")(function* (projectId: ProjectId, input: UpdateProjectInput) {
        yield* validIds({ projectId })
        const valid = yield* validated(parseUpdateProject, input)
        const now = yield* Clock.currentTimeMillis
        const updated = yield* commit(
          load(projectId),
          (facts) => updateProject(projectId, valid, { now, ...facts }),
          "bounded"
        )
        return toProject(updated)
      })

      const deleteOne = Effect.fn("Projects.delete")(function* (projectId: ProjectId) {
        yield* validIds({ projectId })
        return yield* deletion(projectId)
      })

      const usage = Effect.fn("Projects.usage")(function* (projectId: ProjectId, input: PlanUsageInput = {}) {
        yield* validIds({ projectId })
        const now = yield* Clock.currentTimeMillis
        const days = yield* validated((given) => parsePlanUsage(given, now), input)
        const plan = yield* plans.planOf(projectId)
        const names = usageCounters(utcDayOf(now), days)
        const [values] = yield* store.read([{ _tag: "Counters", projectId, names }])
        return planUsage(plan, days, values)
      })

      const list = Effect.map(store.read([{ _tag: "Projects" }]), ([projects]) => projects.map(toProject)).pipe(
        Effect.withSpan("Projects.list")
      )

      return { ensure, update, delete: deleteOne, usage, list }
    })
  )
}
