/**
 * Why an address gets no mail. All reasons are kept; the strongest is shown. Source: decision 0012.
 */
import type { Instant } from "./Instant.ts"
import { dayMillis } from "./Instant.ts"
import type { ProjectId } from "./Project.ts"

/** The strongest first. */
export const suppressionReasons = [
  "complaint",
  "hard_bounce",
  "invalid",
  "manual",
  "unsubscribed",
  "temporary_failure"
] as const
export type SuppressionReason = (typeof suppressionReasons)[number]

/** How long a `temporary_failure` keeps an address from mail. */
const temporaryMillis = 30 * dayMillis

export interface Suppression {
  readonly projectId: ProjectId
  /** Canonical. */
  readonly address: string
  /** Each reason with the instant from which it holds. */
  readonly reasons: Readonly<Partial<Record<SuppressionReason, Instant>>>
  readonly revision: number
}

/** The reason that keeps mail from the address now, or `null`. */
export const suppressedFor = (suppression: Suppression | null, now: Instant): SuppressionReason | null => {
  if (suppression === null) return null
  return (
    suppressionReasons.find((reason) => {
      const since = suppression.reasons[reason]
      return since !== undefined && (reason !== "temporary_failure" || since + temporaryMillis > now)
    }) ?? null
  )
}

const next = (
  projectId: ProjectId,
  address: string,
  standing: Suppression | null,
  reasons: Suppression["reasons"]
): Suppression => ({ projectId, address, reasons, revision: (standing?.revision ?? 0) + 1 })

/** The record with the reason added; `undefined` when it already holds it. */
export const withReason = (
  projectId: ProjectId,
  address: string,
  standing: Suppression | null,
  reason: SuppressionReason,
  now: Instant
): Suppression | undefined =>
  standing?.reasons[reason] !== undefined && reason !== "temporary_failure"
    ? undefined
    : next(projectId, address, standing, { ...standing?.reasons, [reason]: now })

/** The record without the reason; `undefined` when it does not hold it. */
export const withoutReason = (standing: Suppression | null, reason: SuppressionReason): Suppression | undefined => {
  if (standing?.reasons[reason] === undefined) return undefined
  const { [reason]: _, ...reasons } = standing.reasons
  return next(standing.projectId, standing.address, standing, reasons)
}
