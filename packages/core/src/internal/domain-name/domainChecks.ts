/**
 * Checks the DNS records of sender domains: of one domain on request, and of the domains that are due. Source: decision 0013.
 */
import { Clock, Effect } from "effect"
import { checkDomain } from "../../decide/domain-name/checkDomain.ts"
import { domainInScope, giveDkimKey, idsOfDomain } from "../../decide/domain-name/senderDomain.ts"
import type { SenderOutsideScope } from "../../domain/access/AccessFailure.ts"
import type { DomainScope } from "../../domain/access/ApiKey.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { MailHost, SenderDomainRecord } from "../../domain/domain-name/SenderDomain.ts"
import type { RecordNotFound } from "../../domain/store/RecordFailure.ts"
import { minuteMillis } from "../../domain/value/Instant.ts"
import { errorNameOf } from "../../domain/observability/bugReport.ts"
import type { DnsResolverShape } from "../../port/DnsResolver.ts"
import type { IdSource } from "../../port/IdSource.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import { sharedWork } from "../boundedWork.ts"
import { clockFacts } from "../store/clockFacts.ts"
import type { Commit } from "../store/commit.ts"
import type { DkimKeys } from "./dkimKeys.ts"
import { findingsOf } from "./dnsFindings.ts"
import { logWarningOnce } from "../observability/logOnce.ts"
import { runWorkLoop } from "../worker/workLoop.ts"

/** How many domains the loop checks at once. */
const checkedAtOnce = 5
/** How many due domains one tick checks. */
const batchMax = 50
/** The limits of checks, which take four DNS queries each. A project has half of them, so that its slow name servers leave the rest to others. */
const checksBound = { atOnce: 8, ofKey: { atOnce: 4, waitingMax: 64 } }
const checkIntervalMillis = minuteMillis

/** What the decisions about domains need. */
export interface DomainDeps {
  readonly store: MailStoreShape
  readonly commit: Commit
  readonly ids: IdSource["Service"]
  readonly host: MailHost
  readonly dkimKeys: DkimKeys
}

export interface DomainChecksDeps extends DomainDeps {
  /** `null`: each check fails temporarily. */
  readonly dns: DnsResolverShape | null
}

/** A domain of a project, and the domains that the caller may use. */
export interface DomainOfCaller {
  readonly projectId: ProjectId
  readonly domainId: string
  readonly domainScope: DomainScope
}

/** Reads one domain of a project as the facts of a decision. */
export const loadDomain = (store: MailStoreShape, projectId: ProjectId, id: string) =>
  Effect.map(store.read([{ _tag: "DomainById", projectId, id }]), ([existing]) => ({ existing }))

export interface DomainChecks {
  /** Checks every record of a domain in DNS, now, and stores the results. Gives a domain without a DKIM key its key and its DNS records. */
  readonly check: (
    domain: DomainOfCaller
  ) => Effect.Effect<SenderDomainRecord, SenderOutsideScope | RecordNotFound | StoreUnavailable>
  /** Checks the domains that are due. Returns the number of completed checks. */
  readonly tick: Effect.Effect<number, StoreUnavailable>
  /** Checks domains when they are due, until interrupted. */
  readonly run: Effect.Effect<never>
}

/** A manually verified domain has no DKIM key before its first check. */
const withDkimKey = Effect.fnUntraced(function* (
  { store, commit, ids, host, dkimKeys }: DomainDeps,
  { projectId, domainId, domainScope }: DomainOfCaller
) {
  const facts = yield* loadDomain(store, projectId, domainId)
  const existing = yield* Effect.fromResult(domainInScope(domainId, { domainScope, ...facts }))
  if (existing.dkim !== null) return existing
  const dkimKey = yield* dkimKeys.generate(projectId)
  const clock = yield* clockFacts(ids, idsOfDomain)
  return yield* commit(
    loadDomain(store, projectId, domainId),
    (facts) => giveDkimKey(domainId, { ...clock, host, dkimKey, ...facts }),
    "bounded"
  )
})

export const makeDomainChecks = (deps: DomainChecksDeps): DomainChecks => {
  const { store, commit, ids, dns } = deps
  const checkBounded = sharedWork(checksBound)
  const warnNoDns = logWarningOnce(
    "A domain cannot be checked, because this process has no `DnsResolver`. Provide `NodeDnsResolver.layer()` of `@mailkeep/core/node/dns`."
  )

  const check = Effect.fnUntraced(function* (domain: DomainOfCaller) {
    const { projectId, domainId } = domain
    if (dns === null) yield* warnNoDns
    const { records } = yield* withDkimKey(deps, domain)
    const findings = yield* checkBounded(projectId, findingsOf(dns, records))
    const clock = yield* clockFacts(ids, 1)
    return yield* commit(
      loadDomain(store, projectId, domainId),
      (facts) => checkDomain(domainId, { ...clock, findings, ...facts }),
      "bounded"
    )
  })

  /** Checks a domain. A defect, such as a bug of the resolver, does not stop the checks of the other domains. */
  const isCheckCompleted = ({ projectId, id: domainId }: SenderDomainRecord): Effect.Effect<boolean> =>
    check({ projectId, domainId, domainScope: null }).pipe(
      Effect.withSpan("Domains.verify"),
      Effect.match({ onFailure: () => false, onSuccess: () => true }),
      Effect.catchDefect((defect) =>
        Effect.as(Effect.logError("The check of a domain failed.", { domainId, error: errorNameOf(defect) }), false)
      )
    )

  const checkDue = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const [due] = yield* store.read([{ _tag: "DomainsDue", now, limit: batchMax }])
    const completed = yield* Effect.forEach(due, isCheckCompleted, { concurrency: checkedAtOnce })
    return { due: due.length, checked: completed.filter(Boolean).length }
  }).pipe(Effect.withSpan("Domains.tick"))

  return {
    check,
    tick: Effect.map(checkDue, ({ checked }) => checked),
    run: runWorkLoop({
      name: "The domain check",
      graceMillis: 0,
      store,
      lease: null,
      wakeUp: null,
      // After a full batch, more may be due. Without any completed check, the same domains would be due again at once.
      makeTurn: () =>
        Effect.map(checkDue, ({ due, checked }) => (due === batchMax && checked > 0 ? 0 : checkIntervalMillis))
    })
  }
}
