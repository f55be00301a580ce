/**
 * Authenticates API keys, checks permissions and enforces rate limits.
 * Source: docs/spec/coverage.md S9; decisions 0009 and 0014.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { minuteOfUse, recordApiKeyUse } from "../../decide/access/apiKey.ts"
import type { ApiKeyRecord, Permission, Principal } from "../../domain/access/ApiKey.ts"
import { isApiKeyLive, parseApiKey } from "../../domain/access/ApiKey.ts"
import { InvalidApiKey, PermissionMissing, RateLimited } from "../../domain/access/AccessFailure.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import { makeCommit } from "../../internal/store/commit.ts"
import { traced } from "../../internal/observability/traced.ts"
import { Crypto } from "../../port/Crypto.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"
import { PlanSource } from "../../port/PlanSource.ts"
import type { BucketRef, BucketRefs, RateDecision } from "../../port/RateLimiter.ts"
import { RateLimiter } from "../../port/RateLimiter.ts"

/** No API key has this public id. */
const noPublicId = ""

/** Replaces an unknown API key, so that an unknown and a known API key are checked by the same steps. No secret has this hash. */
const unknownApiKey: ApiKeyRecord = {
  id: "key_unknown",
  projectId: "",
  publicId: noPublicId,
  secretHash: "0".repeat(64),
  name: "",
  permissions: [],
  domainScope: null,
  createdAt: 0,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  revision: 1
}

/**
 * Checks who calls. A binding authenticates each request, checks the permission of its route and takes from the rate limit.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Access } from "@mailkeep/core"
 *
 * export const callerOf = (secret: string) =>
 *   Effect.gen(function* () {
 *     const access = yield* Access
 *     const principal = yield* access.authenticate(secret)
 *     yield* access.authorize(principal, "email.send")
 *     return principal
 *   })
 * ```
 */
export class Access extends Context.Service<
  Access,
  {
    /**
     * Returns the principal of an API key. Reads the API key from the store each time, so that a revocation applies at once.
     * Fails with `InvalidApiKey`, which does not show whether the API key is malformed, unknown, revoked or expired.
     */
    readonly authenticate: (secret: string) => Effect.Effect<Principal, InvalidApiKey | StoreUnavailable>
    /** Fails with `PermissionMissing` when the principal does not have the permission. */
    readonly authorize: (principal: Principal, permission: Permission) => Effect.Effect<void, PermissionMissing>
    /** Counts one request against the rate limit of the plan. Returns `null` when the plan has no rate limit. */
    readonly takeRateLimit: (principal: Principal) => Effect.Effect<RateDecision | null, StoreUnavailable>
    /**
     * Counts `more` requests besides the one that `takeRateLimit` has counted, such as the other messages of a batch. They may be more than the rate
     * limit has left. Later requests then wait until the rate limit has refilled. Does not allow the request when an earlier one left less than nothing.
     * Returns `null` when the plan has no rate limit.
     */
    readonly takeMoreRateLimit: (
      principal: Principal,
      more: number
    ) => Effect.Effect<RateDecision | null, StoreUnavailable>
    /** Fails with `RateLimited` when the decision does not allow the request. */
    readonly failIfLimited: (decision: RateDecision | null) => Effect.Effect<void, RateLimited>
  }
>()("@mailkeep/core/service/Access") {
  /** Makes the service from the services that it needs. `MailCore.layer` makes all of them. */
  static readonly layer = Layer.effect(
    Access,
    Effect.gen(function* () {
      const store = yield* MailStore
      const commit = makeCommit(store)
      const crypto = yield* Crypto
      const plans = yield* PlanSource
      const limiter = yield* RateLimiter

      /** The public id of the last valid API key, or `noPublicId`. `authenticate` reads this API key after a refusal. */
      let lastValidPublicId = noPublicId

      /** The minute of the last recorded use, by the id of the API key. */
      const lastUseMinutes = new Map<string, Instant>()
      const recordUse = (apiKey: ApiKeyRecord, now: Instant): Effect.Effect<void> => {
        const minute = minuteOfUse(now)
        if (lastUseMinutes.get(apiKey.id) === minute) return Effect.void
        lastUseMinutes.set(apiKey.id, minute)
        return commit(Effect.void, () => recordApiKeyUse(apiKey, now), "once").pipe(
          Effect.ignore,
          Effect.forkDetach,
          Effect.asVoid
        )
      }

      const authenticate = traced(
        "Access.authenticate",
        Effect.fnUntraced(function* (secret: string) {
          const parts = parseApiKey(secret)
          if (parts === undefined) return yield* new InvalidApiKey()
          const [found] = yield* store.read([{ _tag: "ApiKeyByPublicId", publicId: parts.publicId }])
          const apiKey = found ?? unknownApiKey
          const secretMatches = crypto.equal(crypto.sha256(parts.secret), apiKey.secretHash)
          const now = yield* Clock.currentTimeMillis
          const live = isApiKeyLive(apiKey, now)
          if (found === null || !secretMatches || !live) {
            // A store needs more time for a record that exists. Each refusal reads one existing and one missing API key, so that its time
            // does not show whether the API key exists.
            yield* store.read([{ _tag: "ApiKeyByPublicId", publicId: found === null ? lastValidPublicId : noPublicId }])
            return yield* new InvalidApiKey()
          }
          lastValidPublicId = parts.publicId
          yield* recordUse(found, now)
          const { projectId, id: apiKeyId, permissions, domainScope } = found
          return { projectId, apiKeyId, permissions, domainScope, source: "api" } satisfies Principal
        })
      )

      const authorize = (principal: Principal, permission: Permission): Effect.Effect<void, PermissionMissing> =>
        principal.permissions.includes(permission) ? Effect.void : Effect.fail(new PermissionMissing({ permission }))

      /** The buckets of a principal: of its API key, then of its project. `null` when the plan has no rate limit. */
      const bucketsOf = ({ projectId, apiKeyId }: Principal): Effect.Effect<BucketRefs | null, StoreUnavailable> =>
        Effect.map(plans.planOf(projectId), ({ rateLimit: limit }) => {
          if (limit === null) return null
          const project: BucketRef = { scope: "project", id: projectId, limit }
          return apiKeyId === null ? [project] : [{ scope: "api_key", id: apiKeyId, limit }, project]
        })

      const takeRateLimit = traced(
        "Access.takeRateLimit",
        Effect.fnUntraced(function* (principal: Principal) {
          const buckets = yield* bucketsOf(principal)
          return buckets === null ? null : yield* limiter.take(buckets, yield* Clock.currentTimeMillis)
        })
      )

      const takeMoreRateLimit = traced(
        "Access.takeMoreRateLimit",
        Effect.fnUntraced(function* (principal: Principal, more: number) {
          const buckets = yield* bucketsOf(principal)
          if (buckets === null) return null
          return yield* limiter.takeMore(buckets, more, yield* Clock.currentTimeMillis)
        })
      )

      const failIfLimited = (decision: RateDecision | null): Effect.Effect<void, RateLimited> =>
        decision === null || decision.allowed
          ? Effect.void
          : Effect.fail(new RateLimited({ scope: decision.scope, retryAfterSeconds: decision.retryAfterSeconds }))

      return { authenticate, authorize, takeRateLimit, takeMoreRateLimit, failIfLimited }
    })
  )
}
