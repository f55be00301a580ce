/**
 * `mailkeep projects`: the projects and their settings.
 */
import type { Project } from "@mailkeep/core"
import { ambiguityPolicies, formatInstant, Projects } from "@mailkeep/core"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { data, json } from "../flags.ts"
import * as DataFolder from "../dataFolder.ts"
import { print, table } from "../output.ts"

const shown = ({ id, onAmbiguous, createdAt }: Project) => ({ id, onAmbiguous, createdAt: formatInstant(createdAt) })

const list = Command.make("list", { data, json }, ({ data, json }) =>
  Effect.gen(function* () {
    const projects = yield* (yield* Projects).list
    const rows = projects.map(({ id, onAmbiguous }) => [id, onAmbiguous])
    yield* print(json, { projects: projects.map(shown) }, table([["ID", "ON AMBIGUOUS"], ...rows]))
  }).pipe(DataFolder.at({ data }))
).pipe(Command.withDescription("List all projects"))

const set = Command.make(
  "set",
  {
    id: Argument.String("project-id").pipe(
      Argument.withDescription("The project, such as prj_acme; created on first use")
    ),
    onAmbiguous: Flag.Literals("on-ambiguous", ambiguityPolicies).pipe(
      Flag.withDescription("What to do with an ambiguous attempt: retry may send the message twice, fail may lose it")
    ),
    data,
    json
  },
  ({ id, onAmbiguous, data, json }) =>
    Effect.gen(function* () {
      const project = yield* (yield* Projects).update(id, { onAmbiguous })
      yield* print(json, shown(project), `${project.id} ${project.onAmbiguous}`)
    }).pipe(DataFolder.at({ data }))
).pipe(Command.withDescription("Change a project's settings"))

export const projects = Command.make("projects").pipe(
  Command.withDescription("Projects and their settings"),
  Command.withSubcommands([list, set])
)
