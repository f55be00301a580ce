/**
 * `mailkeep templates`: the templates of a project.
 */
import type { TemplateSummary, TemplateVariableInput } from "@mailkeep/core"
import { formatInstant, Templates } from "@mailkeep/core"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { readTextIfGiven } from "../files.ts"
import { data, json, textFlag, project, search } from "../flags.ts"
import { withCore } from "../commandCore.ts"
import { print, table } from "../output.ts"
import { allItems } from "../pages.ts"

const templateForOutput = ({ id, name, alias, status, draft, published, createdAt }: TemplateSummary) => ({
  id,
  name,
  alias,
  status,
  draftVersion: draft?.versionNumber ?? null,
  publishedVersion: published?.versionNumber ?? null,
  createdAt: formatInstant(createdAt)
})

const templateId = Argument.String("template-id").pipe(
  Argument.withDescription("The id of the template, such as tpl_01h…, or its alias")
)

const list = Command.make("list", { data, project, json, search }, ({ data, project, json, search }) =>
  Effect.gen(function* () {
    const service = yield* Templates
    const found = yield* allItems((page) => service.list(project, { search, ...page }))
    const all = found.map(templateForOutput)
    const rows = all.map(({ id, name, alias, status }) => [id, name, alias ?? "", status])
    yield* print(json, { templates: all }, table([["ID", "NAME", "ALIAS", "STATUS"], ...rows]))
  }).pipe(withCore({ data }))
).pipe(Command.withDescription("List templates, the most recently updated first"))

const create = Command.make(
  "create",
  {
    name: Argument.String("name"),
    data,
    project,
    json,
    alias: textFlag("alias", "An alias, as an identifier for programs"),
    subject: textFlag("subject", "The subject, in Mustache"),
    htmlFile: textFlag("html-file", "A file with the HTML, in Mustache"),
    textFile: textFlag("text-file", "A file with the plain text, in Mustache"),
    variables: Flag.String("var").pipe(
      Flag.atLeast(0),
      Flag.withDescription("A variable as name:type, such as order:string; a final ! makes it required; repeatable")
    )
  },
  ({ name, data, project, json, alias, subject, htmlFile, textFile, variables }) =>
    Effect.gen(function* () {
      const declared = variables.map((present) => {
        const [key = "", ...types] = present.replace(/!$/, "").split(":")
        // The service refuses a type that does not exist.
        const type = types.length === 0 ? "string" : types.join(":")
        return { key, type, required: present.endsWith("!") } as TemplateVariableInput
      })
      const input = {
        name,
        alias,
        subject,
        html: yield* readTextIfGiven(htmlFile),
        text: yield* readTextIfGiven(textFile),
        variables: declared
      }
      const made = yield* (yield* Templates).create(project, input)
      yield* print(json, templateForOutput(made), `${made.id} draft`)
    }).pipe(withCore({ data }))
).pipe(Command.withDescription("Create a template, as a draft"))

const publish = Command.make("publish", { templateId, data, project, json }, ({ templateId, data, project, json }) =>
  Effect.gen(function* () {
    const template = yield* (yield* Templates).publish(project, templateId)
    const version = template.published!.versionNumber
    yield* print(json, templateForOutput(template), `${templateId} published, version ${version}`)
  }).pipe(withCore({ data }))
).pipe(Command.withDescription("Publish the draft of a template; sends use it from now on"))

const archive = Command.make("archive", { templateId, data, project, json }, ({ templateId, data, project, json }) =>
  Effect.gen(function* () {
    const service = yield* Templates
    // The alias becomes free.
    const { id } = yield* service.get(project, templateId)
    yield* service.archive(project, id)
    yield* print(json, { id, archived: true }, `${templateId} archived`)
  }).pipe(withCore({ data }))
).pipe(Command.withDescription("Archive a template; sends with it are refused"))

export const templates = Command.make("templates").pipe(
  Command.withDescription("Templates"),
  Command.withSubcommands([list, create, publish, archive])
)
