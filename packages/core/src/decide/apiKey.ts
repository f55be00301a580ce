/**
 * Issues and revokes API keys. Source: decision 0014.
 */
import { Result } from "effect"
import { parseDomain } from "../domain/Address.ts"
import type { ApiKey, CreateApiKey } from "../domain/ApiKey.ts"
import { permissions } from "../domain/ApiKey.ts"
import { InvalidArgument, KeyNotFound } from "../domain/Failure.ts"
import type { IdBlock } from "../domain/Id.ts"
import { idAt } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import { issue } from "../domain/Issue.ts"
import type { ProjectId } from "../domain/Project.ts"
import type { Decision } from "./Decision.ts"
import { settled } from "./Decision.ts"

export interface IssueKeyFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly projectId: ProjectId
  readonly publicId: string
  readonly secretHash: string
}

/** Issues an API key. The caller has already validated the form of the request. */
export const issueKey = (
  request: CreateApiKey,
  facts: IssueKeyFacts
): Result.Result<Decision<ApiKey>, InvalidArgument> => {
  const { now, ids, projectId, publicId, secretHash } = facts
  if (request.expiresAt !== undefined && request.expiresAt <= now) {
    const past = issue(["expiresAt"], "not_in_future", "must be in the future")
    return Result.fail(new InvalidArgument({ context: "body", issues: [past] }))
  }
  const scope = (request.domainScope ?? []).map((domain) => parseDomain(domain)!)
  const key: ApiKey = {
    id: idAt(ids, "key", 0),
    projectId,
    publicId,
    secretHash,
    name: request.name ?? "",
    permissions: permissions.filter((permission) => request.permissions.includes(permission)),
    domainScope: scope.length === 0 ? null : [...new Set(scope)],
    createdAt: now,
    expiresAt: request.expiresAt ?? null,
    revokedAt: null,
    lastUsedAt: null,
    revision: 1
  }
  return Result.succeed({ answer: key, changes: [{ _tag: "PutApiKey", key, replaces: null }] })
}

/** Revokes an API key. If it is already revoked, `revokedAt` does not change. */
export const revokeKey = (
  apiKeyId: string,
  { now, key }: { readonly now: Instant; readonly key: ApiKey | null }
): Result.Result<Decision<ApiKey>, KeyNotFound> => {
  if (key === null) return Result.fail(new KeyNotFound({ apiKeyId }))
  if (key.revokedAt !== null) return Result.succeed(settled(key))
  const revoked: ApiKey = { ...key, revokedAt: now, revision: key.revision + 1 }
  return Result.succeed({ answer: revoked, changes: [{ _tag: "PutApiKey", key: revoked, replaces: key.revision }] })
}
