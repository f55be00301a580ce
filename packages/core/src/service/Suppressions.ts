/**
 * The addresses that get no mail, and why. Source: decision 0012.
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import type { SuppressionFacts } from "../decide/suppression.ts"
import { liftSuppression, suppressAddress } from "../decide/suppression.ts"
import type { Decision } from "../decide/Decision.ts"
import { parseAddress } from "../domain/Address.ts"
import { InvalidArgument } from "../domain/Failure.ts"
import { issue } from "../domain/Issue.ts"
import type { ProjectId } from "../domain/Project.ts"
import type { Suppression, SuppressionReason } from "../domain/Suppression.ts"
import { decideAndCommit } from "../internal/decideAndCommit.ts"
import { IdSource } from "../port/IdSource.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"

type Changing = (
  projectId: ProjectId,
  email: string,
  reason: SuppressionReason
) => Effect.Effect<Suppression | null, InvalidArgument | StoreUnavailable>

export class Suppressions extends Context.Service<
  Suppressions,
  {
    /** Adds a reason; the others stay. Answers with all that stands. */
    readonly add: Changing
    /** Lifts one reason; the others stay. */
    readonly lift: Changing
  }
>()("@mailkeep/core/service/Suppressions") {
  static readonly layerNoDeps = Layer.effect(
    Suppressions,
    Effect.gen(function* () {
      const store = yield* MailStore
      const ids = yield* IdSource

      const changing = (
        name: string,
        decide: (reason: SuppressionReason, facts: SuppressionFacts) => Decision<Suppression | null>
      ): Changing =>
        Effect.fn(name)(function* (projectId, email, reason) {
          const address = parseAddress(email)?.canonical
          if (address === undefined)
            return yield* new InvalidArgument({
              context: "body",
              issues: [issue(["email"], "invalid_value", "must be a bare mailbox")]
            })
          const now = yield* Clock.currentTimeMillis
          const block = yield* ids.reserve(now, 1)
          return yield* decideAndCommit(
            store,
            store.read([
              { _tag: "Suppressions", projectId, addresses: [address] },
              { _tag: "ContactsByAddress", projectId, addresses: [address] }
            ]),
            ([[suppression], [contact]]) =>
              Result.succeed(
                decide(reason, {
                  now,
                  ids: block,
                  projectId,
                  address,
                  suppression: suppression!,
                  contact: contact!
                })
              )
          )
        })

      return {
        add: changing("Suppressions.add", suppressAddress),
        lift: changing("Suppressions.lift", liftSuppression)
      }
    })
  )
}
