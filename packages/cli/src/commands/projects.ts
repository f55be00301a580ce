/**
 * `mailkeep projects`: the owners of everything else.
 */
import type { Project } from "@mailkeep/core"
import { ambiguityPolicies, formatInstant, Projects } from "@mailkeep/core"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { data, json } from "../flags.ts"
import * as MailHome from "../mailHome.ts"
import { print, table } from "../output.ts"

const shown = ({ id, onAmbiguous, createdAt }: Project) => ({ id, onAmbiguous, createdAt: formatInstant(createdAt) })

const list = Command.make("list", { data, json }, ({ data, json }) =>
  Effect.gen(function* () {
    const projects = yield* (yield* Projects).list
    const rows = projects.map(({ id, onAmbiguous }) => [id, onAmbiguous])
    yield* print(json, { projects: projects.map(shown) }, table([["ID", "ON AMBIGUOUS"], ...rows]))
  }).pipe(MailHome.at({ data }))
).pipe(Command.withDescription("List all projects"))

const set = Command.make(
  "set",
  {
    id: Argument.String("project-id").pipe(Argument.withDescription("Such as prj_acme; naming one makes it")),
    onAmbiguous: Flag.Literals("on-ambiguous", ambiguityPolicies).pipe(
      Flag.withDescription(
        "What to do when a connection was lost after the whole message was given: retry may double it, fail may lose it"
      )
    ),
    data,
    json
  },
  ({ id, onAmbiguous, data, json }) =>
    Effect.gen(function* () {
      const project = yield* (yield* Projects).set(id, { onAmbiguous })
      yield* print(json, shown(project), `${project.id} ${project.onAmbiguous}`)
    }).pipe(MailHome.at({ data }))
).pipe(Command.withDescription("Change a project's settings"))

export const projects = Command.make("projects").pipe(
  Command.withDescription("Projects and their settings"),
  Command.withSubcommands([list, set])
)
