/**
 * `mailkeep domains`: the sender domains of a project, and the results of their DNS checks.
 */
import type { SenderDomain } from "@mailkeep/core"
import { Domains, formatInstant } from "@mailkeep/core"
import { formatInstantOrNull } from "@mailkeep/core/binding"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { domainIdOf } from "../domainNames.ts"
import { data, dns, json, mailHost, project, verified } from "../flags.ts"
import { withCore } from "../commandCore.ts"
import { readText } from "../files.ts"
import { print, table } from "../output.ts"
import { allItems } from "../pages.ts"
import { warnOfUnknownProject } from "../unknownProject.ts"

const domainForOutput = (project: string, domain: SenderDomain) => ({
  id: domain.id,
  project,
  domain: domain.domain,
  status: domain.status,
  verificationError: domain.verificationError,
  lastVerifiedAt: formatInstantOrNull(domain.lastVerifiedAt),
  createdAt: formatInstant(domain.createdAt),
  records: domain.records.map(({ purpose, type, name, value, priority, status, errorMessage }) => ({
    purpose,
    type,
    name,
    value,
    priority,
    status,
    errorMessage
  }))
})

const records = ({ records }: SenderDomain): string =>
  records.length === 0
    ? ""
    : `\n${table([
        ["RECORD", "TYPE", "NAME", "VALUE", "STATUS"],
        ...records.map(({ purpose, type, name, value, priority, status }) => [
          purpose,
          type,
          name,
          priority === null ? value : `${priority} ${value}`,
          status
        ])
      ])}`

const id = Argument.String("domain").pipe(
  Argument.withDescription("The name of the domain or its id, such as mail.example.com or dom_01h…")
)

/** Prints the domain with its DNS records. */
const printDomain = (json: boolean, project: string, domain: SenderDomain) =>
  print(json, domainForOutput(project, domain), `${domain.domain} ${domain.status}${records(domain)}`)

const add = Command.make(
  "add",
  {
    name: Argument.String("name").pipe(Argument.withDescription("The domain name, such as mail.example.com")),
    data,
    project,
    verified,
    mailHost,
    json
  },
  ({ name, data, project, verified, mailHost, json }) =>
    Effect.gen(function* () {
      const domain = yield* (yield* Domains).create(project, { domain: name, verified })
      yield* printDomain(json, project, domain)
    }).pipe(withCore({ data, mailHost }))
).pipe(
  Command.withDescription("Add a domain and print the DNS records to publish; with --verified sends may use it at once")
)

const list = Command.make("list", { data, project, json }, ({ data, project, json }) =>
  Effect.gen(function* () {
    const service = yield* Domains
    const domains = yield* allItems((page) => service.list(project, page))
    if (domains.length === 0) yield* warnOfUnknownProject(project)
    const rows = domains.map(({ id, domain, status, verificationError }) => [
      id,
      domain,
      status,
      verificationError ?? ""
    ])
    yield* print(
      json,
      { domains: domains.map((domain) => domainForOutput(project, domain)) },
      table([["ID", "DOMAIN", "STATUS", "ERROR"], ...rows])
    )
  }).pipe(withCore({ data }))
).pipe(Command.withDescription("List a project's domains"))

const verify = Command.make(
  "verify",
  { id, data, project, dns, mailHost, json },
  ({ id, data, project, dns, mailHost, json }) =>
    Effect.gen(function* () {
      const domain = yield* (yield* Domains).verify(project, yield* domainIdOf(project, id))
      yield* printDomain(json, project, domain)
    }).pipe(withCore({ data, dns, mailHost }))
).pipe(
  Command.withDescription(
    "Check the DNS records of a domain now; makes them first for a domain that was verified without DNS"
  )
)

const rotateDkimKey = Command.make(
  "rotate-dkim-key",
  { id, data, project, mailHost, json },
  ({ id, data, project, mailHost, json }) =>
    Effect.gen(function* () {
      const domain = yield* (yield* Domains).rotateDkimKey(project, yield* domainIdOf(project, id))
      yield* printDomain(json, project, domain)
    }).pipe(withCore({ data, mailHost }))
).pipe(
  Command.withDescription(
    "Make a new DKIM key and print its DNS record; the earlier key signs until a check finds the new record"
  )
)

const importDkimKey = Command.make(
  "import-dkim-key",
  {
    id,
    data,
    project,
    selector: Flag.String("selector").pipe(Flag.withDescription("The name of the key below _domainkey, such as s1")),
    privateKey: Flag.String("private-key").pipe(
      Flag.withDescription("The file of the RSA private key, in PEM and without a passphrase")
    ),
    mailHost,
    json
  },
  ({ id, data, project, selector, privateKey: file, mailHost, json }) =>
    Effect.gen(function* () {
      const privateKey = yield* readText(file)
      const domainId = yield* domainIdOf(project, id)
      const domain = yield* (yield* Domains).importDkimKey(project, domainId, { selector, privateKey })
      yield* printDomain(json, project, domain)
    }).pipe(withCore({ data, mailHost }))
).pipe(
  Command.withDescription(
    "Give a domain a DKIM key that exists already; it signs from the first check that finds its DNS record"
  )
)

const remove = Command.make("remove", { id, data, project, json }, ({ id, data, project, json }) =>
  Effect.gen(function* () {
    const domainId = yield* domainIdOf(project, id)
    yield* (yield* Domains).delete(project, domainId)
    yield* print(json, { id: domainId, removed: true }, `${id} removed`)
  }).pipe(withCore({ data }))
).pipe(Command.withDescription("Remove a domain; sends from it are refused from now on"))

export const domains = Command.make("domains").pipe(
  Command.withDescription("Sender domains"),
  Command.withSubcommands([add, list, verify, rotateDkimKey, importDkimKey, remove])
)
