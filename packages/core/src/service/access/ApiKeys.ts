/**
 * Creates, lists and revokes API keys. Available in process and in the command, never over HTTP. Source: decision 0014.
 */
import { Clock, Context, Effect, Layer, Redacted, Result } from "effect"
import { createApiKey, revokeApiKey } from "../../decide/access/apiKey.ts"
import type { ApiKey, CreateApiKeyInput } from "../../domain/access/ApiKey.ts"
import { formatApiKey, mintApiKey, mintApiKeyBytes, parseCreateApiKey, toApiKey } from "../../domain/access/ApiKey.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { ApiKeyNotFound } from "../../domain/access/AccessFailure.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import { clockFacts } from "../../internal/store/clockFacts.ts"
import { makeCommit } from "../../internal/store/commit.ts"
import { failWhileDeleting } from "../../internal/access/projectDeletion.ts"
import { validated, validIds } from "../../internal/validated.ts"
import { Crypto } from "../../port/Crypto.ts"
import { IdSource } from "../../port/IdSource.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"
import { Projects } from "./Projects.ts"

/** How many projects are asked at once for an API key. */
const projectsAtOnce = 200

/** A new API key with its secret. */
export interface CreatedApiKey {
  readonly apiKey: ApiKey
  /** The complete API key, which a client sends as its bearer token. Mailkeep does not store it, so it is shown only once. */
  readonly secret: Redacted.Redacted<string>
}

/**
 * The API keys of a project. A program that embeds Mailkeep needs no API key.
 *
 * @example
 * ```ts
 * import { Effect, Redacted } from "effect"
 * import { ApiKeys } from "@mailkeep/core"
 *
 * export const bearerToken = Effect.gen(function* () {
 *   const apiKeys = yield* ApiKeys
 *   const { secret } = yield* apiKeys.create("prj_acme", { permissions: ["email.send"] })
 *   return Redacted.value(secret)
 * })
 * ```
 */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /**
     * Creates an API key. Creates the project when it does not exist. Fails with `InvalidArgument` when the input is not valid or `expiresAt`
     * has passed. Fails with `StoreUnavailable`, reason `deleting`, while the project is being deleted.
     */
    readonly create: (
      projectId: ProjectId,
      input: CreateApiKeyInput
    ) => Effect.Effect<CreatedApiKey, InvalidArgument | StoreUnavailable>
    /** Lists the API keys of a project, oldest first, including revoked API keys. */
    readonly list: (projectId: ProjectId) => Effect.Effect<ReadonlyArray<ApiKey>, InvalidArgument | StoreUnavailable>
    /**
     * Revokes an API key. The revocation applies at once. A repeat does not change `revokedAt`. Fails with `ApiKeyNotFound`.
     * The id alone identifies the API key in every project, so that an operator can revoke an API key of unknown origin.
     */
    readonly revoke: (apiKeyId: string) => Effect.Effect<ApiKey, InvalidArgument | ApiKeyNotFound | StoreUnavailable>
  }
>()("@mailkeep/core/service/ApiKeys") {
  /** Makes the service from the services that it needs. `MailCore.layer` makes all of them. */
  static readonly layer = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const store = yield* MailStore
      const commit = makeCommit(store)
      const crypto = yield* Crypto
      const ids = yield* IdSource
      const projects = yield* Projects

      const create = Effect.fn("ApiKeys.create")(function* (projectId: ProjectId, input: CreateApiKeyInput) {
        const valid = yield* validated(parseCreateApiKey, input)
        yield* validIds({ projectId })
        const clock = yield* clockFacts(ids, 1)
        const minted = mintApiKey(crypto.randomBytes(mintApiKeyBytes))
        const secretHash = crypto.sha256(minted.secret)
        const facts = { ...clock, projectId, publicId: minted.publicId, secretHash }
        const created = createApiKey(valid, facts)
        if (Result.isSuccess(created)) yield* projects.ensure(projectId)
        const apiKey = yield* commit(failWhileDeleting(store, projectId), () => created, "bounded")
        return { apiKey: toApiKey(apiKey), secret: Redacted.make(formatApiKey(minted)) }
      })

      const list = Effect.fn("ApiKeys.list")(function* (projectId: ProjectId) {
        yield* validIds({ projectId })
        const [found] = yield* store.read([{ _tag: "ApiKeys", projectId }])
        return found.map(toApiKey)
      })

      /** Asks each project for the API key. Each API key belongs to a project with a record. */
      const findById = (id: string) =>
        Effect.gen(function* () {
          const [all] = yield* store.read([{ _tag: "Projects" }])
          for (let first = 0; first < all.length; first += projectsAtOnce) {
            const part = all.slice(first, first + projectsAtOnce)
            const found = yield* store.read(
              part.map((project) => ({ _tag: "ApiKey", projectId: project.id, id }) as const)
            )
            const apiKey = found.find((one) => one !== null)
            if (apiKey !== undefined) return apiKey
          }
          return null
        })

      const revoke = Effect.fn("ApiKeys.revoke")(function* (apiKeyId: string) {
        yield* validIds({ apiKeyId })
        const now = yield* Clock.currentTimeMillis
        const load = Effect.map(findById(apiKeyId), (existing) => ({ existing }))
        return toApiKey(yield* commit(load, (facts) => revokeApiKey(apiKeyId, { now, ...facts }), "bounded"))
      })

      return { create, list, revoke }
    })
  )
}
