/**
 * The sender domains of a project, their DNS records and the checks of these records. Source: docs/spec/coverage.md S8; decision 0013.
 */
import { Context, Effect, Layer, Option } from "effect"
import { createDomain, deleteDomain, domainInScope, ensureDomain } from "../../decide/domain-name/senderDomain.ts"
import type { Caller } from "../../domain/access/ApiKey.ts"
import type {
  CreateDomainInput,
  ListDomainsInput,
  MailHost,
  SenderDomain
} from "../../domain/domain-name/SenderDomain.ts"
import type { ImportDkimKeyInput } from "../../domain/domain-name/DkimKeyImport.ts"
import { parseImportDkimKey } from "../../domain/domain-name/DkimKeyImport.ts"
import { mailHostRules, parseListDomains, toSenderDomain } from "../../domain/domain-name/SenderDomain.ts"
import type { Page } from "../../domain/store/Paging.ts"
import type { DomainTaken } from "../../domain/domain-name/DomainFailure.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import type { RecordNotFound, TooManyRecords } from "../../domain/store/RecordFailure.ts"
import type { SenderOutsideScope } from "../../domain/access/AccessFailure.ts"
import type { OptionRules } from "../../domain/value/OptionRule.ts"
import { checkedOptions, optionsOf } from "../../domain/value/OptionRule.ts"
import { makeCommit } from "../../internal/store/commit.ts"
import { defaultHost, makeDkimKeys } from "../../internal/domain-name/dkimKeys.ts"
import { makeDomainCreation } from "../../internal/domain-name/domainCreation.ts"
import { makeImportDkimKey, makeRotateDkimKey } from "../../internal/domain-name/dkimRotations.ts"
import { loadDomain, makeDomainChecks } from "../../internal/domain-name/domainChecks.ts"
import { validated, validCaller, validIds } from "../../internal/validated.ts"
import { Crypto } from "../../port/Crypto.ts"
import { DnsResolver } from "../../port/DnsResolver.ts"
import { IdSource } from "../../port/IdSource.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"
import { Projects } from "../access/Projects.ts"
import { Secrets } from "../access/Secrets.ts"

/** The names that the DNS records of sender domains contain. */
export interface DomainsOptions {
  /** The names of the operator's mail host, for the DNS records. Default: `localhost` and `bounces`. */
  readonly mailHost: MailHost
}

export const domainsRules: OptionRules<DomainsOptions> = { mailHost: optionsOf(mailHostRules) }

const defaultDomainsOptions: DomainsOptions = { mailHost: { host: defaultHost, returnPathLabel: "bounces" } }

/**
 * The sender domains of a project. `caller` is a project id or a principal; the domain scope of an API key limits the domains that it can use.
 * Each method fails with `InvalidArgument` when its input is not valid, and with `StoreUnavailable` when the store cannot be reached.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Domains } from "@mailkeep/core"
 *
 * export const recordsToPublish = Effect.gen(function* () {
 *   const domains = yield* Domains
 *   const { records } = yield* domains.ensure("prj_acme", { domain: "acme.example" })
 *   return records.map(({ type, name, value }) => `${name} ${type} ${value}`)
 * })
 * ```
 */
export class Domains extends Context.Service<
  Domains,
  {
    /**
     * Creates a domain, and the project when it does not exist. Fails with `DomainTaken` when the project has the domain. There is one
     * exception: `verified: true` marks an existing domain that is `pending` or `failed` as verified manually, and returns it. Fails with
     * `TooManyRecords` when the project has 1,000 domains, and with `SenderOutsideScope`. One DKIM key is generated at a time. Fails with
     * `StoreUnavailable` when 16 other callers of the project wait for a DKIM key, and with the reason `deleting` while the project is being deleted.
     */
    readonly create: (
      caller: Caller,
      input: CreateDomainInput
    ) => Effect.Effect<
      SenderDomain,
      InvalidArgument | SenderOutsideScope | DomainTaken | TooManyRecords | StoreUnavailable
    >
    /**
     * Returns the domain with this name and creates the domain when it does not exist. A program may call this at every start.
     * `verified: true` marks an existing domain as verified manually, whatever its status. A domain that DNS verified then no longer depends
     * on DNS, unlike after `create`. `verified: false` does not change an existing domain. Fails as `create` does, but not with `DomainTaken`.
     */
    readonly ensure: (
      caller: Caller,
      input: CreateDomainInput
    ) => Effect.Effect<SenderDomain, InvalidArgument | SenderOutsideScope | TooManyRecords | StoreUnavailable>
    /** Lists domains, newest first. Only domains within the scope of the caller. */
    readonly list: (
      caller: Caller,
      input?: ListDomainsInput
    ) => Effect.Effect<Page<SenderDomain>, InvalidArgument | StoreUnavailable>
    /** Returns a domain. Fails with `RecordNotFound` and `SenderOutsideScope`. */
    readonly get: (
      caller: Caller,
      domainId: string
    ) => Effect.Effect<SenderDomain, InvalidArgument | SenderOutsideScope | RecordNotFound | StoreUnavailable>
    /**
     * Deletes the domain. Sends from the domain are then refused, and its scheduled deliveries fail when they are due.
     * Fails with `RecordNotFound` and `SenderOutsideScope`.
     */
    readonly delete: (
      caller: Caller,
      domainId: string
    ) => Effect.Effect<null, InvalidArgument | SenderOutsideScope | RecordNotFound | StoreUnavailable>
    /**
     * Checks every record of the domain in DNS, now. Gives a manually verified domain its DKIM key and its DNS records.
     * Fails with `RecordNotFound`, with `SenderOutsideScope`, and with `StoreUnavailable` when 64 other callers of the project wait for a check.
     */
    readonly verify: (
      caller: Caller,
      domainId: string
    ) => Effect.Effect<SenderDomain, InvalidArgument | SenderOutsideScope | RecordNotFound | StoreUnavailable>
    /**
     * Gives the domain a new DKIM key, with a selector of its own. The result has the DNS record to publish. A key that signs mail continues
     * to sign until a check finds the new record. Keep the earlier record in DNS for a week after that. A key that signs nothing is replaced
     * at once. While a new key waits for its record, the domain does not change. Fails with `RecordNotFound`, with `SenderOutsideScope`, and with `StoreUnavailable` when 16 other callers of the project wait for a DKIM key.
     */
    readonly rotateDkimKey: (
      caller: Caller,
      domainId: string
    ) => Effect.Effect<SenderDomain, InvalidArgument | SenderOutsideScope | RecordNotFound | StoreUnavailable>
    /**
     * Gives the domain a DKIM key that exists already, such as that of the program that sent its mail before, so that its DNS record can stay. It signs from the first check that finds its record. Until then a key that signs mail continues to sign. Replaces a new key that waits for
     * its record. Changes nothing when the domain has the key. Fails with `InvalidArgument`, also when a key with the same selector signs the mail, with
     * `RecordNotFound` and with `SenderOutsideScope`.
     */
    readonly importDkimKey: (
      caller: Caller,
      domainId: string,
      input: ImportDkimKeyInput
    ) => Effect.Effect<SenderDomain, InvalidArgument | SenderOutsideScope | RecordNotFound | StoreUnavailable>
    /**
     * One tick, for a program that calls it from a timer. Checks up to 50 domains that are due. Returns the number of completed checks: a domain that is
     * deleted meanwhile, or that the store cannot update, does not count.
     */
    readonly tick: Effect.Effect<number, StoreUnavailable>
    /** Checks domains when they are due, until interrupted. */
    readonly run: Effect.Effect<never>
  }
>()("@mailkeep/core/service/Domains") {
  /**
   * The domains with other options than the defaults. `MailCore.layerWith` makes them with all other services. An option that is not valid is a
   * defect: a `TypeError` that names the option.
   */
  static readonly layerWith = (options: Partial<DomainsOptions> = {}) =>
    Layer.effect(
      Domains,
      Effect.gen(function* () {
        const { mailHost: host } = { ...defaultDomainsOptions, ...checkedOptions("domains", domainsRules, options) }
        const store = yield* MailStore
        const commit = makeCommit(store)
        const ids = yield* IdSource
        const projects = yield* Projects
        const dns = Option.getOrNull(yield* Effect.serviceOption(DnsResolver))
        const dkimKeys = makeDkimKeys({
          crypto: yield* Crypto,
          encrypt: (yield* Secrets).encryption("dkim").encrypt,
          host
        })

        const deps = { store, commit, ids, host, dkimKeys }
        const checks = makeDomainChecks({ ...deps, dns })
        const createBy = makeDomainCreation({ ...deps, ensureProject: projects.ensure })
        const rotate = makeRotateDkimKey(deps)
        const importKey = makeImportDkimKey(deps)

        const create = Effect.fn("Domains.create")((caller: Caller, input: CreateDomainInput) =>
          Effect.map(createBy(caller, input, createDomain), toSenderDomain)
        )

        const ensure = Effect.fn("Domains.ensure")((caller: Caller, input: CreateDomainInput) =>
          Effect.map(createBy(caller, input, ensureDomain), toSenderDomain)
        )

        const list = Effect.fn("Domains.list")(function* (caller: Caller, input: ListDomainsInput = {}) {
          const { projectId, domainScope } = yield* validCaller(caller)
          const { page, ...filters } = yield* validated(parseListDomains, input, "filters")
          const [{ items, total }] = yield* store.read([
            { _tag: "DomainPage", projectId, filters: { ...filters, names: domainScope }, page }
          ])
          return { items: items.map(toSenderDomain), total, ...page }
        })

        /** The project and the scope of a call about one domain. */
        const validCallAbout = (caller: Caller, domainId: string) =>
          Effect.andThen(validIds({ domainId }), validCaller(caller))

        const get = Effect.fn("Domains.get")(function* (caller: Caller, domainId: string) {
          const { projectId, domainScope } = yield* validCallAbout(caller, domainId)
          const facts = yield* loadDomain(store, projectId, domainId)
          return toSenderDomain(yield* Effect.fromResult(domainInScope(domainId, { domainScope, ...facts })))
        })

        const deleteOne = Effect.fn("Domains.delete")(function* (caller: Caller, domainId: string) {
          const { projectId, domainScope } = yield* validCallAbout(caller, domainId)
          return yield* commit(
            loadDomain(store, projectId, domainId),
            (facts) => deleteDomain(domainId, { domainScope, ...facts }),
            "bounded"
          )
        })

        const verify = Effect.fn("Domains.verify")(function* (caller: Caller, domainId: string) {
          const { projectId, domainScope } = yield* validCallAbout(caller, domainId)
          return toSenderDomain(yield* checks.check({ projectId, domainId, domainScope }))
        })

        const rotateDkimKey = Effect.fn("Domains.rotateDkimKey")(function* (caller: Caller, domainId: string) {
          const { projectId, domainScope } = yield* validCallAbout(caller, domainId)
          return toSenderDomain(yield* rotate({ projectId, domainId, domainScope }))
        })

        const importDkimKey = Effect.fn("Domains.importDkimKey")(function* (
          caller: Caller,
          domainId: string,
          input: ImportDkimKeyInput
        ) {
          const { projectId, domainScope } = yield* validCallAbout(caller, domainId)
          const given = yield* validated(parseImportDkimKey, input)
          return toSenderDomain(yield* importKey({ projectId, domainId, domainScope }, given))
        })

        return {
          create,
          ensure,
          list,
          get,
          delete: deleteOne,
          verify,
          rotateDkimKey,
          importDkimKey,
          tick: checks.tick,
          run: checks.run
        }
      })
    )
}
