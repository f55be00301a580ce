/**
 * Why an address gets no mail. All reasons are kept; the strongest is shown. Source: decision 0012.
 */
import { Schema } from "effect"
import type { Instant } from "./Instant.ts"
import { dayMillis } from "./Instant.ts"
import { decoder, says } from "./Issue.ts"
import type { ProjectId } from "./Project.ts"
import { Mailbox } from "./TextRule.ts"

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
  /** The canonical address under the store's own key (HMAC-SHA-256, base64url): what remains when the address is erased. */
  readonly addressKey: string
  /** Canonical; `null` once it is erased. */
  readonly address: string | null
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

/** An address within a project, by its name and by its key. */
export interface SuppressedAddress {
  readonly projectId: ProjectId
  readonly address: string
  readonly addressKey: string
}

/** The record with the reason added; `undefined` when it already holds it. */
export const withReason = (
  { projectId, address, addressKey }: SuppressedAddress,
  standing: Suppression | null,
  reason: SuppressionReason,
  now: Instant
): Suppression | undefined =>
  standing?.reasons[reason] !== undefined && reason !== "temporary_failure"
    ? undefined
    : {
        projectId,
        addressKey,
        address,
        reasons: { ...standing?.reasons, [reason]: now },
        revision: (standing?.revision ?? 0) + 1
      }

/** The record without the reason; `undefined` when it does not hold it. */
export const withoutReason = (standing: Suppression | null, reason: SuppressionReason): Suppression | undefined => {
  if (standing?.reasons[reason] === undefined) return undefined
  const { [reason]: _, ...reasons } = standing.reasons
  return { ...standing, reasons, revision: standing.revision + 1 }
}

/** The record without the address; `undefined` when it names none. */
export const withoutAddress = (standing: Suppression | null): Suppression | undefined =>
  standing === null || standing.address === null
    ? undefined
    : { ...standing, address: null, revision: standing.revision + 1 }

/** The order of the suppression list. */
export const byAddress = (a: Suppression, b: Suppression): number =>
  a.address! < b.address! ? -1 : a.address! > b.address! ? 1 : 0

/** Over HTTP an address is suppressed by hand alone; the other reasons come of what happened. */
export const AddSuppressionBody = Schema.Struct({
  email: Mailbox,
  reason: Schema.Literals(["manual"]).annotate(says("invalid_value", "must be manual"))
}).annotate({ identifier: "AddSuppressionRequest" })
export const parseAddSuppression = decoder(AddSuppressionBody)

/** In process any reason may be added or lifted. */
export const parseSuppressionChange = decoder(
  Schema.Struct({
    email: Mailbox,
    reason: Schema.Literals(suppressionReasons).annotate(
      says("invalid_value", `must be one of ${suppressionReasons.join(", ")}`)
    )
  })
)
