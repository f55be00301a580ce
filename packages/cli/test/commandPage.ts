/**
 * The reference page of the command, from the help of the command itself: every command, flag and environment variable.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Option } from "effect"
import type { HelpDoc } from "effect/cli"
import { CliOutput, Command } from "effect/cli"
import { mailkeep, version } from "../src/command.ts"

type Doc = HelpDoc.HelpDoc

const silent: Console.Console = { ...globalThis.console, log: () => {}, error: () => {} }

/** The help of the command with this path, such as `["domains", "add"]`. */
const helpOf = async (path: ReadonlyArray<string>): Promise<Doc> => {
  const found: Array<Doc> = []
  const formatter = CliOutput.defaultFormatter({ colors: false })
  const keep: CliOutput.Formatter = {
    ...formatter,
    formatHelpDoc: (doc) => {
      found.push(doc)
      return ""
    }
  }
  await Effect.runPromise(
    Command.runWith(mailkeep, { version })([...path, "--help"]).pipe(
      Effect.provide(CliOutput.layer(keep)),
      Effect.provideService(Console.Console, silent),
      Effect.provide(NodeServices.layer)
    )
  )
  const [doc] = found
  if (doc === undefined) throw new Error(`mailkeep ${path.join(" ")} has no help.`)
  return doc
}

interface Described {
  readonly path: ReadonlyArray<string>
  readonly doc: Doc
}

/** The command and all commands below it, each before its own. */
const commandsBelow = async (path: ReadonlyArray<string>): Promise<ReadonlyArray<Described>> => {
  const doc = await helpOf(path)
  const names = (doc.subcommands ?? []).flatMap(({ commands }) => commands.map(({ name }) => name))
  const below = await Promise.all(names.map((name) => commandsBelow([...path, name])))
  return [{ path, doc }, ...below.flat()]
}

/** The variable that replaces an absent flag. It is the last word of the description. */
const variableForm = /\. (MAILKEEP_[A-Z_]+)$/

interface FlagRow {
  readonly flag: string
  readonly variable: string | undefined
  readonly description: string
}

const flagRows = ({ flags }: Doc): ReadonlyArray<FlagRow> =>
  flags.map(({ name, aliases, type, description }) => {
    const text = Option.getOrElse(description, () => "")
    return {
      flag: [`--${name}`, ...aliases].join(", ") + (type === "boolean" ? "" : ` ${type.replaceAll("|", " or ")}`),
      variable: variableForm.exec(text)?.[1],
      description: text.replace(variableForm, "")
    }
  })

/** A URL, a variable or a flag in a description. */
const codeForm = /[a-z]+:\/\/[^\s,;)]*[^\s,;.)]|\bMAILKEEP_[A-Z_]+|(?<=^|\s)--[a-z-]+/g

const cell = (text: string): string =>
  text
    .replaceAll("|", "\\|")
    .replaceAll("<", "&lt;")
    .replaceAll(codeForm, (found) => `\`${found}\``)

const code = (text: string | undefined): string => (text === undefined ? "" : `\`${text}\``)

const flagTable = (doc: Doc): string => {
  const rows = flagRows(doc)
  if (rows.length === 0) return ""
  const hasVariable = rows.some(({ variable }) => variable !== undefined)
  const head = hasVariable ? ["Flag", "Variable", "What it does"] : ["Flag", "What it does"]
  const cells = rows.map(({ flag, variable, description }) =>
    hasVariable ? [code(flag), code(variable), cell(description)] : [code(flag), cell(description)]
  )
  return [head, head.map(() => "---"), ...cells].map((row) => `| ${row.join(" | ")} |`).join("\n")
}

const titleOf = ({ path }: Described): string => `mailkeep ${path.join(" ")}`

/** `same` is an earlier command with the same flags. */
const sectionOf = (command: Described, same: Described | undefined): string => {
  const { doc } = command
  const usage = `\`\`\`text\n${doc.usage}\n\`\`\``
  const flags = same === undefined ? flagTable(doc) : `The flags are those of \`${titleOf(same)}\`.`
  return [`## ${titleOf(command)}`, `${doc.description}.`, usage, flags].filter((part) => part !== "").join("\n\n")
}

/** The sections of the commands. Only the first of several commands with the same table of flags has the table. */
const sectionsOf = (commands: ReadonlyArray<Described>): ReadonlyArray<string> =>
  commands.map((command, at) => {
    const table = flagTable(command.doc)
    const same = commands.slice(0, at).find(({ doc }) => flagRows(doc).length > 5 && flagTable(doc) === table)
    return sectionOf(command, same)
  })

/** Every command that does something, with its help. `serve` comes first, because most commands work beside it. */
export const describedCommands = async (): Promise<ReadonlyArray<Described>> =>
  (await commandsBelow([]))
    .filter(({ doc }) => doc.subcommands === undefined || doc.subcommands.length === 0)
    .toSorted((a, b) => Number(b.path[0] === "serve") - Number(a.path[0] === "serve"))

export const commandPage = async (): Promise<string> => {
  const commands = await describedCommands()
  return `<!-- Generated from the help of the command by the tests of packages/cli (\`vitest -u\`); CI fails when it is not current. -->

# The command

Every command of \`mailkeep\`, as \`--help\` describes it. An environment variable replaces a flag that is absent. Its value has the same form.

These variables replace no flag:

| Variable | What it does |
| --- | --- |
| \`MAILKEEP_SECRET\` | The master secret. Its keys encrypt the stored DKIM keys and webhook secrets, and sign cursors, return paths and unsubscribe links. It has at least 32 characters, and is the same for every command on a store. |
| \`MAILKEEP_SMTP_USER\`, \`MAILKEEP_SMTP_PASSWORD\` | The login at the relay. It replaces the login in the URL of \`--transport\`. |
| \`OTEL_EXPORTER_OTLP_ENDPOINT\` and the other variables of OpenTelemetry | Where [spans](../operations/README.md#spans) go. |

${sectionsOf(commands).join("\n\n")}
`
}
