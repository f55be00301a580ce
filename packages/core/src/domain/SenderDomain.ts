/**
 * A domain a project sends from. Source: interface, List email domains; decision 0013.
 */
import type { DomainId } from "./Id.ts"
import type { Instant } from "./Instant.ts"
import type { ProjectId } from "./Project.ts"

export const domainStatuses = ["pending", "verified", "failed"] as const
export type DomainStatus = (typeof domainStatuses)[number]

export interface SenderDomain {
  readonly id: DomainId
  readonly projectId: ProjectId
  /** Lower-case A-labels; unique within the project. */
  readonly domain: string
  readonly status: DomainStatus
  readonly lastVerifiedAt: Instant | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly revision: number
}
