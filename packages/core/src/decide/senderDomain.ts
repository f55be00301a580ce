/**
 * Adds a domain to a project. Verified by the operator's word until DNS is asked. Source: decision 0013.
 */
import { Result } from "effect"
import { parseDomain } from "../domain/Address.ts"
import { DomainTaken, InvalidArgument } from "../domain/Failure.ts"
import type { IdBlock } from "../domain/Id.ts"
import { idAt } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import { issue } from "../domain/Issue.ts"
import type { ProjectId } from "../domain/Project.ts"
import type { SenderDomain } from "../domain/SenderDomain.ts"
import type { Decision } from "./Decision.ts"

export interface AddDomain {
  readonly domain: string
  readonly verified: boolean
}

export interface AddDomainFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly projectId: ProjectId
  readonly standing: SenderDomain | null
}

/** A domain that stands unverified becomes verified when asked to; otherwise it is taken. */
export const addDomain = (
  { domain: name, verified }: AddDomain,
  { now, ids, projectId, standing }: AddDomainFacts
): Result.Result<Decision<SenderDomain>, InvalidArgument | DomainTaken> => {
  const domain = parseDomain(name)
  if (domain === undefined)
    return Result.fail(
      new InvalidArgument({ context: "body", issues: [issue(["domain"], "invalid_value", "must be a domain name")] })
    )
  if (standing !== null && (standing.status === "verified" || !verified))
    return Result.fail(new DomainTaken({ domainId: standing.id }))
  const after: SenderDomain = {
    id: standing?.id ?? idAt(ids, "dom", 0),
    projectId,
    domain,
    status: verified ? "verified" : "pending",
    lastVerifiedAt: verified ? now : null,
    createdAt: standing?.createdAt ?? now,
    updatedAt: now,
    revision: (standing?.revision ?? 0) + 1
  }
  return Result.succeed({
    answer: after,
    changes: [{ _tag: "PutDomain", domain: after, replaces: standing?.revision ?? null }]
  })
}
