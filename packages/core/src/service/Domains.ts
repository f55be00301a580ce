/**
 * The domains a project sends from: the records to publish, and what DNS says of them. Source: interface, List email domains; decision 0013.
 */
import { Clock, Context, Duration, Effect, Layer, Option, Result } from "effect"
import type { Decision } from "../decide/Decision.ts"
import type { AddDomainFacts, DnsFinding, FreshKey } from "../decide/senderDomain.ts"
import { addDomain, checkDomain, domainInScope, ensureDomain, giveKey, removeDomain } from "../decide/senderDomain.ts"
import type { DnsAnswer } from "../decide/judgeDnsRecord.ts"
import { judgeDnsRecord } from "../decide/judgeDnsRecord.ts"
import { parseDomain } from "../domain/Address.ts"
import type { Caller, DomainScope } from "../domain/ApiKey.ts"
import type { DomainTaken, InvalidArgument, SenderOutsideScope, TooManyRecords } from "../domain/Failure.ts"
import { RecordNotFound } from "../domain/Failure.ts"
import type { Page, PageRequest } from "../domain/Paging.ts"
import { parsePageRequest } from "../domain/PagingRequest.ts"
import type { ProjectId } from "../domain/Project.ts"
import type { DnsRecord, DomainQuery, MailHost, NewDomain, SenderDomain } from "../domain/SenderDomain.ts"
import { everyDomain, noDomainFilters, parseDomainQuery, parseNewDomain } from "../domain/SenderDomain.ts"
import { boundedWork } from "../internal/boundedWork.ts"
import { decideAndCommit } from "../internal/decideAndCommit.ts"
import { defectName } from "../internal/defectName.ts"
import { validated, validCaller, validIds } from "../internal/validated.ts"
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
/** A key costs about 40 ms of a processor, a check four questions to DNS. */
const keysBound = { atOnce: 1, waitingMax: 16 }
const checksBound = { atOnce: 8, waitingMax: 64 }
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
    /**
     * Makes the project when nobody has named it before. A project has at most 1,000 domains. Keys are made one at a time; when 16 more callers
     * wait for one, fails with `StoreUnavailable`.
     */
    readonly add: (
      caller: Caller,
      request: NewDomain
    ) => Effect.Effect<
      SenderDomain,
      InvalidArgument | SenderOutsideScope | DomainTaken | TooManyRecords | StoreUnavailable
    >
    /**
     * The project's domain of this name, as it is or new, so that a program may ask at every start. `verified: true` verifies an existing
     * domain by the operator's word; `false` changes nothing of it.
     */
    readonly ensure: (
      caller: Caller,
      request: NewDomain
    ) => Effect.Effect<SenderDomain, InvalidArgument | SenderOutsideScope | TooManyRecords | StoreUnavailable>
    /** Newest first; only domains within the caller's scope. */
    readonly page: (
      caller: Caller,
      page: PageRequest,
      query?: DomainQuery
    ) => Effect.Effect<Page<SenderDomain>, InvalidArgument | StoreUnavailable>
    readonly get: (
      caller: Caller,
      id: string
    ) => Effect.Effect<SenderDomain, InvalidArgument | SenderOutsideScope | RecordNotFound | StoreUnavailable>
    /** Mail from it is refused from now on; what is scheduled fails when it is due. */
    readonly remove: (
      caller: Caller,
      id: string
    ) => Effect.Effect<null, InvalidArgument | SenderOutsideScope | RecordNotFound | StoreUnavailable>
    /** Asks DNS for every record, now. */
    readonly verify: (
      caller: Caller,
      id: string
    ) => Effect.Effect<SenderDomain, InvalidArgument | SenderOutsideScope | RecordNotFound | StoreUnavailable>
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

        const keys = boundedWork(keysBound)
        const checks = boundedWork(checksBound)

        const freshKey: Effect.Effect<FreshKey, StoreUnavailable> = Effect.map(
          keys(crypto.rsaKeyPair),
          ({ privateKey, publicKey }) => ({ selector, encryptedPrivateKey: encrypt(privateKey), publicKey })
        )

        const named = Effect.fnUntraced(function* <E>(
          caller: Caller,
          asked: NewDomain,
          decide: (request: NewDomain, facts: AddDomainFacts) => Result.Result<Decision<SenderDomain>, E>
        ) {
          const { projectId, domainScope } = yield* validCaller(caller)
          const request = yield* validated(parseNewDomain, asked)
          const now = yield* Clock.currentTimeMillis
          const block = yield* ids.reserve(now, 5)
          const load = Effect.map(
            store.read([
              { _tag: "Domain", projectId, domain: parseDomain(request.domain) ?? "" },
              { _tag: "DomainPage", projectId, filters: noDomainFilters, page: { page: 1, limit: 1 } }
            ]),
            ([standing, { total: count }]) => ({ now, ids: block, projectId, domainScope, standing, count, host })
          )
          // Making a key pair takes a while: what is refused, and a domain that exists, cost none.
          const facts = yield* load
          yield* Effect.fromResult(decide(request, { ...facts, key: null }))
          const key = request.verified || facts.standing !== null ? null : yield* freshKey
          yield* projects.ensure(projectId)
          return yield* decideAndCommit(store, load, (facts) => decide(request, { ...facts, key }))
        })

        const add = Effect.fn("Domains.add")((caller: Caller, request: NewDomain) => named(caller, request, addDomain))

        const ensure = Effect.fn("Domains.ensure")((caller: Caller, request: NewDomain) =>
          named(caller, request, ensureDomain)
        )

        const page = Effect.fn("Domains.page")(function* (
          caller: Caller,
          request: PageRequest,
          query: DomainQuery = everyDomain
        ) {
          const { projectId, domainScope } = yield* validCaller(caller)
          const page = yield* validated(parsePageRequest, request, "query")
          const filters = { ...(yield* validated(parseDomainQuery, query, "query")), names: domainScope }
          const [found] = yield* store.read([{ _tag: "DomainPage", projectId, filters, page }])
          return { ...found, ...page }
        })

        const ofId = (projectId: ProjectId, id: string) =>
          Effect.map(store.read([{ _tag: "DomainOfId", projectId, id }]), ([found]) => found)

        /** The project and the scope of a call about one domain. */
        const asking = (caller: Caller, id: string) => Effect.andThen(validIds({ id }), validCaller(caller))

        const get = Effect.fn("Domains.get")(function* (caller: Caller, id: string) {
          const { projectId, domainScope } = yield* asking(caller, id)
          return yield* Effect.fromResult(domainInScope(id, domainScope, yield* ofId(projectId, id)))
        })

        const remove = Effect.fn("Domains.remove")(function* (caller: Caller, id: string) {
          const { projectId, domainScope } = yield* asking(caller, id)
          return yield* decideAndCommit(store, ofId(projectId, id), (standing) =>
            removeDomain(id, domainScope, standing)
          )
        })

        /** A domain of the operator's word has no key until somebody wants its records. */
        const withKey = Effect.fnUntraced(function* (projectId: ProjectId, id: string, domainScope: DomainScope) {
          const standing = yield* Effect.fromResult(domainInScope(id, domainScope, yield* ofId(projectId, id)))
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

        const verify = Effect.fn("Domains.verify")(function* (caller: Caller, id: string) {
          const { projectId, domainScope } = yield* asking(caller, id)
          const { records } = yield* withKey(projectId, id, domainScope)
          const findings = yield* checks(findingsOf(dns, records))
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

        return { add, ensure, page, get, remove, verify, tick, run }
      })
    )
}
