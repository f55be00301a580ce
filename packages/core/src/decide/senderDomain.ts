/**
 * Adds, checks and removes a sender domain. Source: decision 0013.
 */
import { Result } from "effect"
import { parseDomain } from "../domain/Address.ts"
import type { DomainScope } from "../domain/ApiKey.ts"
import { isInScope } from "../domain/ApiKey.ts"
import type { Change } from "../domain/Change.ts"
import { DomainTaken, InvalidArgument, RecordNotFound, SenderOutsideScope, TooManyRecords } from "../domain/Failure.ts"
import type { IdBlock } from "../domain/Id.ts"
import { idAt } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import { issue } from "../domain/Issue.ts"
import type { ProjectId } from "../domain/Project.ts"
import type {
  DkimKey,
  DnsRecord,
  DnsRecordStatus,
  DomainStatus,
  MailHost,
  NewDomain,
  SenderDomain
} from "../domain/SenderDomain.ts"
import { domainsMax, graceMillis, nextCheckMillis, recordsToPublish } from "../domain/SenderDomain.ts"
import type { Decision } from "./Decision.ts"
import { settled } from "./Decision.ts"

/** A new DKIM key for a domain. `publicKey` is in DER form, encoded in base64. */
export interface FreshKey extends DkimKey {
  readonly publicKey: string
}

export interface AddDomainFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly projectId: ProjectId
  /** The domain scope of the caller. */
  readonly domainScope: DomainScope
  readonly existing: SenderDomain | null
  /** The number of domains in the project. */
  readonly count: number
  /** `null` for a domain without DNS records. */
  readonly key: FreshKey | null
  readonly host: MailHost
}

const put = (after: SenderDomain, replaces: number | null): Change => ({ _tag: "PutDomain", domain: after, replaces })

const recordsOf = (domain: string, { selector, publicKey }: FreshKey, host: MailHost, ids: IdBlock) =>
  recordsToPublish(domain, selector, publicKey, host).map((record, n): DnsRecord => ({
    ...record,
    id: idAt(ids, "rec", n + 1),
    status: "not_started",
    lastCheckedAt: null,
    errorCode: null,
    errorMessage: null
  }))

const keyed = (domain: string, { key, host, ids }: Pick<AddDomainFacts, "key" | "host" | "ids">) =>
  key === null
    ? { dkim: null, records: [] }
    : {
        dkim: { selector: key.selector, encryptedPrivateKey: key.encryptedPrivateKey },
        records: recordsOf(domain, key, host, ids)
      }

const manuallyVerified = (existing: SenderDomain, now: Instant): Decision<SenderDomain> => {
  const after: SenderDomain = {
    ...existing,
    status: "verified",
    manuallyVerified: true,
    lastVerifiedAt: now,
    nextCheckAt: null,
    updatedAt: now,
    revision: existing.revision + 1
  }
  return { answer: after, changes: [put(after, existing.revision)] }
}

type Refusal = InvalidArgument | SenderOutsideScope | TooManyRecords

/** Returns the requested domain name, if it is valid and in the caller's scope. */
const nameInScope = (
  { domain: name }: NewDomain,
  { domainScope }: AddDomainFacts
): Result.Result<string, InvalidArgument | SenderOutsideScope> => {
  const domain = parseDomain(name)
  if (domain === undefined)
    return Result.fail(
      new InvalidArgument({ context: "body", issues: [issue(["domain"], "invalid_value", "must be a domain name")] })
    )
  return isInScope(domainScope, domain) ? Result.succeed(domain) : Result.fail(new SenderOutsideScope({ domain }))
}

const newDomain = (
  domain: string,
  { verified }: NewDomain,
  facts: AddDomainFacts
): Result.Result<Decision<SenderDomain>, TooManyRecords> => {
  const { now, ids, projectId, count } = facts
  if (count >= domainsMax) return Result.fail(new TooManyRecords({ record: "domain", max: domainsMax }))
  const made: SenderDomain = {
    id: idAt(ids, "dom", 0),
    projectId,
    domain,
    status: verified ? "verified" : "pending",
    manuallyVerified: verified,
    ...keyed(domain, facts),
    verificationError: null,
    verificationAttempts: 0,
    verificationAttemptedAt: null,
    lastVerifiedAt: verified ? now : null,
    failingSince: null,
    nextCheckAt: verified
      ? null
      : now + nextCheckMillis({ status: "pending", failingSince: null, verificationAttempts: 1 }, false),
    createdAt: now,
    updatedAt: now,
    revision: 1
  }
  return Result.succeed({ answer: made, changes: [put(made, null)] })
}

/** Adds a domain. An existing unverified domain becomes verified if the operator verifies it manually. Any other existing domain is refused. */
export const addDomain = (
  request: NewDomain,
  facts: AddDomainFacts
): Result.Result<Decision<SenderDomain>, Refusal | DomainTaken> =>
  Result.flatMap(
    nameInScope(request, facts),
    (domain): Result.Result<Decision<SenderDomain>, Refusal | DomainTaken> => {
      const { existing, now } = facts
      if (existing === null) return newDomain(domain, request, facts)
      return existing.status === "verified" || !request.verified
        ? Result.fail(new DomainTaken({ domainId: existing.id }))
        : Result.succeed(manuallyVerified(existing, now))
    }
  )

/**
 * Returns the existing domain, or adds a new one. An existing domain changes only when the operator first verifies it manually.
 * After that, no DNS check changes its verification. Source: decision 0033.
 */
export const ensureDomain = (
  request: NewDomain,
  facts: AddDomainFacts
): Result.Result<Decision<SenderDomain>, Refusal> =>
  Result.flatMap(nameInScope(request, facts), (domain): Result.Result<Decision<SenderDomain>, Refusal> => {
    const { existing, now } = facts
    if (existing === null) return newDomain(domain, request, facts)
    return Result.succeed(
      request.verified && !existing.manuallyVerified ? manuallyVerified(existing, now) : settled(existing)
    )
  })

/** Returns the domain if it is in the caller's scope. An API key cannot read, verify or remove any other domain. */
export const domainInScope = (
  domainId: string,
  domainScope: DomainScope,
  existing: SenderDomain | null
): Result.Result<SenderDomain, RecordNotFound | SenderOutsideScope> =>
  existing === null
    ? Result.fail(new RecordNotFound({ record: "domain", id: domainId }))
    : isInScope(domainScope, existing.domain)
      ? Result.succeed(existing)
      : Result.fail(new SenderOutsideScope({ domain: existing.domain }))

/** The result of the DNS check of one record. */
export interface DnsFinding {
  readonly recordId: string
  readonly status: Extract<DnsRecordStatus, "verified" | "failed" | "temporary_failure">
  readonly errorCode: string | null
  readonly errorMessage: string | null
}

export interface CheckFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly existing: SenderDomain | null
  readonly findings: ReadonlyArray<DnsFinding>
}

interface CheckResult {
  readonly status: DomainStatus
  readonly failingSince: Instant | null
  readonly error: string | null
  /** Whether the check failed temporarily, so that the next check is soon. */
  readonly transient: boolean
}

/** Combines the results of the required records. A definite failure counts first; a temporary failure keeps the status. */
const checkResultOf = (existing: SenderDomain, records: ReadonlyArray<DnsRecord>, now: Instant): CheckResult => {
  const required = records.filter(({ requiredForSending }) => requiredForSending)
  const failed = required.find(({ status }) => status === "failed")
  const transient = required.find(({ status }) => status === "temporary_failure")
  const { status, failingSince } = existing
  if (failed !== undefined) {
    const since = status === "verified" ? (failingSince ?? now) : null
    const kept = existing.manuallyVerified || (since !== null && now - since < graceMillis)
    return { status: kept ? status : "failed", failingSince: since, error: failed.errorMessage, transient: false }
  }
  if (transient !== undefined) return { status, failingSince, error: transient.errorMessage, transient: true }
  return { status: "verified", failingSince: null, error: null, transient: false }
}

const statusEvents = (
  before: SenderDomain,
  { id, projectId, domain, status, lastVerifiedAt }: SenderDomain,
  now: Instant,
  ids: IdBlock
): ReadonlyArray<Change> =>
  status === before.status || status === "pending"
    ? []
    : [
        {
          _tag: "AppendEvent",
          event: {
            id: idAt(ids, "evt", 0),
            projectId,
            occurredAt: now,
            kind: status === "verified" ? "domain.verified" : "domain.failed",
            data: { domainId: id, domain, status, lastVerifiedAt }
          }
        }
      ]

/** Stores the DNS check of each record, and updates the status of the domain. */
export const checkDomain = (
  domainId: string,
  { now, ids, existing, findings }: CheckFacts
): Result.Result<Decision<SenderDomain>, RecordNotFound> => {
  if (existing === null) return Result.fail(new RecordNotFound({ record: "domain", id: domainId }))
  const records = existing.records.map((record): DnsRecord => {
    const found = findings.find(({ recordId }) => recordId === record.id)
    if (found === undefined) return record
    const { recordId: _, ...finding } = found
    return { ...record, ...finding, lastCheckedAt: now }
  })
  const { status, failingSince, error, transient } = checkResultOf(existing, records, now)
  const checked: SenderDomain = {
    ...existing,
    records,
    status,
    failingSince,
    verificationError: error,
    verificationAttempts: existing.verificationAttempts + 1,
    verificationAttemptedAt: now,
    lastVerifiedAt: status === "verified" && error === null ? now : existing.lastVerifiedAt,
    updatedAt: now,
    revision: existing.revision + 1
  }
  const after = {
    ...checked,
    nextCheckAt: existing.manuallyVerified ? null : now + nextCheckMillis(checked, transient)
  }
  return Result.succeed({
    answer: after,
    changes: [put(after, existing.revision), ...statusEvents(existing, after, now, ids)]
  })
}

/** Adds the DKIM key and the DNS records to a manually verified domain when they are first requested. */
export const giveKey = (
  existing: SenderDomain,
  facts: Pick<AddDomainFacts, "now" | "ids" | "host"> & { readonly key: FreshKey }
): Decision<SenderDomain> => {
  if (existing.dkim !== null) return { answer: existing, changes: [] }
  const after: SenderDomain = {
    ...existing,
    ...keyed(existing.domain, facts),
    updatedAt: facts.now,
    revision: existing.revision + 1
  }
  return { answer: after, changes: [put(after, existing.revision)] }
}

export const removeDomain = (
  domainId: string,
  domainScope: DomainScope,
  existing: SenderDomain | null
): Result.Result<Decision<null>, RecordNotFound | SenderOutsideScope> =>
  Result.map(domainInScope(domainId, domainScope, existing), ({ projectId, domain, revision }) => ({
    answer: null,
    changes: [{ _tag: "RemoveDomain", projectId, domain, revision }]
  }))
