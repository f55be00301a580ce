/**
 * A suppression: the reasons why an address gets no mail. It stores all reasons and shows the strongest. Source: decision 0012.
 */
import type { Instant } from "../value/Instant.ts"
import { dayMillis } from "../value/Instant.ts"
import { compareTexts } from "../value/TextOrder.ts"
import type { ProjectId } from "../access/Project.ts"

/** The reasons, strongest first. */
export const suppressionReasons = [
  "complaint",
  "hard_bounce",
  "invalid",
  "manual",
  "unsubscribed",
  "temporary_failure"
] as const
/** A reason why an address gets no mail. */
export type SuppressionReason = (typeof suppressionReasons)[number]

/** How long the reason `temporary_failure` of a suppression applies. */
export const temporarySuppressionMillis = 30 * dayMillis

/** Why an address gets no mail. */
export interface Suppression {
  /** The address in canonical form; `null` after the contact with the address was deleted, until a caller gives the address again. */
  readonly email: string | null
  /** The strongest reason that applies now; `null` if none applies, because `temporary_failure` ends after 30 days. */
  readonly reason: SuppressionReason | null
  /** All reasons, strongest first, each with the instant from which it applies. */
  readonly reasons: ReadonlyArray<{ readonly reason: SuppressionReason; readonly since: Instant }>
}

/** A suppression as a store keeps it. */
export interface SuppressionRecord {
  readonly projectId: ProjectId
  /** HMAC-SHA-256 of the canonical address with a secret of the store, in base64url. It remains after the address is erased. */
  readonly addressKey: string
  /** The canonical address; `null` after it is erased, until a caller gives it again. */
  readonly address: string | null
  /** Each reason with the instant from which it applies. */
  readonly reasons: Readonly<Partial<Record<SuppressionReason, Instant>>>
  readonly revision: number
}

/** Returns the strongest reason that applies at `now`, or `null` if there is none. */
export const suppressedFor = (suppression: SuppressionRecord | null, now: Instant): SuppressionReason | null => {
  if (suppression === null) return null
  return (
    suppressionReasons.find((reason) => {
      const since = suppression.reasons[reason]
      return since !== undefined && (reason !== "temporary_failure" || since + temporarySuppressionMillis > now)
    }) ?? null
  )
}

/** Returns the suppression without the fields that only the store needs. */
export const toSuppression = (record: SuppressionRecord, now: Instant): Suppression => ({
  email: record.address,
  reason: suppressedFor(record, now),
  reasons: suppressionReasons.flatMap((reason) => {
    const since = record.reasons[reason]
    return since === undefined ? [] : [{ reason, since }]
  })
})

/** An address in a project, with its address key. */
export interface KeyedAddress {
  readonly projectId: ProjectId
  readonly address: string
  readonly addressKey: string
}

/** Adds a reason. Returns `undefined` if the suppression already has the reason. */
export const withReason = (
  { projectId, address, addressKey }: KeyedAddress,
  existing: SuppressionRecord | null,
  reason: SuppressionReason,
  now: Instant
): SuppressionRecord | undefined =>
  existing?.reasons[reason] !== undefined && reason !== "temporary_failure"
    ? undefined
    : {
        projectId,
        addressKey,
        address,
        reasons: { ...existing?.reasons, [reason]: now },
        revision: (existing?.revision ?? 0) + 1
      }

/** Removes a reason. Returns `undefined` if the suppression does not have the reason. */
export const withoutReason = (
  existing: SuppressionRecord | null,
  reason: SuppressionReason
): SuppressionRecord | undefined => {
  if (existing?.reasons[reason] === undefined) return undefined
  const { [reason]: _, ...reasons } = existing.reasons
  return { ...existing, reasons, revision: existing.revision + 1 }
}

/** Removes the address. Returns `undefined` if the suppression has no address. */
export const withoutAddress = (existing: SuppressionRecord | null): SuppressionRecord | undefined =>
  existing === null || existing.address === null
    ? undefined
    : { ...existing, address: null, revision: existing.revision + 1 }

/** Whether the address of the suppression was deleted with its contact, and only its key remains. */
export const isWithoutAddress = (existing: SuppressionRecord | null): existing is SuppressionRecord =>
  existing !== null && existing.address === null && Object.keys(existing.reasons).length > 0

/** Adds the address of a suppression that is without, when a caller gives the address again. Returns `undefined` for another suppression. */
export const withAddress = (
  { address }: KeyedAddress,
  existing: SuppressionRecord | null
): SuppressionRecord | undefined =>
  isWithoutAddress(existing) ? { ...existing, address, revision: existing.revision + 1 } : undefined

/** Compares by the UTF-8 bytes of the address, which is the order of the suppression listing. */
export const byAddress = (a: SuppressionRecord, b: SuppressionRecord): number => compareTexts(a.address!, b.address!)
