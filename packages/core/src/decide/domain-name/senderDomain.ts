/**
 * Creates and deletes a sender domain, and gives it a DKIM key. Source: decision 0013.
 */
import { Result } from "effect"
import { parseDomain } from "../../domain/message/Address.ts"
import type { DomainScope } from "../../domain/access/ApiKey.ts"
import { isInScope } from "../../domain/access/ApiKey.ts"
import type { Change } from "../../domain/store/Change.ts"
import { DomainTaken } from "../../domain/domain-name/DomainFailure.ts"
import { RecordNotFound, TooManyRecords } from "../../domain/store/RecordFailure.ts"
import { SenderOutsideScope } from "../../domain/access/AccessFailure.ts"
import type { IdBlock } from "../../domain/value/Id.ts"
import { idAt } from "../../domain/value/Id.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type {
  DkimKey,
  DnsRecord,
  MailHost,
  SenderDomainRecord,
  ValidCreateDomain
} from "../../domain/domain-name/SenderDomain.ts"
import { domainsMax, nextCheckMillis, recordsToPublish } from "../../domain/domain-name/SenderDomain.ts"
import type { Decision } from "../store/Decision.ts"
import { unchanged } from "../store/Decision.ts"
import { expectNoDeletion } from "../store/expectation.ts"

/** A new DKIM key for a domain. `publicKey` is in DER form, encoded in base64. */
export interface NewDkimKey extends DkimKey {
  readonly publicKey: string
}

export interface CreateDomainFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly projectId: ProjectId
  /** The domain scope of the caller. */
  readonly domainScope: DomainScope
  readonly existing: SenderDomainRecord | null
  /** The number of domains in the project. */
  readonly count: number
  /** `null` for a domain without DNS records. */
  readonly dkimKey: NewDkimKey | null
  readonly host: MailHost
}

export const putDomain = (after: SenderDomainRecord, replaces: number | null): Change => ({
  _tag: "PutDomain",
  domain: after,
  replaces
})

/** How many ids a new domain needs: its own and those of its four DNS records. */
export const idsOfDomain = 5

const recordsOf = (domain: string, { selector, publicKey }: NewDkimKey, host: MailHost, ids: IdBlock) =>
  recordsToPublish(domain, selector, publicKey, host).map((record, n): DnsRecord => ({
    ...record,
    id: idAt(ids, "rec", n + 1),
    status: "not_started",
    lastCheckedAt: null,
    errorCode: null,
    errorMessage: null
  }))

/** A new DKIM key and the DNS records of its domain, as a store keeps them. */
export const dkimWithRecords = (
  domain: string,
  { dkimKey, host, ids }: Pick<GiveDkimKeyFacts, "dkimKey" | "host" | "ids">
) => ({
  dkim: { selector: dkimKey.selector, encryptedPrivateKey: dkimKey.encryptedPrivateKey },
  records: recordsOf(domain, dkimKey, host, ids)
})

const manuallyVerified = (existing: SenderDomainRecord, now: Instant): Decision<SenderDomainRecord> => {
  const after: SenderDomainRecord = {
    ...existing,
    status: "verified",
    manuallyVerified: true,
    lastVerifiedAt: now,
    nextCheckAt: null,
    updatedAt: now,
    revision: existing.revision + 1
  }
  return { answer: after, changes: [putDomain(after, existing.revision)] }
}

type CreateDomainFailure = SenderOutsideScope | TooManyRecords

/** Returns the name of the domain to create, in A-labels, if it is in the caller's scope. */
const nameInScope = (
  { domain: name }: ValidCreateDomain,
  { domainScope }: CreateDomainFacts
): Result.Result<string, SenderOutsideScope> => {
  const domain = parseDomain(name)!
  return isInScope(domainScope, domain) ? Result.succeed(domain) : Result.fail(new SenderOutsideScope({ domain }))
}

const newDomain = (
  domain: string,
  { verified = false }: ValidCreateDomain,
  facts: CreateDomainFacts
): Result.Result<Decision<SenderDomainRecord>, TooManyRecords> => {
  const { now, ids, projectId, count, dkimKey, host } = facts
  if (count >= domainsMax) return Result.fail(new TooManyRecords({ record: "domain", max: domainsMax }))
  const made: SenderDomainRecord = {
    id: idAt(ids, "dom", 0),
    projectId,
    domain,
    status: verified ? "verified" : "pending",
    manuallyVerified: verified,
    ...(dkimKey === null ? { dkim: null, records: [] } : dkimWithRecords(domain, { dkimKey, host, ids })),
    verificationError: null,
    verificationAttempts: 0,
    verificationAttemptedAt: null,
    lastVerifiedAt: verified ? now : null,
    failingSince: null,
    nextCheckAt: verified
      ? null
      : now + nextCheckMillis({ status: "pending", failingSince: null, createdAt: now }, false, now),
    createdAt: now,
    updatedAt: now,
    revision: 1
  }
  return Result.succeed({ answer: made, changes: [expectNoDeletion(projectId), putDomain(made, null)] })
}

/**
 * Whether creating the domain needs a new DKIM key. A manually verified domain gets its key at its first check, and an existing domain keeps
 * its key.
 */
export const needsDkimKey = (
  { verified }: ValidCreateDomain,
  { existing }: Pick<CreateDomainFacts, "existing">
): boolean => verified !== true && existing === null

/** Creates a domain. An existing unverified domain becomes verified if the operator verifies it manually. Any other existing domain is refused. */
export const createDomain = (
  input: ValidCreateDomain,
  facts: CreateDomainFacts
): Result.Result<Decision<SenderDomainRecord>, CreateDomainFailure | DomainTaken> =>
  Result.flatMap(
    nameInScope(input, facts),
    (domain): Result.Result<Decision<SenderDomainRecord>, CreateDomainFailure | DomainTaken> => {
      const { existing, now } = facts
      if (existing === null) return newDomain(domain, input, facts)
      return existing.status === "verified" || input.verified !== true
        ? Result.fail(new DomainTaken({ domainId: existing.id }))
        : Result.succeed(manuallyVerified(existing, now))
    }
  )

/**
 * Returns the existing domain, or creates it. An existing domain changes only when the operator first verifies it manually.
 * After that, no DNS check changes its verification. Source: decision 0033.
 */
export const ensureDomain = (
  input: ValidCreateDomain,
  facts: CreateDomainFacts
): Result.Result<Decision<SenderDomainRecord>, CreateDomainFailure> =>
  Result.flatMap(
    nameInScope(input, facts),
    (domain): Result.Result<Decision<SenderDomainRecord>, CreateDomainFailure> => {
      const { existing, now } = facts
      if (existing === null) return newDomain(domain, input, facts)
      return Result.succeed(
        input.verified === true && !existing.manuallyVerified ? manuallyVerified(existing, now) : unchanged(existing)
      )
    }
  )

export interface ScopedDomainFacts {
  /** The domain scope of the caller. */
  readonly domainScope: DomainScope
  readonly existing: SenderDomainRecord | null
}

/** Returns the domain if it is in the caller's scope. An API key cannot read, verify or delete any other domain. */
export const domainInScope = (
  domainId: string,
  { domainScope, existing }: ScopedDomainFacts
): Result.Result<SenderDomainRecord, RecordNotFound | SenderOutsideScope> =>
  existing === null
    ? Result.fail(new RecordNotFound({ record: "domain", id: domainId }))
    : isInScope(domainScope, existing.domain)
      ? Result.succeed(existing)
      : Result.fail(new SenderOutsideScope({ domain: existing.domain }))

export interface GiveDkimKeyFacts extends Pick<CreateDomainFacts, "now" | "ids" | "host"> {
  readonly existing: SenderDomainRecord | null
  readonly dkimKey: NewDkimKey
}

/** Adds the DKIM key and the DNS records to a manually verified domain when they are first requested. */
export const giveDkimKey = (
  domainId: string,
  { existing, ...facts }: GiveDkimKeyFacts
): Result.Result<Decision<SenderDomainRecord>, RecordNotFound> => {
  if (existing === null) return Result.fail(new RecordNotFound({ record: "domain", id: domainId }))
  if (existing.dkim !== null) return Result.succeed(unchanged(existing))
  const after: SenderDomainRecord = {
    ...existing,
    ...dkimWithRecords(existing.domain, facts),
    updatedAt: facts.now,
    revision: existing.revision + 1
  }
  return Result.succeed({ answer: after, changes: [putDomain(after, existing.revision)] })
}

/** Deletes a domain. Sends from the domain are refused from now on. */
export const deleteDomain = (
  domainId: string,
  facts: ScopedDomainFacts
): Result.Result<Decision<null>, RecordNotFound | SenderOutsideScope> =>
  Result.map(domainInScope(domainId, facts), ({ projectId, domain, revision }) => ({
    answer: null,
    changes: [{ _tag: "RemoveDomain", projectId, domain, revision }]
  }))
