/**
 * A DNS zone that a test changes, and the calls that create and verify a domain in it.
 */
import { events, project } from "@mailkeep/test-support"
import { Effect } from "effect"
import type { DnsResolverShape } from "../../../src/port/DnsResolver.ts"
import type { SenderDomain } from "../../../src/index.ts"
import { DnsFailure } from "../../../src/port/DnsResolver.ts"
import { Domains, MailStore } from "../../../src/index.ts"

export type Zone = Map<string, ReadonlyArray<string> | DnsFailure["code"]>

const definite = new Set(["nxdomain", "nodata"])

/** A resolver over a zone that a test changes. */
export const resolver = () => {
  const zone: Zone = new Map()
  const answer = (key: string) => {
    const found = zone.get(key) ?? "nxdomain"
    return typeof found === "string"
      ? Effect.fail(new DnsFailure({ definite: definite.has(found), code: found }))
      : Effect.succeed(found)
  }
  const dns: DnsResolverShape = {
    texts: (name) => answer(`TXT ${name}`),
    exchanges: (name) =>
      Effect.map(answer(`MX ${name}`), (hosts) => hosts.map((exchange) => ({ exchange, priority: 10 })))
  }
  const publish = ({ records }: SenderDomain) => {
    for (const { type, name, value } of records) zone.set(`${type} ${name}`, [value])
  }
  return { dns, zone, publish }
}

export const domains = { mailHost: { host: "mx.mailkeep.example", returnPathLabel: "bounces" } }
export const add = (domain = "shop.example") =>
  Effect.flatMap(Domains, (domains) => domains.create(project, { domain }))
export const verify = ({ id }: SenderDomain) => Effect.flatMap(Domains, (domains) => domains.verify(project, id))
/** Adds a domain, publishes its records, and verifies it. Returns the domain as it was added. */
export const addVerified = (publish: (domain: SenderDomain) => void) =>
  Effect.gen(function* () {
    const domain = yield* add()
    publish(domain)
    yield* verify(domain)
    return domain
  })
/** The domain as the store keeps it. */
export const stored = ({ id }: SenderDomain) =>
  Effect.flatMap(MailStore, (store) =>
    Effect.map(store.read([{ _tag: "DomainById", projectId: project, id }]), ([record]) => record!)
  )
export const statuses = ({ records }: SenderDomain) =>
  Object.fromEntries(records.map(({ purpose, status }) => [purpose, status]))
export const domainEvents = Effect.map(events, (all) =>
  all.map(({ kind }) => kind).filter((kind) => kind.startsWith("domain."))
)
