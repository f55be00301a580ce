/**
 * Replaces the DKIM key of a sender domain by a new one or by one of the caller, without a time in which its mail is not signed. Source: decision 0103.
 */
import { Result } from "effect"
import type { SenderOutsideScope } from "../../domain/access/AccessFailure.ts"
import type { DkimKey, SenderDomainRecord, StoredDnsRecord } from "../../domain/domain-name/SenderDomain.ts"
import {
  dkimRecordName,
  dkimRecordValue,
  hasPublishedDkimKey,
  isPublishedRecord
} from "../../domain/domain-name/SenderDomain.ts"
import type { RecordNotFound } from "../../domain/store/RecordFailure.ts"
import type { IdBlock } from "../../domain/value/Id.ts"
import { idAt } from "../../domain/value/Id.ts"
import { InvalidArgument } from "../../domain/value/Failure.ts"
import { minuteMillis } from "../../domain/value/Instant.ts"
import { issue } from "../../domain/value/Issue.ts"
import type { Decision } from "../store/Decision.ts"
import { unchanged } from "../store/Decision.ts"
import type { CreateDomainFacts, NewDkimKey, ScopedDomainFacts } from "./senderDomain.ts"
import { domainInScope, putDomain, dkimWithRecords } from "./senderDomain.ts"

export interface RotateDkimKeyFacts extends ScopedDomainFacts, Pick<CreateDomainFacts, "now" | "ids" | "host"> {
  readonly dkimKey: NewDkimKey
}

/** The first check after a rotation, if the domain is checked automatically. */
const firstCheckMillis = 5 * minuteMillis

/** A selector that no other key of the domain has, also in another project or another installation. */
const withOwnSelector = (key: NewDkimKey, ids: IdBlock): NewDkimKey => ({
  ...key,
  selector: `${key.selector}-${idAt(ids, "rec", 0).slice(-8)}`
})

type MadeKey = ReturnType<typeof dkimWithRecords>

const dkimRecords = ({ records }: MadeKey, requiredForSending: boolean): ReadonlyArray<StoredDnsRecord> =>
  records.filter(({ purpose }) => purpose === "dkim").map((record) => ({ ...record, requiredForSending }))

/** Whether a new key waits until DNS has its record. */
export const isRotating = ({ dkim }: Pick<SenderDomainRecord, "dkim">): boolean => dkim?.next !== undefined

/** The current key stays. The record of the new key is not required for sending, because the current key signs. */
const withNextKey = (existing: SenderDomainRecord, current: DkimKey, made: MadeKey) => ({
  dkim: { ...current, next: made.dkim },
  records: existing.records.flatMap((record) =>
    record.purpose === "dkim" ? [record, ...dkimRecords(made, false)] : [record]
  )
})

/** Replaces the record of a key that signs nothing, or makes all records of a domain that has none. */
const withOtherKey = (existing: SenderDomainRecord, made: MadeKey) => ({
  dkim: made.dkim,
  records:
    existing.dkim === null
      ? made.records
      : existing.records.flatMap((record) => (record.purpose === "dkim" ? dkimRecords(made, true) : [record]))
})

/** Gives the domain a key. A key that signs mail continues to sign until DNS has the record of the new key. Any other key is replaced at once. */
const withKey = (
  existing: SenderDomainRecord,
  dkimKey: NewDkimKey,
  facts: Pick<RotateDkimKeyFacts, "now" | "ids" | "host">
) => {
  const { now, ids, host } = facts
  const { dkim, nextCheckAt, revision } = existing
  const made = dkimWithRecords(existing.domain, { dkimKey, host, ids })
  const after: SenderDomainRecord = {
    ...existing,
    ...(dkim !== null && hasPublishedDkimKey(existing)
      ? withNextKey(existing, dkim, made)
      : withOtherKey(existing, made)),
    nextCheckAt: nextCheckAt === null ? null : Math.min(nextCheckAt, now + firstCheckMillis),
    updatedAt: now,
    revision: revision + 1
  }
  return { answer: after, changes: [putDomain(after, revision)] }
}

/**
 * Gives the domain a new DKIM key. While a new key waits for its record, nothing changes: somebody may be publishing that record.
 */
export const rotateDkimKey = (
  domainId: string,
  facts: RotateDkimKeyFacts
): Result.Result<Decision<SenderDomainRecord>, RecordNotFound | SenderOutsideScope> =>
  Result.map(domainInScope(domainId, facts), (existing) =>
    isRotating(existing) ? unchanged(existing) : withKey(existing, withOwnSelector(facts.dkimKey, facts.ids), facts)
  )

const withoutNextKey = (existing: SenderDomainRecord): SenderDomainRecord => {
  if (existing.dkim?.next === undefined) return existing
  const { next, ...dkim } = existing.dkim
  const nameOfNext = dkimRecordName(next.selector, existing.domain)
  return { ...existing, dkim, records: existing.records.filter(({ name }) => name !== nameOfNext) }
}

/**
 * Gives the domain a DKIM key of the caller. It replaces a key that waits for its record. Changes nothing when the domain has the key. Refuses another
 * key with the selector of the one that signs: DNS can have only one of their records.
 */
export const importDkimKey = (
  domainId: string,
  facts: RotateDkimKeyFacts
): Result.Result<Decision<SenderDomainRecord>, InvalidArgument | RecordNotFound | SenderOutsideScope> =>
  Result.flatMap(domainInScope(domainId, facts), (existing) => {
    const { dkimKey } = facts
    const name = dkimRecordName(dkimKey.selector, existing.domain)
    const value = dkimRecordValue(dkimKey.publicKey)
    if (existing.records.some((record) => record.name === name && record.value === value))
      return Result.succeed(unchanged(existing))
    const current = withoutNextKey(existing)
    if (hasPublishedDkimKey(current) && current.records.some((record) => record.name === name)) {
      const issues = [
        issue(["selector"], "invalid_value", "must be another one, because a key with it signs the mail now")
      ]
      return Result.fail(new InvalidArgument({ argument: "input", issues }))
    }
    return Result.succeed(withKey(current, dkimKey, facts))
  })

/** Lets the new key sign when the check has found its record in DNS. The record of the earlier key is then no longer shown. */
export const afterRotation = (
  { domain, dkim }: Pick<SenderDomainRecord, "domain" | "dkim">,
  checked: ReadonlyArray<StoredDnsRecord>
): Pick<SenderDomainRecord, "dkim" | "records"> => {
  const next = dkim?.next
  if (next === undefined) return { dkim, records: checked }
  const nameOfNext = dkimRecordName(next.selector, domain)
  if (!checked.some((record) => record.name === nameOfNext && isPublishedRecord(record)))
    return { dkim, records: checked }
  return {
    dkim: next,
    records: checked.flatMap((record) => {
      if (record.purpose !== "dkim") return [record]
      return record.name === nameOfNext ? [{ ...record, requiredForSending: true }] : []
    })
  }
}
