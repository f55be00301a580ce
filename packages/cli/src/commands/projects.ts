/**
 * `mailkeep projects`: the projects and their settings.
 */
import type { Project, ProjectDeletionReport } from "@mailkeep/core"
import { ambiguityPolicies, formatInstant, Projects } from "@mailkeep/core"
import { parseInstantOrDay } from "@mailkeep/core/binding"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { data, json } from "../flags.ts"
import { withCore } from "../commandCore.ts"
import { print, table } from "../output.ts"
import { warnOfUnknownProject } from "../unknownProject.ts"

const projectForOutput = ({ createdAt, ...project }: Project) => ({ ...project, createdAt: formatInstant(createdAt) })

const columns = ["ID", "ON AMBIGUOUS", "LIST UNSUBSCRIBE"]

const rowOf = ({ id, onAmbiguous, listUnsubscribe }: Project) => [id, onAmbiguous, listUnsubscribe ? "on" : "off"]

const list = Command.make("list", { data, json }, ({ data, json }) =>
  Effect.gen(function* () {
    const projects = yield* (yield* Projects).list
    yield* print(json, { projects: projects.map(projectForOutput) }, table([columns, ...projects.map(rowOf)]))
  }).pipe(withCore({ data }))
).pipe(Command.withDescription("List all projects"))

const set = Command.make(
  "set",
  {
    id: Argument.String("project-id").pipe(
      Argument.withDescription("The project, such as prj_acme; created on first use")
    ),
    onAmbiguous: Flag.Literals("on-ambiguous", ambiguityPolicies).pipe(
      Flag.withDescription("What to do with an ambiguous attempt: retry may send the message twice, fail may lose it"),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    ),
    listUnsubscribe: Flag.Literals("list-unsubscribe", ["on", "off"]).pipe(
      Flag.withDescription("Whether messages have a link to unsubscribe in their header"),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    ),
    data,
    json
  },
  ({ id, onAmbiguous, listUnsubscribe, data, json }) =>
    Effect.gen(function* () {
      const projects = yield* Projects
      const project = yield* projects.update(id, {
        onAmbiguous,
        listUnsubscribe: listUnsubscribe === undefined ? undefined : listUnsubscribe === "on"
      })
      yield* print(json, projectForOutput(project), table([columns, rowOf(project)]))
    }).pipe(withCore({ data }))
).pipe(Command.withDescription("Change a project's settings"))

/** A UTC day, as a time on it. */
const dayOf = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.filterMap(
      (text) => Option.fromNullishOr(parseInstantOrDay(text, "start")),
      (text) => `Expected a day that exists, such as 2026-11-01, not "${text}"`
    ),
    Flag.withDescription(description),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  )

/** The limits are not shown: those of a server are flags of its own command. */
const usage = Command.make(
  "usage",
  {
    id: Argument.String("project-id").pipe(Argument.withDescription("The project, such as prj_acme")),
    startDate: dayOf("start-date", "The first UTC day to count, such as 2026-11-01; default today"),
    endDate: dayOf("end-date", "The last UTC day to count, at most 366 days in all; default today"),
    data,
    json
  },
  ({ id, startDate, endDate, data, json }) =>
    Effect.gen(function* () {
      const { days, ...limits } = yield* (yield* Projects).usage(id, { startDate, endDate })
      if (limits.sendingAllowance.used === 0) yield* warnOfUnknownProject(id)
      const used = Object.entries(limits).map(([limit, { used }]) => [limit, used] as const)
      const rows = [...used, ...days.map(({ day, recipients }) => [day, recipients] as const)]
      yield* print(
        json,
        { ...Object.fromEntries(used.map(([limit, used]) => [limit, { used }])), days },
        table([["LIMIT OR DAY", "USED"], ...rows.map(([name, count]) => [name, String(count)])])
      )
    }).pipe(withCore({ data }))
).pipe(Command.withDescription("Show what a project has used of each limit, and its recipients of each day"))

const deletedLine = (id: string, { deleted, isComplete, underWay }: ProjectDeletionReport): string => {
  const counts = Object.entries(deleted).map(([kind, count]) => [kind, String(count)])
  return [
    table([["RECORDS", "DELETED"], ...counts]),
    isComplete
      ? `${id} deleted`
      : underWay > 0
        ? `${underWay} messages are being handed over. Run the command again after that`
        : "Other calls write records of the project. Stop them, and run the command again"
  ].join("\n")
}

const deleteOne = Command.make(
  "delete",
  { id: Argument.String("project-id").pipe(Argument.withDescription("The project, such as prj_acme")), data, json },
  ({ id, data, json }) =>
    Effect.gen(function* () {
      const report = yield* (yield* Projects).delete(id)
      yield* print(json, report, deletedLine(id, report))
      if (!report.isComplete) process.exitCode = 2
    }).pipe(withCore({ data }))
).pipe(
  Command.withDescription(
    "Delete a project with all of its records, also the mail that waits. The exit code is 2 when a message is being handed over: run it again"
  )
)

export const projects = Command.make("projects").pipe(
  Command.withDescription("Projects and their settings"),
  Command.withSubcommands([list, set, usage, deleteOne])
)
