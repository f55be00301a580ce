/**
 * The suppressions: addresses that get no mail, with the reasons. Source: decision 0012.
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import type { Decision } from "../decide/Decision.ts"
import type { SuppressionFacts } from "../decide/suppression.ts"
import { liftSuppression, suppressAddress } from "../decide/suppression.ts"
import { parseAddress } from "../domain/Address.ts"
import { writeCursor } from "../domain/Cursor.ts"
import { InvalidArgument, RecordNotFound } from "../domain/Failure.ts"
import { issue } from "../domain/Issue.ts"
import type { CursorRequest } from "../domain/Paging.ts"
import { examinedMax } from "../domain/Paging.ts"
import { parseCursorRequest, parseSearch } from "../domain/PagingRequest.ts"
import type { ProjectId } from "../domain/Project.ts"
import type { Suppression, SuppressionReason } from "../domain/Suppression.ts"
import { suppressedFor, suppressionReasons } from "../domain/Suppression.ts"
import { parseSuppressionChange } from "../domain/SuppressionRequest.ts"
import { readCursorPosition } from "../internal/readCursorPosition.ts"
import { decideAndCommit } from "../internal/decideAndCommit.ts"
import { validated, validIds } from "../internal/validated.ts"
import { Crypto } from "../port/Crypto.ts"
import { IdSource } from "../port/IdSource.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"
import { Secrets } from "./Secrets.ts"

type ChangeReason = (
  projectId: ProjectId,
  email: string,
  reason: SuppressionReason
) => Effect.Effect<Suppression | null, InvalidArgument | StoreUnavailable>

export interface SuppressionPage {
  readonly items: ReadonlyArray<Suppression>
  readonly limit: number
  readonly hasMore: boolean
  readonly nextCursor: string | null
}

export class Suppressions extends Context.Service<
  Suppressions,
  {
    /** Adds a reason and keeps the others. Returns the suppression with all its reasons. */
    readonly add: ChangeReason
    /** Removes one reason and keeps the others. */
    readonly removeReason: ChangeReason
    /** Removes all reasons of an address. Fails when the address is not suppressed. */
    readonly remove: (
      projectId: ProjectId,
      email: string
    ) => Effect.Effect<null, RecordNotFound | InvalidArgument | StoreUnavailable>
    /** The addresses that get no mail now, ordered by address, without erased addresses. A page may be short although `hasMore` is `true`. */
    readonly page: (
      projectId: ProjectId,
      search: string | null,
      page: CursorRequest
    ) => Effect.Effect<SuppressionPage, InvalidArgument | StoreUnavailable>
  }
>()("@mailkeep/core/service/Suppressions") {
  static readonly layerNoDeps = Layer.effect(
    Suppressions,
    Effect.gen(function* () {
      const store = yield* MailStore
      const ids = yield* IdSource
      const crypto = yield* Crypto
      const { addressKey, seal } = yield* Secrets
      const signCursor = seal("cursor")

      const change = <E>(
        projectId: ProjectId,
        email: string,
        decide: (facts: SuppressionFacts) => Result.Result<Decision<Suppression | null>, E>
      ): Effect.Effect<Suppression | null, InvalidArgument | StoreUnavailable | E> =>
        Effect.gen(function* () {
          yield* validIds({ projectId })
          const address = typeof email === "string" ? parseAddress(email)?.canonical : undefined
          if (address === undefined)
            return yield* new InvalidArgument({
              context: "body",
              issues: [issue(["email"], "invalid_value", "must be a bare mailbox")]
            })
          const now = yield* Clock.currentTimeMillis
          const block = yield* ids.reserve(now, 1)
          const keyedAddress = { projectId, address, addressKey: addressKey(address) }
          const changed = yield* decideAndCommit(
            store,
            store.read([
              { _tag: "Suppressions", projectId, addressKeys: [keyedAddress.addressKey] },
              { _tag: "ContactsByAddress", projectId, addresses: [address] }
            ]),
            ([[suppression], [contact]]) =>
              decide({ now, ids: block, keyedAddress, suppression: suppression!, contact: contact! })
          )
          return changed
        })

      const add: ChangeReason = Effect.fn("Suppressions.add")(function* (projectId, email, reason) {
        const asked = yield* validated(parseSuppressionChange, { email, reason })
        return yield* change(projectId, asked.email, (facts) => Result.succeed(suppressAddress(asked.reason, facts)))
      })

      const removeReason: ChangeReason = Effect.fn("Suppressions.removeReason")(function* (projectId, email, reason) {
        const asked = yield* validated(parseSuppressionChange, { email, reason })
        return yield* change(projectId, asked.email, (facts) => Result.succeed(liftSuppression([asked.reason], facts)))
      })

      const remove = Effect.fn("Suppressions.remove")(function* (projectId: ProjectId, email: string) {
        yield* change(projectId, email, (facts) =>
          suppressedFor(facts.suppression, facts.now) === null
            ? Result.fail(new RecordNotFound({ record: "suppression", id: "" }))
            : Result.succeed(liftSuppression(suppressionReasons, facts))
        )
        return null
      })

      const page = Effect.fn("Suppressions.page")(function* (
        projectId: ProjectId,
        text: string | null,
        request: CursorRequest
      ) {
        yield* validIds({ projectId })
        const { search } = yield* validated(parseSearch, { search: text }, "query")
        const { limit, cursor } = yield* validated(parseCursorRequest, request, "query")
        const scope = { projectId, listing: "suppressions", filters: { search } }
        const after = yield* readCursorPosition(signCursor, crypto, scope, cursor, "these filters")
        const now = yield* Clock.currentTimeMillis
        const [{ items, next }] = yield* store.read([
          {
            _tag: "SuppressionPage",
            projectId,
            search,
            now,
            after: after === null ? null : after[0]!,
            limit,
            scanLimit: examinedMax
          }
        ])
        const nextCursor = next === null ? null : writeCursor(signCursor, scope, [next])
        return { items, limit, hasMore: next !== null, nextCursor }
      })

      return { add, removeReason, remove, page }
    })
  )
}
