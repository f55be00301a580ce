/**
 * A suppression: the reasons why an address gets no mail. It stores all reasons and shows the strongest. Source: decision 0012.
 */
import type { Instant } from "./Instant.ts"
import { dayMillis } from "./Instant.ts"
import type { ProjectId } from "./Project.ts"

/** The reasons, strongest first. */
export const suppressionReasons = [
  "complaint",
  "hard_bounce",
  "invalid",
  "manual",
  "unsubscribed",
  "temporary_failure"
] as const
export type SuppressionReason = (typeof suppressionReasons)[number]

/** How long the reason `temporary_failure` applies. */
const temporaryMillis = 30 * dayMillis

export interface Suppression {
  readonly projectId: ProjectId
  /** HMAC-SHA-256 of the canonical address with a secret of the store, in base64url. It remains after the address is erased. */
  readonly addressKey: string
  /** The canonical address; `null` after it is erased. */
  readonly address: string | null
  /** Each reason with the instant from which it applies. */
  readonly reasons: Readonly<Partial<Record<SuppressionReason, Instant>>>
  readonly revision: number
}

/** Returns the strongest reason that applies at `now`, or `null` if there is none. */
export const suppressedFor = (suppression: Suppression | null, now: Instant): SuppressionReason | null => {
  if (suppression === null) return null
  return (
    suppressionReasons.find((reason) => {
      const since = suppression.reasons[reason]
      return since !== undefined && (reason !== "temporary_failure" || since + temporaryMillis > now)
    }) ?? null
  )
}

/** An address in a project, with its address key. */
export interface KeyedAddress {
  readonly projectId: ProjectId
  readonly address: string
  readonly addressKey: string
}

/** Adds a reason. Returns `undefined` if the suppression already has the reason. */
export const withReason = (
  { projectId, address, addressKey }: KeyedAddress,
  existing: Suppression | null,
  reason: SuppressionReason,
  now: Instant
): Suppression | undefined =>
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
export const withoutReason = (existing: Suppression | null, reason: SuppressionReason): Suppression | undefined => {
  if (existing?.reasons[reason] === undefined) return undefined
  const { [reason]: _, ...reasons } = existing.reasons
  return { ...existing, reasons, revision: existing.revision + 1 }
}

/** Removes the address. Returns `undefined` if the suppression has no address. */
export const withoutAddress = (existing: Suppression | null): Suppression | undefined =>
  existing === null || existing.address === null
    ? undefined
    : { ...existing, address: null, revision: existing.revision + 1 }

/** Compares by address, which is the order of the suppression listing. */
export const byAddress = (a: Suppression, b: Suppression): number =>
  a.address! < b.address! ? -1 : a.address! > b.address! ? 1 : 0
