/**
 * Projects. The first use of a project id creates the project.
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { settled } from "../decide/Decision.ts"
import type { InvalidArgument } from "../domain/Failure.ts"
import type { Project, ProjectId, ProjectSettings } from "../domain/Project.ts"
import { parseProject, parseProjectSettings } from "../domain/Project.ts"
import { decideAndCommit } from "../internal/decideAndCommit.ts"
import { validated } from "../internal/validated.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"

export class Projects extends Context.Service<
  Projects,
  {
    /** Returns the project. Creates the project when it does not exist. */
    readonly ensure: (id: ProjectId) => Effect.Effect<Project, InvalidArgument | StoreUnavailable>
    /** Changes the given settings. Creates the project when it does not exist. */
    readonly set: (id: ProjectId, change: ProjectSettings) => Effect.Effect<Project, InvalidArgument | StoreUnavailable>
    readonly list: Effect.Effect<ReadonlyArray<Project>, StoreUnavailable>
  }
>()("@mailkeep/core/service/Projects") {
  static readonly layer = Layer.effect(
    Projects,
    Effect.gen(function* () {
      const store = yield* MailStore

      const ensure = Effect.fn("Projects.ensure")(function* (id: ProjectId) {
        yield* validated(parseProject, { project: id })
        const now = yield* Clock.currentTimeMillis
        const made: Project = { id, onAmbiguous: "retry", createdAt: now, revision: 1 }
        return yield* decideAndCommit(store, store.read([{ _tag: "Project", id }]), ([existing]) =>
          Result.succeed(
            existing !== null
              ? settled(existing)
              : { answer: made, changes: [{ _tag: "PutProject", project: made, replaces: null }] }
          )
        )
      })

      const set = Effect.fn("Projects.set")(function* (id: ProjectId, request: ProjectSettings) {
        const change = yield* validated(parseProjectSettings, request)
        yield* ensure(id)
        return yield* decideAndCommit(store, store.read([{ _tag: "Project", id }]), ([existing]) => {
          const after: Project = { ...existing!, ...change, revision: existing!.revision + 1 }
          const changes = [{ _tag: "PutProject", project: after, replaces: existing!.revision } as const]
          return Result.succeed({ answer: after, changes })
        })
      })

      const list = Effect.map(store.read([{ _tag: "Projects" }]), ([projects]) => projects)

      return { ensure, set, list }
    })
  )
}
