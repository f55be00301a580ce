/**
 * Adds, checks and removes a domain that a project sends from. Source: decision 0013.
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

/** A key that was made for the domain. `publicKey` is base64 of its DER form. */
export interface FreshKey extends DkimKey {
  readonly publicKey: string
}

export interface AddDomainFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly projectId: ProjectId
  /** The caller's. */
  readonly domainScope: DomainScope
  readonly standing: SenderDomain | null
  /** How many domains the project has. */
  readonly count: number
  /** `null` for a domain that nobody publishes records for. */
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

const vouched = (standing: SenderDomain, now: Instant): Decision<SenderDomain> => {
  const after: SenderDomain = {
    ...standing,
    status: "verified",
    vouched: true,
    lastVerifiedAt: now,
    nextCheckAt: null,
    updatedAt: now,
    revision: standing.revision + 1
  }
  return { answer: after, changes: [put(after, standing.revision)] }
}

type Refusal = InvalidArgument | SenderOutsideScope | TooManyRecords

/** The name of the domain asked for, when the caller may have it. */
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
    vouched: verified,
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

/** A domain that exists unverified becomes verified when the operator says so; otherwise it is taken. */
export const addDomain = (
  request: NewDomain,
  facts: AddDomainFacts
): Result.Result<Decision<SenderDomain>, Refusal | DomainTaken> =>
  Result.flatMap(
    nameInScope(request, facts),
    (domain): Result.Result<Decision<SenderDomain>, Refusal | DomainTaken> => {
      const { standing, now } = facts
      if (standing === null) return newDomain(domain, request, facts)
      return standing.status === "verified" || !request.verified
        ? Result.fail(new DomainTaken({ domainId: standing.id }))
        : Result.succeed(vouched(standing, now))
    }
  )

/**
 * The domain as it is when the project has it, else a new one. An existing domain changes only when the operator vouches for it for the
 * first time: then no check of DNS takes its verification away. Source: decision 0033.
 */
export const ensureDomain = (
  request: NewDomain,
  facts: AddDomainFacts
): Result.Result<Decision<SenderDomain>, Refusal> =>
  Result.flatMap(nameInScope(request, facts), (domain): Result.Result<Decision<SenderDomain>, Refusal> => {
    const { standing, now } = facts
    if (standing === null) return newDomain(domain, request, facts)
    return Result.succeed(request.verified && !standing.vouched ? vouched(standing, now) : settled(standing))
  })

/** The domain, when the caller may see it: what a key may not see it may not verify or remove either. */
export const domainInScope = (
  domainId: string,
  domainScope: DomainScope,
  standing: SenderDomain | null
): Result.Result<SenderDomain, RecordNotFound | SenderOutsideScope> =>
  standing === null
    ? Result.fail(new RecordNotFound({ record: "domain", id: domainId }))
    : isInScope(domainScope, standing.domain)
      ? Result.succeed(standing)
      : Result.fail(new SenderOutsideScope({ domain: standing.domain }))

/** What DNS said of one record. */
export interface DnsFinding {
  readonly recordId: string
  readonly status: Extract<DnsRecordStatus, "verified" | "failed" | "temporary_failure">
  readonly errorCode: string | null
  readonly errorMessage: string | null
}

export interface CheckFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly standing: SenderDomain | null
  readonly findings: ReadonlyArray<DnsFinding>
}

interface Verdict {
  readonly status: DomainStatus
  readonly failingSince: Instant | null
  readonly error: string | null
  /** Nothing is known for sure: ask again soon. */
  readonly passing: boolean
}

/** What is definite decides; what is passing demotes nothing. */
const verdictOf = (standing: SenderDomain, records: ReadonlyArray<DnsRecord>, now: Instant): Verdict => {
  const required = records.filter(({ requiredForSending }) => requiredForSending)
  const failed = required.find(({ status }) => status === "failed")
  const passing = required.find(({ status }) => status === "temporary_failure")
  const { status, failingSince } = standing
  if (failed !== undefined) {
    const since = status === "verified" ? (failingSince ?? now) : null
    const kept = standing.vouched || (since !== null && now - since < graceMillis)
    return { status: kept ? status : "failed", failingSince: since, error: failed.errorMessage, passing: false }
  }
  if (passing !== undefined) return { status, failingSince, error: passing.errorMessage, passing: true }
  return { status: "verified", failingSince: null, error: null, passing: false }
}

const told = (
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

/** Writes down what DNS said of every record, and what that makes of the domain. */
export const checkDomain = (
  domainId: string,
  { now, ids, standing, findings }: CheckFacts
): Result.Result<Decision<SenderDomain>, RecordNotFound> => {
  if (standing === null) return Result.fail(new RecordNotFound({ record: "domain", id: domainId }))
  const records = standing.records.map((record): DnsRecord => {
    const found = findings.find(({ recordId }) => recordId === record.id)
    if (found === undefined) return record
    const { recordId: _, ...finding } = found
    return { ...record, ...finding, lastCheckedAt: now }
  })
  const { status, failingSince, error, passing } = verdictOf(standing, records, now)
  const checked: SenderDomain = {
    ...standing,
    records,
    status,
    failingSince,
    verificationError: error,
    verificationAttempts: standing.verificationAttempts + 1,
    verificationAttemptedAt: now,
    lastVerifiedAt: status === "verified" && error === null ? now : standing.lastVerifiedAt,
    updatedAt: now,
    revision: standing.revision + 1
  }
  const after = { ...checked, nextCheckAt: standing.vouched ? null : now + nextCheckMillis(checked, passing) }
  return Result.succeed({
    answer: after,
    changes: [put(after, standing.revision), ...told(standing, after, now, ids)]
  })
}

/** A vouched domain gets its key and records when somebody asks for them. */
export const giveKey = (
  standing: SenderDomain,
  facts: Pick<AddDomainFacts, "now" | "ids" | "host"> & { readonly key: FreshKey }
): Decision<SenderDomain> => {
  if (standing.dkim !== null) return { answer: standing, changes: [] }
  const after: SenderDomain = {
    ...standing,
    ...keyed(standing.domain, facts),
    updatedAt: facts.now,
    revision: standing.revision + 1
  }
  return { answer: after, changes: [put(after, standing.revision)] }
}

export const removeDomain = (
  domainId: string,
  domainScope: DomainScope,
  standing: SenderDomain | null
): Result.Result<Decision<null>, RecordNotFound | SenderOutsideScope> =>
  Result.map(domainInScope(domainId, domainScope, standing), ({ projectId, domain, revision }) => ({
    answer: null,
    changes: [{ _tag: "RemoveDomain", projectId, domain, revision }]
  }))
