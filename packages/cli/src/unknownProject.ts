/**
 * The warning about a project without records. A mistake in its id would look like a project without mail.
 */
import { Projects } from "@mailkeep/core"
import { Effect } from "effect"

/** Warns when the project does not exist. For commands that have found nothing. */
export const warnOfUnknownProject = (projectId: string) =>
  Effect.gen(function* () {
    const projects = yield* (yield* Projects).list
    if (projects.some(({ id }) => id === projectId)) return
    yield* Effect.logWarning("The project does not exist. `mailkeep projects list` shows all projects.", {
      project: projectId
    })
  })
