/**
 * Issues, lists and revokes API keys. Available in process and in the command, never over HTTP. Source: decision 0014.
 */
import { Clock, Context, Effect, Layer, Redacted, Result } from "effect"
import { issueKey, revokeKey } from "../decide/apiKey.ts"
import type { ApiKey, CreateApiKey } from "../domain/ApiKey.ts"
import { mintKey, mintKeyBytes, parseCreateApiKey, printKey } from "../domain/ApiKey.ts"
import type { InvalidArgument, KeyNotFound } from "../domain/Failure.ts"
import type { ProjectId } from "../domain/Project.ts"
import { decideAndCommit } from "../internal/decideAndCommit.ts"
import { validated, validIds } from "../internal/validated.ts"
import { Crypto } from "../port/Crypto.ts"
import { IdSource } from "../port/IdSource.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"
import { Projects } from "./Projects.ts"

export interface CreatedApiKey {
  readonly key: ApiKey
  /** The complete API key. It is shown only once. */
  readonly printed: Redacted.Redacted<string>
}

export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** Issues an API key. Creates the project when it does not exist. */
    readonly create: (
      projectId: ProjectId,
      request: CreateApiKey
    ) => Effect.Effect<CreatedApiKey, InvalidArgument | StoreUnavailable>
    /** Oldest first, including revoked API keys. */
    readonly list: (projectId: ProjectId) => Effect.Effect<ReadonlyArray<ApiKey>, InvalidArgument | StoreUnavailable>
    /** Revokes an API key. The revocation applies at once. */
    readonly revoke: (apiKeyId: string) => Effect.Effect<ApiKey, InvalidArgument | KeyNotFound | StoreUnavailable>
  }
>()("@mailkeep/core/service/ApiKeys") {
  static readonly layerNoDeps = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const store = yield* MailStore
      const crypto = yield* Crypto
      const ids = yield* IdSource
      const projects = yield* Projects

      const create = Effect.fn("ApiKeys.create")(function* (projectId: ProjectId, asked: CreateApiKey) {
        const request = yield* validated(parseCreateApiKey, asked)
        yield* validIds({ projectId })
        const now = yield* Clock.currentTimeMillis
        const block = yield* ids.reserve(now, 1)
        const minted = mintKey(crypto.randomBytes(mintKeyBytes))
        const secretHash = crypto.sha256(minted.secret)
        const issued = issueKey(request, { now, ids: block, projectId, publicId: minted.publicId, secretHash })
        if (Result.isSuccess(issued)) yield* projects.ensure(projectId)
        const key = yield* decideAndCommit(store, Effect.void, () => issued)
        return { key, printed: Redacted.make(printKey(minted)) }
      })

      const list = Effect.fn("ApiKeys.list")(function* (projectId: ProjectId) {
        yield* validIds({ projectId })
        const [keys] = yield* store.read([{ _tag: "ApiKeys", projectId }])
        return keys
      })

      const revoke = Effect.fn("ApiKeys.revoke")(function* (apiKeyId: string) {
        yield* validIds({ apiKeyId })
        const now = yield* Clock.currentTimeMillis
        return yield* decideAndCommit(store, store.read([{ _tag: "ApiKey", id: apiKeyId }]), ([key]) =>
          revokeKey(apiKeyId, { now, key })
        )
      })

      return { create, list, revoke }
    })
  )
}
