/**
 * Authenticates API keys, checks permissions and enforces rate limits.
 * Source: interface, Authentication; decisions 0009 and 0014.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { ApiKey, Permission, Principal } from "../domain/ApiKey.ts"
import { isKeyLive, parseKey } from "../domain/ApiKey.ts"
import { KeyNotAccepted, PermissionMissing, RateLimited } from "../domain/Failure.ts"
import type { Instant } from "../domain/Instant.ts"
import { minuteMillis } from "../domain/Instant.ts"
import { Crypto } from "../port/Crypto.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"
import { PlanSource } from "../port/PlanSource.ts"
import type { BucketRef, RateDecision } from "../port/RateLimiter.ts"
import { RateLimiter } from "../port/RateLimiter.ts"

/** No API key has this public id. */
const noPublicId = ""

/** Replaces an unknown API key, so that an unknown and a known API key are checked by the same steps. No secret has this hash. */
const unknownApiKey: ApiKey = {
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

export class Access extends Context.Service<
  Access,
  {
    /** Returns the principal of an API key. Reads the API key from the store each time, so that a revocation applies at once. */
    readonly authenticate: (presented: string) => Effect.Effect<Principal, KeyNotAccepted | StoreUnavailable>
    /** Fails when the principal does not have the permission. */
    readonly authorize: (principal: Principal, permission: Permission) => Effect.Effect<void, PermissionMissing>
    /** Counts one request against the rate limit of the plan. Returns `null` when the plan has no rate limit. */
    readonly takeRateLimit: (principal: Principal) => Effect.Effect<RateDecision | null, StoreUnavailable>
    /** Fails with `RateLimited` when the decision does not allow the request. */
    readonly failIfLimited: (decision: RateDecision | null) => Effect.Effect<void, RateLimited>
  }
>()("@mailkeep/core/service/Access") {
  static readonly layer = Layer.effect(
    Access,
    Effect.gen(function* () {
      const store = yield* MailStore
      const crypto = yield* Crypto
      const plans = yield* PlanSource
      const limiter = yield* RateLimiter

      /** The public id of the last accepted API key, or `noPublicId`. `authenticate` reads this API key after a refusal. */
      let acceptedPublicId = noPublicId

      /** The minute of the last recorded use, by the id of the API key. */
      const lastUseMinutes = new Map<string, Instant>()
      const recordUse = (apiKey: ApiKey, now: Instant): Effect.Effect<void> => {
        const minute = now - (now % minuteMillis)
        if (lastUseMinutes.get(apiKey.id) === minute || (apiKey.lastUsedAt !== null && apiKey.lastUsedAt >= minute))
          return Effect.void
        lastUseMinutes.set(apiKey.id, minute)
        return store
          .commit([{ _tag: "TouchApiKey", id: apiKey.id, lastUsedAt: minute }])
          .pipe(Effect.ignore, Effect.forkDetach, Effect.asVoid)
      }

      const authenticate = Effect.fn("Access.authenticate")(function* (presented: string) {
        const parts = parseKey(presented)
        if (parts === undefined) return yield* new KeyNotAccepted()
        const [found] = yield* store.read([{ _tag: "ApiKeyByPublicId", publicId: parts.publicId }])
        const apiKey = found ?? unknownApiKey
        const secretMatches = crypto.equal(crypto.sha256(parts.secret), apiKey.secretHash)
        const now = yield* Clock.currentTimeMillis
        const live = isKeyLive(apiKey, now)
        if (found === null || !secretMatches || !live) {
          // A store needs more time for a record that exists. Each refusal reads one existing and one missing API key, so that its time
          // does not show whether the API key exists.
          yield* store.read([{ _tag: "ApiKeyByPublicId", publicId: found === null ? acceptedPublicId : noPublicId }])
          return yield* new KeyNotAccepted()
        }
        acceptedPublicId = parts.publicId
        yield* recordUse(found, now)
        const { projectId, id: apiKeyId, permissions, domainScope } = found
        return { projectId, apiKeyId, permissions, domainScope, source: "api" } satisfies Principal
      })

      const authorize = (principal: Principal, permission: Permission): Effect.Effect<void, PermissionMissing> =>
        principal.permissions.includes(permission) ? Effect.void : Effect.fail(new PermissionMissing({ permission }))

      const takeRateLimit = Effect.fn("Access.takeRateLimit")(function* ({ projectId, apiKeyId }: Principal) {
        const { rateLimit: limit } = yield* plans.planOf(projectId)
        if (limit === null) return null
        const now = yield* Clock.currentTimeMillis
        const project: BucketRef = { scope: "project", id: projectId, limit }
        return yield* apiKeyId === null
          ? limiter.take([project], now)
          : limiter.take([{ scope: "api_key", id: apiKeyId, limit }, project], now)
      })

      const failIfLimited = (decision: RateDecision | null): Effect.Effect<void, RateLimited> =>
        decision === null || decision.allowed
          ? Effect.void
          : Effect.fail(new RateLimited({ scope: decision.scope, retryAfterSeconds: decision.retryAfterSeconds }))

      return { authenticate, authorize, takeRateLimit, failIfLimited }
    })
  )
}
