/**
 * Creates and revokes API keys, and records their use. Source: decision 0014.
 */
import { Result } from "effect"
import type { ApiKeyRecord, ValidCreateApiKey } from "../../domain/access/ApiKey.ts"
import { permissions } from "../../domain/access/ApiKey.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import { parseDomain } from "../../domain/message/Address.ts"
import { ApiKeyNotFound } from "../../domain/access/AccessFailure.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import type { IdBlock } from "../../domain/value/Id.ts"
import { idAt } from "../../domain/value/Id.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import { minuteMillis } from "../../domain/value/Instant.ts"
import { issue } from "../../domain/value/Issue.ts"
import type { Decision } from "../store/Decision.ts"
import { invalidInput, unchanged } from "../store/Decision.ts"
import { expectNoDeletion } from "../store/expectation.ts"

export interface CreateApiKeyFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly projectId: ProjectId
  readonly publicId: string
  readonly secretHash: string
}

/** Creates an API key. Fails when it expires at or before `now`. Lists each permission and each domain once. */
export const createApiKey = (
  input: ValidCreateApiKey,
  { now, ids, projectId, publicId, secretHash }: CreateApiKeyFacts
): Result.Result<Decision<ApiKeyRecord>, InvalidArgument> => {
  if (input.expiresAt !== null && input.expiresAt <= now) {
    const past = issue(["expiresAt"], "not_in_future", "must be in the future")
    return invalidInput([past])
  }
  const scope = input.domainScope?.map((domain) => parseDomain(domain)!)
  const apiKey: ApiKeyRecord = {
    id: idAt(ids, "key", 0),
    projectId,
    publicId,
    secretHash,
    name: input.name ?? "",
    permissions: permissions.filter((permission) => input.permissions.includes(permission)),
    domainScope: scope === undefined ? null : [...new Set(scope)],
    createdAt: now,
    expiresAt: input.expiresAt,
    revokedAt: null,
    lastUsedAt: null,
    revision: 1
  }
  return Result.succeed({
    answer: apiKey,
    changes: [expectNoDeletion(projectId), { _tag: "PutApiKey", key: apiKey, replaces: null }]
  })
}

/** Revokes an API key. If it is already revoked, `revokedAt` does not change. */
export const revokeApiKey = (
  apiKeyId: string,
  { now, existing }: { readonly now: Instant; readonly existing: ApiKeyRecord | null }
): Result.Result<Decision<ApiKeyRecord>, ApiKeyNotFound> => {
  if (existing === null) return Result.fail(new ApiKeyNotFound({ apiKeyId }))
  if (existing.revokedAt !== null) return Result.succeed(unchanged(existing))
  const revoked: ApiKeyRecord = { ...existing, revokedAt: now, revision: existing.revision + 1 }
  return Result.succeed({
    answer: revoked,
    changes: [{ _tag: "PutApiKey", key: revoked, replaces: existing.revision }]
  })
}

/** Returns the minute of a use, which is the precision of `lastUsedAt`. */
export const minuteOfUse = (now: Instant): Instant => now - (now % minuteMillis)

/** Records the use of an API key, to the minute. Changes nothing when a use in this minute or later is recorded already. */
export const recordApiKeyUse = (
  { projectId, id, lastUsedAt }: Pick<ApiKeyRecord, "projectId" | "id" | "lastUsedAt">,
  now: Instant
): Result.Result<Decision<null>> => {
  const minute = minuteOfUse(now)
  return Result.succeed(
    lastUsedAt !== null && lastUsedAt >= minute
      ? unchanged(null)
      : { answer: null, changes: [{ _tag: "TouchApiKey", projectId, id, lastUsedAt: minute }] }
  )
}
