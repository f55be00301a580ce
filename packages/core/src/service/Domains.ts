/**
 * The sender domains of a project, their DNS records and the checks of these records. Source: interface, List email domains; decision 0013.
 */
import { Clock, Context, Duration, Effect, Layer, Option, Result } from "effect"
import type { Decision } from "../decide/Decision.ts"
import type { AddDomainFacts, DnsFinding, FreshKey } from "../decide/senderDomain.ts"
import { addDomain, checkDomain, domainInScope, ensureDomain, giveKey, removeDomain } from "../decide/senderDomain.ts"
import type { DnsAnswer } from "../decide/checkDnsRecord.ts"
import { checkDnsRecord } from "../decide/checkDnsRecord.ts"
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

/** How many domains the loop checks at once. */
const checkedAtOnce = 5
/** How many due domains one step checks. */
const batchMax = 50
/** The limits of key generation, which takes about 40 ms of processor time, and of checks, which take four DNS queries each. */
const keysBound = { atOnce: 1, waitingMax: 16 }
const checksBound = { atOnce: 8, waitingMax: 64 }
const checkInterval = Duration.minutes(1)
const selector = "mailkeep"

/** Queries DNS for the name of a record. The resolver follows aliases. */
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
  Effect.forEach(records, (record) => Effect.map(answerOf(dns, record), (answer) => checkDnsRecord(record, answer)), {
    concurrency: "unbounded"
  })

export class Domains extends Context.Service<
  Domains,
  {
    /**
     * Adds a domain. Creates the project when it does not exist. A project has at most 1,000 domains. One DKIM key is generated at a time.
     * Fails with `StoreUnavailable` when 16 other callers wait for a DKIM key.
     */
    readonly add: (
      caller: Caller,
      request: NewDomain
    ) => Effect.Effect<
      SenderDomain,
      InvalidArgument | SenderOutsideScope | DomainTaken | TooManyRecords | StoreUnavailable
    >
    /**
     * Returns the domain with this name and adds the domain when it does not exist. A program may call this at every start.
     * `verified: true` marks an existing domain as verified manually. `verified: false` does not change an existing domain.
     */
    readonly ensure: (
      caller: Caller,
      request: NewDomain
    ) => Effect.Effect<SenderDomain, InvalidArgument | SenderOutsideScope | TooManyRecords | StoreUnavailable>
    /** Newest first. Only domains within the scope of the caller. */
    readonly page: (
      caller: Caller,
      page: PageRequest,
      query?: DomainQuery
    ) => Effect.Effect<Page<SenderDomain>, InvalidArgument | StoreUnavailable>
    readonly get: (
      caller: Caller,
      id: string
    ) => Effect.Effect<SenderDomain, InvalidArgument | SenderOutsideScope | RecordNotFound | StoreUnavailable>
    /** Removes the domain. Sends from the domain are then refused, and its scheduled deliveries fail when they are due. */
    readonly remove: (
      caller: Caller,
      id: string
    ) => Effect.Effect<null, InvalidArgument | SenderOutsideScope | RecordNotFound | StoreUnavailable>
    /** Checks every record of the domain in DNS, now. */
    readonly verify: (
      caller: Caller,
      id: string
    ) => Effect.Effect<SenderDomain, InvalidArgument | SenderOutsideScope | RecordNotFound | StoreUnavailable>
    /** One step for hosts without a loop. Checks the domains that are due and returns their number. */
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

        const generateBounded = boundedWork(keysBound)
        const checkBounded = boundedWork(checksBound)

        const freshKey: Effect.Effect<FreshKey, StoreUnavailable> = Effect.map(
          generateBounded(crypto.rsaKeyPair),
          ({ privateKey, publicKey }) => ({ selector, encryptedPrivateKey: encrypt(privateKey), publicKey })
        )

        const addWith = Effect.fnUntraced(function* <E>(
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
            ([existing, { total: count }]) => ({ now, ids: block, projectId, domainScope, existing, count, host })
          )
          // Generating a DKIM key takes time, so a refused request and an existing domain generate none.
          const facts = yield* load
          yield* Effect.fromResult(decide(request, { ...facts, key: null }))
          const key = request.verified || facts.existing !== null ? null : yield* freshKey
          yield* projects.ensure(projectId)
          return yield* decideAndCommit(store, load, (facts) => decide(request, { ...facts, key }))
        })

        const add = Effect.fn("Domains.add")((caller: Caller, request: NewDomain) =>
          addWith(caller, request, addDomain)
        )

        const ensure = Effect.fn("Domains.ensure")((caller: Caller, request: NewDomain) =>
          addWith(caller, request, ensureDomain)
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
        const validCallAbout = (caller: Caller, id: string) => Effect.andThen(validIds({ id }), validCaller(caller))

        const get = Effect.fn("Domains.get")(function* (caller: Caller, id: string) {
          const { projectId, domainScope } = yield* validCallAbout(caller, id)
          return yield* Effect.fromResult(domainInScope(id, domainScope, yield* ofId(projectId, id)))
        })

        const remove = Effect.fn("Domains.remove")(function* (caller: Caller, id: string) {
          const { projectId, domainScope } = yield* validCallAbout(caller, id)
          return yield* decideAndCommit(store, ofId(projectId, id), (existing) =>
            removeDomain(id, domainScope, existing)
          )
        })

        /** A manually verified domain has no DKIM key before its first check. */
        const withKey = Effect.fnUntraced(function* (projectId: ProjectId, id: string, domainScope: DomainScope) {
          const existing = yield* Effect.fromResult(domainInScope(id, domainScope, yield* ofId(projectId, id)))
          if (existing.dkim !== null) return existing
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
          const { projectId, domainScope } = yield* validCallAbout(caller, id)
          const { records } = yield* withKey(projectId, id, domainScope)
          const findings = yield* checkBounded(findingsOf(dns, records))
          const now = yield* Clock.currentTimeMillis
          const block = yield* ids.reserve(now, 1)
          return yield* decideAndCommit(store, ofId(projectId, id), (existing) =>
            checkDomain(id, { now, ids: block, existing, findings })
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
            Effect.as(Effect.logError("The domain checks failed and continue.", defectName(defect)), 0)
          ),
          Effect.flatMap((checked) => (checked === batchMax ? Effect.void : Effect.sleep(checkInterval))),
          Effect.forever
        )

        return { add, ensure, page, get, remove, verify, tick, run }
      })
    )
}
