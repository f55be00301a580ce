/**
 * Stores the DNS checks of a sender domain, and decides its status. Source: decision 0013.
 */
import { Result } from "effect"
import type {
  DnsRecord,
  DnsRecordStatus,
  DomainStatus,
  SenderDomainRecord,
  StoredDnsRecord
} from "../../domain/domain-name/SenderDomain.ts"
import { dnsFailingMillisMax, isPublishedRecord, nextCheckMillis } from "../../domain/domain-name/SenderDomain.ts"
import type { Change } from "../../domain/store/Change.ts"
import { RecordNotFound } from "../../domain/store/RecordFailure.ts"
import type { IdBlock } from "../../domain/value/Id.ts"
import { idAt } from "../../domain/value/Id.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import { hourMillis } from "../../domain/value/Instant.ts"
import type { Decision } from "../store/Decision.ts"
import { afterRotation, isRotating } from "./dkimRotation.ts"

/** The result of the DNS check of one record. */
export interface DnsFinding {
  readonly recordId: string
  readonly status: Extract<DnsRecordStatus, "verified" | "failed" | "temporary_failure">
  readonly errorCode: string | null
  readonly errorMessage: string | null
}

export interface CheckDomainFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly existing: SenderDomainRecord | null
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
const checkResultOf = (existing: SenderDomainRecord, records: ReadonlyArray<DnsRecord>, now: Instant): CheckResult => {
  const required = records.filter(({ requiredForSending }) => requiredForSending)
  const failed = required.find(({ status }) => status === "failed")
  const transient = required.find(({ status }) => status === "temporary_failure")
  const { status, failingSince } = existing
  if (failed !== undefined) {
    const since = status === "verified" ? (failingSince ?? now) : null
    const kept = existing.manuallyVerified || (since !== null && now - since < dnsFailingMillisMax)
    return { status: kept ? status : "failed", failingSince: since, error: failed.errorMessage, transient: false }
  }
  if (transient !== undefined) return { status, failingSince, error: transient.errorMessage, transient: true }
  return { status: "verified", failingSince: null, error: null, transient: false }
}

const statusEvents = (
  before: SenderDomainRecord,
  { id, projectId, domain, status, lastVerifiedAt }: SenderDomainRecord,
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
  { now, ids, existing, findings }: CheckDomainFacts
): Result.Result<Decision<SenderDomainRecord>, RecordNotFound> => {
  if (existing === null) return Result.fail(new RecordNotFound({ record: "domain", id: domainId }))
  const checkedRecords = existing.records.map((record): StoredDnsRecord => {
    const found = findings.find(({ recordId }) => recordId === record.id)
    if (found === undefined) return record
    const { recordId: _, ...finding } = found
    const published = finding.status === "temporary_failure" ? isPublishedRecord(record) : finding.status === "verified"
    return { ...record, ...finding, lastCheckedAt: now, published }
  })
  const { dkim, records } = afterRotation(existing, checkedRecords)
  const { status, failingSince, error, transient } = checkResultOf(existing, records, now)
  const checked: SenderDomainRecord = {
    ...existing,
    dkim,
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
  const waitMillis = nextCheckMillis(checked, transient, now)
  const after = {
    ...checked,
    nextCheckAt: existing.manuallyVerified
      ? null
      : now + (isRotating(checked) ? Math.min(hourMillis, waitMillis) : waitMillis)
  }
  return Result.succeed({
    answer: after,
    changes: [
      { _tag: "PutDomain", domain: after, replaces: existing.revision },
      ...statusEvents(existing, after, now, ids)
    ]
  })
}
