/**
 * `mailkeep domains`: the domains a project sends from.
 */
import type { SenderDomain } from "@mailkeep/core"
import { Domains, formatInstant, pageLimitMax } from "@mailkeep/core"
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { data, json, project, verified } from "../flags.ts"
import * as MailHome from "../mailHome.ts"
import { exitOnFailure, print, table } from "../output.ts"

const shown = ({ id, projectId, domain, status, createdAt }: SenderDomain) => ({
  id,
  project: projectId,
  domain,
  status,
  createdAt: formatInstant(createdAt)
})

const add = Command.make(
  "add",
  {
    name: Argument.String("name").pipe(Argument.withDescription("Such as mail.example.com")),
    data,
    project,
    verified,
    json
  },
  ({ name, data, project, verified, json }) =>
    Effect.gen(function* () {
      const domain = yield* (yield* Domains).add(project, { domain: name, verified })
      yield* print(json, shown(domain), `${domain.domain} ${domain.status}`)
    }).pipe(Effect.provide(MailHome.layer({ data })), exitOnFailure)
).pipe(Command.withDescription("Add a domain; with --verified it may be sent from at once"))

/** Every page of the project's domains. */
const allDomains = (project: string) =>
  Effect.gen(function* () {
    const domains = yield* Domains
    const found: Array<SenderDomain> = []
    for (let page = 1; ; page++) {
      const { items, total } = yield* domains.page(project, { page, limit: pageLimitMax })
      found.push(...items)
      if (items.length === 0 || found.length >= total) return found
    }
  })

const list = Command.make("list", { data, project, json }, ({ data, project, json }) =>
  Effect.gen(function* () {
    const domains = yield* allDomains(project)
    const rows = domains.map(({ id, domain, status }) => [id, domain, status])
    yield* print(json, { domains: domains.map(shown) }, table([["ID", "DOMAIN", "STATUS"], ...rows]))
  }).pipe(Effect.provide(MailHome.layer({ data })), exitOnFailure)
).pipe(Command.withDescription("List a project's domains"))

export const domains = Command.make("domains").pipe(
  Command.withDescription("Sender domains"),
  Command.withSubcommands([add, list])
)
