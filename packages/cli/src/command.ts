/**
 * The command and its subcommands.
 *
 * @example
 * ```ts
 * import { mailkeep, version } from "@mailkeep/cli"
 * import { Command } from "effect/cli"
 *
 * // A program that runs the command with the arguments of the process.
 * export const program = Command.run(mailkeep, { version })
 * ```
 */
import { Command } from "effect/cli"
import { contacts } from "./commands/contacts.ts"
import { domains } from "./commands/domains.ts"
import { explain } from "./commands/explain.ts"
import { keys } from "./commands/keys.ts"
import { logs } from "./commands/logs.ts"
import { migrate } from "./commands/migrate.ts"
import { projects } from "./commands/projects.ts"
import { send } from "./commands/send.ts"
import { serve, start } from "./commands/serve.ts"
import { suppressions } from "./commands/suppressions.ts"
import { templates } from "./commands/templates.ts"
import { transportCommand } from "./commands/transport.ts"
import { webhooks } from "./commands/webhooks.ts"

/** The version of the command, as `mailkeep --version` prints it. */
export const version = "0.1.0"

/** The command `mailkeep` with all its subcommands. */
export const mailkeep = Command.make("mailkeep").pipe(
  Command.withDescription(
    "An embeddable mail core: accepts transactional email, delivers it and keeps a delivery log."
  ),
  Command.withSubcommands([
    start,
    serve,
    send,
    logs,
    explain,
    projects,
    keys,
    domains,
    contacts,
    suppressions,
    templates,
    webhooks,
    migrate,
    transportCommand
  ])
)
