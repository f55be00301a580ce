/**
 * The domains a project sends from: the records to publish, and what DNS says of them. Source: interface, List email domains; decision 0013.
 */
import { Clock, Context, Duration, Effect, Layer, Option, Result } from "effect"
import type { AddDomain, DnsFinding, FreshKey } from "../decide/senderDomain.ts"
import { addDomain, checkDomain, giveKey, removeDomain } from "../decide/senderDomain.ts"
import type { DnsAnswer } from "../decide/judgeDnsRecord.ts"
import { judgeDnsRecord } from "../decide/judgeDnsRecord.ts"
import { parseDomain } from "../domain/Address.ts"
import type { DomainTaken, InvalidArgument } from "../domain/Failure.ts"
import { RecordNotFound } from "../domain/Failure.ts"
import type { Page, PageRequest } from "../domain/Paging.ts"
import type { ProjectId } from "../domain/Project.ts"
import type { DnsRecord, MailHost, SenderDomain } from "../domain/SenderDomain.ts"
import { decideAndCommit } from "../internal/decideAndCommit.ts"
import { defectName } from "../internal/defectName.ts"
import { Crypto } from "../port/Crypto.ts"
import type { DnsResolverShape } from "../port/DnsResolver.ts"
import { DnsResolver } from "../port/DnsResolver.ts"
import { IdSource } from "../port/IdSource.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"
import { Projects } from "./Projects.ts"
import { Secrets } from "./Secrets.ts"

export interface DomainsOptions {
  readonly mailHost: MailHost
}

export const defaultDomainsOptions: DomainsOptions = { mailHost: { host: "localhost", returnPathLabel: "bounces" } }

/** Domains checked at once, and how often the loop looks. */
const checkedAtOnce = 5
const batchMax = 50
const everyDuration = Duration.minutes(1)
const selector = "mailkeep"

/** What DNS has at the record's name. A record of ours is asked for once: names that alias others are the resolver's work. */
const answerOf = (dns: DnsResolverShape | null, { type, name }: DnsRecord): Effect.Effect<DnsAnswer> => {
  if (dns === null) return Effect.succeed({ _tag: "Missing", definite: false, code: "unreachable" })
  const values =
    type === "TXT" ? dns.texts(name) : Effect.map(dns.exchanges(name), (found) => found.map(({ exchange }) => exchange))
  return Effect.match(values, {
    onSuccess: (values): DnsAnswer => ({ _tag: "Found", values }),
    onFailure: ({ definite, code }): DnsAnswer => ({ _tag: "Missing", definite, code })
  })
}

const findingsOf = (
  dns: DnsResolverShape | null,
  records: ReadonlyArray<DnsRecord>
): Effect.Effect<ReadonlyArray<DnsFinding>> =>
  Effect.forEach(records, (record) => Effect.map(answerOf(dns, record), (answer) => judgeDnsRecord(record, answer)), {
    concurrency: "unbounded"
  })

export class Domains extends Context.Service<
  Domains,
  {
    /** Makes the project when nobody has named it before. */
    readonly add: (
      projectId: ProjectId,
      request: AddDomain
    ) => Effect.Effect<SenderDomain, InvalidArgument | DomainTaken | StoreUnavailable>
    /** Newest first. */
    readonly page: (projectId: ProjectId, page: PageRequest) => Effect.Effect<Page<SenderDomain>, StoreUnavailable>
    readonly get: (projectId: ProjectId, id: string) => Effect.Effect<SenderDomain, RecordNotFound | StoreUnavailable>
    /** Mail from it is refused from now on; what is scheduled fails when it is due. */
    readonly remove: (projectId: ProjectId, id: string) => Effect.Effect<null, RecordNotFound | StoreUnavailable>
    /** Asks DNS for every record, now. */
    readonly verify: (
      projectId: ProjectId,
      id: string
    ) => Effect.Effect<SenderDomain, RecordNotFound | StoreUnavailable>
    /** One step for hosts without a loop: checks the domains that are due, and says how many. */
    readonly tick: Effect.Effect<number, StoreUnavailable>
    /** Checks domains when they are due, until interrupted. */
    readonly run: Effect.Effect<never>
  }
>()("@mailkeep/core/service/Domains") {
  static readonly layerWith = (options: Partial<DomainsOptions> = {}) =>
    Layer.effect(
      Domains,
      Effect.gen(function* () {
        const { mailHost: host } = { ...defaultDomainsOptions, ...options }
        const store = yield* MailStore
        const ids = yield* IdSource
        const crypto = yield* Crypto
        const projects = yield* Projects
        const dns = Option.getOrNull(yield* Effect.serviceOption(DnsResolver))
        const { encrypt } = (yield* Secrets).vault("dkim")

        const freshKey: Effect.Effect<FreshKey> = Effect.map(crypto.rsaKeyPair, ({ privateKey, publicKey }) => ({
          selector,
          encryptedPrivateKey: encrypt(privateKey),
          publicKey
        }))

        const add = Effect.fn("Domains.add")(function* (projectId: ProjectId, request: AddDomain) {
          yield* projects.ensure(projectId)
          const now = yield* Clock.currentTimeMillis
          const block = yield* ids.reserve(now, 5)
          const domain = parseDomain(request.domain)
          const key = request.verified || domain === undefined ? null : yield* freshKey
          return yield* decideAndCommit(
            store,
            store.read([{ _tag: "Domain", projectId, domain: domain ?? "" }]),
            ([standing]) => addDomain(request, { now, ids: block, projectId, standing, key, host })
          )
        })

        const page = Effect.fn("Domains.page")(function* (projectId: ProjectId, page: PageRequest) {
          const [found] = yield* store.read([{ _tag: "DomainPage", projectId, page }])
          return { ...found, ...page }
        })

        const ofId = (projectId: ProjectId, id: string) =>
          Effect.map(store.read([{ _tag: "DomainOfId", projectId, id }]), ([found]) => found)

        const get = Effect.fn("Domains.get")(function* (projectId: ProjectId, id: string) {
          return (yield* ofId(projectId, id)) ?? (yield* new RecordNotFound({ record: "domain", id }))
        })

        const remove = Effect.fn("Domains.remove")(function* (projectId: ProjectId, id: string) {
          return yield* decideAndCommit(store, ofId(projectId, id), (standing) => removeDomain(id, standing))
        })

        /** A domain of the operator's word has no key until somebody wants its records. */
        const withKey = Effect.fnUntraced(function* (projectId: ProjectId, id: string) {
          const standing = yield* get(projectId, id)
          if (standing.dkim !== null) return standing
          const key = yield* freshKey
          const now = yield* Clock.currentTimeMillis
          const block = yield* ids.reserve(now, 5)
          return yield* decideAndCommit(store, ofId(projectId, id), (found) =>
            found === null
              ? Result.fail(new RecordNotFound({ record: "domain", id }))
              : Result.succeed(giveKey(found, { now, ids: block, host, key }))
          )
        })

        const verify = Effect.fn("Domains.verify")(function* (projectId: ProjectId, id: string) {
          const { records } = yield* withKey(projectId, id)
          const findings = yield* findingsOf(dns, records)
          const now = yield* Clock.currentTimeMillis
          const block = yield* ids.reserve(now, 1)
          return yield* decideAndCommit(store, ofId(projectId, id), (standing) =>
            checkDomain(id, { now, ids: block, standing, findings })
          )
        })

        const tick = Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const [due] = yield* store.read([{ _tag: "DomainsDue", now, limit: batchMax }])
          const results = yield* Effect.forEach(due, ({ projectId, id }) => Effect.result(verify(projectId, id)), {
            concurrency: checkedAtOnce
          })
          return results.filter(Result.isSuccess).length
        }).pipe(Effect.withSpan("Domains.tick"))

        const run = tick.pipe(
          Effect.catch(({ reason }) =>
            Effect.as(Effect.logWarning("The domain checks wait for the store.", reason), 0)
          ),
          Effect.catchDefect((defect) =>
            Effect.as(Effect.logError("The domain checks failed and go on.", defectName(defect)), 0)
          ),
          Effect.flatMap((checked) => (checked === batchMax ? Effect.void : Effect.sleep(everyDuration))),
          Effect.forever
        )

        return { add, page, get, remove, verify, tick, run }
      })
    )
}
