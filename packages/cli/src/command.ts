/**
 * The command and its subcommands.
 */
import { Command } from "effect/cli"
import { domains } from "./commands/domains.ts"
import { keys } from "./commands/keys.ts"
import { serve, start } from "./commands/serve.ts"

export const version = "0.1.0"

export const mailkeep = Command.make("mailkeep").pipe(
  Command.withDescription("An embeddable mail core: accepts transactional email, delivers it, and keeps the record."),
  Command.withSubcommands([start, serve, keys, domains])
)
