/**
 * Issues and revokes API keys. Source: decision 0014.
 */
import { Result } from "effect"
import { parseDomain } from "../domain/Address.ts"
import type { ApiKey, Permission } from "../domain/ApiKey.ts"
import { permissions } from "../domain/ApiKey.ts"
import { InvalidArgument, KeyNotFound } from "../domain/Failure.ts"
import type { IdBlock } from "../domain/Id.ts"
import { idAt } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import type { Issue } from "../domain/Issue.ts"
import { issue } from "../domain/Issue.ts"
import type { ProjectId } from "../domain/Project.ts"
import type { Decision } from "./Decision.ts"
import { settled } from "./Decision.ts"

export interface IssueKey {
  readonly permissions: ReadonlyArray<Permission>
  readonly name?: string
  /** Sender domains; left out or empty for any verified one. */
  readonly domainScope?: ReadonlyArray<string>
  readonly expiresAt?: Instant
}

export interface IssueKeyFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly projectId: ProjectId
  readonly publicId: string
  readonly secretHash: string
}

const nameCharactersMax = 100

export const issueKey = (request: IssueKey, facts: IssueKeyFacts): Result.Result<Decision<ApiKey>, InvalidArgument> => {
  const { now, ids, projectId, publicId, secretHash } = facts
  const scope = (request.domainScope ?? []).map(parseDomain)
  const name = request.name ?? ""
  const issues: ReadonlyArray<Issue> = [
    ...(request.permissions.length === 0
      ? [issue(["permissions"], "required", "must hold at least one permission")]
      : []),
    ...request.permissions.flatMap((permission, index) =>
      permissions.includes(permission)
        ? []
        : [issue(["permissions", index], "invalid_value", `must be one of ${permissions.join(", ")}`)]
    ),
    ...scope.flatMap((domain, index) =>
      domain === undefined ? [issue(["domainScope", index], "invalid_value", "must be a domain name")] : []
    ),
    ...(name.length > nameCharactersMax
      ? [issue(["name"], "too_long", `must have at most ${nameCharactersMax} characters`)]
      : []),
    ...(request.expiresAt !== undefined && request.expiresAt <= now
      ? [issue(["expiresAt"], "not_in_future", "must be in the future")]
      : [])
  ]
  if (issues.length > 0) return Result.fail(new InvalidArgument({ context: "body", issues }))
  const key: ApiKey = {
    id: idAt(ids, "key", 0),
    projectId,
    publicId,
    secretHash,
    name,
    permissions: permissions.filter((permission) => request.permissions.includes(permission)),
    domainScope: scope.length === 0 ? null : [...new Set(scope as ReadonlyArray<string>)],
    createdAt: now,
    expiresAt: request.expiresAt ?? null,
    revokedAt: null,
    lastUsedAt: null,
    revision: 1
  }
  return Result.succeed({ answer: key, changes: [{ _tag: "PutApiKey", key, replaces: null }] })
}

/** A key that is revoked already keeps its time. */
export const revokeKey = (
  keyId: string,
  { now, key }: { readonly now: Instant; readonly key: ApiKey | null }
): Result.Result<Decision<ApiKey>, KeyNotFound> => {
  if (key === null) return Result.fail(new KeyNotFound({ keyId }))
  if (key.revokedAt !== null) return Result.succeed(settled(key))
  const revoked: ApiKey = { ...key, revokedAt: now, revision: key.revision + 1 }
  return Result.succeed({ answer: revoked, changes: [{ _tag: "PutApiKey", key: revoked, replaces: key.revision }] })
}
