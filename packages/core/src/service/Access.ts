/**
 * Who may do what: authenticates API keys, checks permissions, admits requests at the allowed rate.
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

/** No key has it. */
const noPublicId = ""

/** Stands in for a key that is not known, so that it is judged by the same steps as one that is; no secret has its hash. */
const unknownKey: ApiKey = {
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
    /** The bearer of a presented key. The key is read from the store each time: a revocation counts at once. */
    readonly authenticate: (presented: string) => Effect.Effect<Principal, KeyNotAccepted | StoreUnavailable>
    readonly authorize: (principal: Principal, permission: Permission) => Effect.Effect<void, PermissionMissing>
    /** Counts one request against the plan's rate limit; `null` when there is none. */
    readonly admit: (principal: Principal) => Effect.Effect<RateDecision | null, StoreUnavailable>
    /** Turns a decision that does not allow the request into its failure. */
    readonly refuseOverRate: (decision: RateDecision | null) => Effect.Effect<void, RateLimited>
  }
>()("@mailkeep/core/service/Access") {
  static readonly layer = Layer.effect(
    Access,
    Effect.gen(function* () {
      const store = yield* MailStore
      const crypto = yield* Crypto
      const plans = yield* PlanSource
      const limiter = yield* RateLimiter

      /** Of a key that was accepted, for `authenticate` to look up; `noPublicId` until one was. */
      let acceptedPublicId = noPublicId

      const noted = new Map<string, Instant>()
      const noteUse = (key: ApiKey, now: Instant): Effect.Effect<void> => {
        const minute = now - (now % minuteMillis)
        if (noted.get(key.id) === minute || (key.lastUsedAt !== null && key.lastUsedAt >= minute)) return Effect.void
        noted.set(key.id, minute)
        return store
          .commit([{ _tag: "TouchApiKey", id: key.id, lastUsedAt: minute }])
          .pipe(Effect.ignore, Effect.forkDetach, Effect.asVoid)
      }

      const authenticate = Effect.fn("Access.authenticate")(function* (presented: string) {
        const parts = parseKey(presented)
        if (parts === undefined) return yield* new KeyNotAccepted()
        const [found] = yield* store.read([{ _tag: "ApiKeyByPublicId", publicId: parts.publicId }])
        const key = found ?? unknownKey
        const proven = crypto.equal(crypto.sha256(parts.secret), key.secretHash)
        const now = yield* Clock.currentTimeMillis
        const live = isKeyLive(key, now)
        if (found === null || !proven || !live) {
          // A store takes longer over a record that it finds: every refusal looks for one that is there and one that is not.
          yield* store.read([{ _tag: "ApiKeyByPublicId", publicId: found === null ? acceptedPublicId : noPublicId }])
          return yield* new KeyNotAccepted()
        }
        acceptedPublicId = parts.publicId
        yield* noteUse(found, now)
        const { projectId, id: keyId, permissions, domainScope } = found
        return { projectId, keyId, permissions, domainScope, source: "api" } satisfies Principal
      })

      const authorize = (principal: Principal, permission: Permission): Effect.Effect<void, PermissionMissing> =>
        principal.permissions.includes(permission) ? Effect.void : Effect.fail(new PermissionMissing({ permission }))

      const admit = Effect.fn("Access.admit")(function* ({ projectId, keyId }: Principal) {
        const { rateLimit: limit } = yield* plans.planOf(projectId)
        if (limit === null) return null
        const now = yield* Clock.currentTimeMillis
        const project: BucketRef = { scope: "project", id: projectId, limit }
        return yield* keyId === null
          ? limiter.take([project], now)
          : limiter.take([{ scope: "api_key", id: keyId, limit }, project], now)
      })

      const refuseOverRate = (decision: RateDecision | null): Effect.Effect<void, RateLimited> =>
        decision === null || decision.allowed
          ? Effect.void
          : Effect.fail(new RateLimited({ scope: decision.scope, retryAfterSeconds: decision.retryAfterSeconds }))

      return { authenticate, authorize, admit, refuseOverRate }
    })
  )
}
