/**
 * The suppressions: addresses that get no mail, with the reasons. Source: decision 0012.
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import type { SuppressionFacts } from "../../decide/contact/suppression.ts"
import { addReason, deleteSuppression, removeReason } from "../../decide/contact/suppression.ts"
import type { Decision } from "../../decide/store/Decision.ts"
import type { Caller } from "../../domain/access/ApiKey.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { Suppression, SuppressionReason } from "../../domain/contact/Suppression.ts"
import { toSuppression } from "../../domain/contact/Suppression.ts"
import type { ListSuppressionsInput, ValidReasonChange } from "../../domain/contact/SuppressionRequest.ts"
import { parseReasonChange, parseSuppressionListing } from "../../domain/contact/SuppressionRequest.ts"
import { canonicalAddress, parseAddress } from "../../domain/message/Address.ts"
import { examinedMax } from "../../domain/store/Paging.ts"
import type { RecordNotFound } from "../../domain/store/RecordFailure.ts"
import { InvalidArgument } from "../../domain/value/Failure.ts"
import { issue } from "../../domain/value/Issue.ts"
import { clockFacts } from "../../internal/store/clockFacts.ts"
import { makeCommit } from "../../internal/store/commit.ts"
import type { CursorPage } from "../../domain/store/Paging.ts"
import { makeSearchedPage } from "../../internal/store/searchedPage.ts"
import { keyedAddressOf } from "../../internal/contact/keyedAddress.ts"
import { validated, validProject } from "../../internal/validated.ts"
import { Crypto } from "../../port/Crypto.ts"
import { IdSource } from "../../port/IdSource.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"
import { Secrets } from "../access/Secrets.ts"

/**
 * The suppressions of a project: the addresses that get no mail, and the reasons.
 *
 * @example
 * ```ts
 * import { Suppressions } from "@mailkeep/core"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const suppressions = yield* Suppressions
 *   yield* suppressions.addReason("prj_a", "ada@example.org", "manual")
 *   return (yield* suppressions.list("prj_a", { search: "ada" })).items
 * })
 * ```
 */
export class Suppressions extends Context.Service<
  Suppressions,
  {
    /**
     * Adds a reason and keeps the others. Returns the suppression with all its reasons. The reason `unsubscribed` also unsubscribes the
     * contact with the address. A reason that is added again keeps its first time, except `temporary_failure`.
     */
    readonly addReason: (
      caller: Caller,
      email: string,
      reason: SuppressionReason
    ) => Effect.Effect<Suppression, InvalidArgument | StoreUnavailable>
    /**
     * Removes one reason and keeps the others. Returns the suppression with the other reasons, or `null` when there are none. The removal
     * of `unsubscribed` also subscribes the contact with the address.
     */
    readonly removeReason: (
      caller: Caller,
      email: string,
      reason: SuppressionReason
    ) => Effect.Effect<Suppression | null, InvalidArgument | StoreUnavailable>
    /** Removes all reasons of an address. Fails with `RecordNotFound` when the address is not suppressed. */
    readonly delete: (
      caller: Caller,
      email: string
    ) => Effect.Effect<null, RecordNotFound | InvalidArgument | StoreUnavailable>
    /**
     * Returns one page of the addresses that get no mail now, ordered by address, without the addresses of deleted contacts. A search takes up
     * to 1 s. Its page may be short although `hasMore` is `true`; the next page continues the search. Fails with `InvalidArgument` for a cursor
     * of another search.
     */
    readonly list: (
      caller: Caller,
      input?: ListSuppressionsInput
    ) => Effect.Effect<CursorPage<Suppression>, InvalidArgument | StoreUnavailable>
  }
>()("@mailkeep/core/service/Suppressions") {
  /** Makes the service from the services that it needs. `MailCore.layer` makes all of them. */
  static readonly layer = Layer.effect(
    Suppressions,
    Effect.gen(function* () {
      const store = yield* MailStore
      const commit = makeCommit(store)
      const ids = yield* IdSource
      const { addressKey, signer } = yield* Secrets
      const searchedPage = makeSearchedPage({ sign: signer("cursor"), crypto: yield* Crypto })

      /** Reads the clock and reserves the id of an event. Returns the effect that loads the facts about an address. */
      const factsOf = (
        projectId: ProjectId,
        email: string
      ): Effect.Effect<Effect.Effect<SuppressionFacts, StoreUnavailable>> =>
        Effect.gen(function* () {
          const clock = yield* clockFacts(ids, 1)
          const keyedAddress = keyedAddressOf(addressKey, projectId, canonicalAddress(email))
          return Effect.map(
            store.read([
              { _tag: "Suppressions", projectId, addressKeys: [keyedAddress.addressKey] },
              { _tag: "ContactsByAddress", projectId, addresses: [keyedAddress.address] }
            ]),
            ([[suppression], [contact]]) => ({
              ...clock,
              keyedAddress,
              suppression: suppression!,
              contact: contact!
            })
          )
        })

      /** Validates the change of one reason of an address, and commits the decision. */
      const changeReason = Effect.fnUntraced(function* <A>(
        decide: (change: ValidReasonChange, facts: SuppressionFacts) => Decision<A>,
        caller: Caller,
        input: { readonly email: string; readonly reason: SuppressionReason }
      ) {
        const change = yield* validated(parseReasonChange, input)
        const projectId = yield* validProject(caller)
        const load = yield* factsOf(projectId, change.email)
        return yield* commit(load, (facts) => Result.succeed(decide(change, facts)), "bounded")
      })

      const add = Effect.fn("Suppressions.addReason")(function* (
        caller: Caller,
        email: string,
        reason: SuppressionReason
      ) {
        const record = yield* changeReason(addReason, caller, { email, reason })
        return toSuppression(record, yield* Clock.currentTimeMillis)
      })

      const remove = Effect.fn("Suppressions.removeReason")(function* (
        caller: Caller,
        email: string,
        reason: SuppressionReason
      ) {
        const record = yield* changeReason(removeReason, caller, { email, reason })
        return record === null || Object.keys(record.reasons).length === 0
          ? null
          : toSuppression(record, yield* Clock.currentTimeMillis)
      })

      const deleteOne = Effect.fn("Suppressions.delete")(function* (caller: Caller, email: string) {
        const projectId = yield* validProject(caller)
        if (typeof email !== "string" || parseAddress(email) === undefined)
          return yield* new InvalidArgument({
            argument: "ids",
            issues: [issue(["email"], "invalid_value", "must be a bare mailbox")]
          })
        return yield* commit(yield* factsOf(projectId, email), deleteSuppression, "bounded")
      })

      const list = Effect.fn("Suppressions.list")(function* (caller: Caller, input: ListSuppressionsInput = {}) {
        const projectId = yield* validProject(caller)
        const { search, addressPart, limit, cursor } = yield* validated(parseSuppressionListing, input, "filters")
        const now = yield* Clock.currentTimeMillis
        const { items, ...page } = yield* searchedPage({
          scope: { projectId, listing: "suppressions", filters: { search } },
          limit,
          cursor,
          encode: (address: string) => [address],
          decode: ([address]) => address!,
          readPart: (after, limit) => {
            const query = { projectId, search, addressPart, now, after, limit, scanLimit: examinedMax }
            return Effect.map(store.read([{ _tag: "SuppressionPage", ...query }]), ([part]) => part)
          }
        })
        return { items: items.map((record) => toSuppression(record, now)), ...page }
      })

      return { addReason: add, removeReason: remove, delete: deleteOne, list }
    })
  )
}
