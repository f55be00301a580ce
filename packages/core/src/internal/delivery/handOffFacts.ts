/**
 * Loads the facts of the decisions about one claimed delivery: `null` when the delivery and its message were deleted since the claim. Source:
 * decisions 0006 and 0101.
 */
import { Data, Effect } from "effect"
import type { BeginAttemptFacts, StartedAttempt } from "../../decide/delivery/beginAttempt.ts"
import { hasBegunAttempt } from "../../decide/delivery/claim.ts"
import type { FinishAttemptFacts } from "../../decide/delivery/finishAttempt.ts"
import type { QueueDueFacts } from "../../decide/delivery/queueDue.ts"
import type { ProjectRecord } from "../../domain/access/Project.ts"
import type { Attempt, Delivery } from "../../domain/delivery/Delivery.ts"
import type { RetryPolicy } from "../../domain/delivery/RetrySchedule.ts"
import type { Message } from "../../domain/message/Message.ts"
import type { IdSource } from "../../port/IdSource.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import type { PlanSource } from "../../port/PlanSource.ts"
import type { CheckedTransport } from "./checkedTransport.ts"
import { eventClockFacts } from "../store/clockFacts.ts"
import { keyedAddressOf } from "../contact/keyedAddress.ts"
import type { LeaseForFinalizing } from "../worker/claimLease.ts"
import { knownFirst } from "../store/knownFacts.ts"

/** A defect: the delivery refers to a message that is not in the store. */
class MessageMissing extends Data.TaggedError("MessageMissing")<{}> {
  override readonly message = "A delivery refers to a message that is not in the store."
}

/** Returns the message, or `null` when its delivery was deleted with it. */
const messageOf = (delivery: Delivery | null, message: Message | null): Message | null => {
  if (message === null && delivery !== null) throw new MessageMissing()
  return message
}

/** What the loads need of a service that hands over. */
export interface HandOffFactDeps {
  readonly options: { readonly retry: RetryPolicy }
  readonly store: MailStoreShape
  readonly ids: IdSource["Service"]
  readonly plans: PlanSource["Service"]
  readonly transport: CheckedTransport
  readonly addressKey: (address: string) => string
}

export const loadQueueDue = (
  deps: HandOffFactDeps,
  claimed: Delivery
): Effect.Effect<QueueDueFacts | null, StoreUnavailable> =>
  Effect.gen(function* () {
    const { store, plans, addressKey } = deps
    const { projectId, id, messageId, address } = claimed
    const [delivery, stored, [suppression], [allowanceUsed]] = yield* store.read([
      { _tag: "Delivery", projectId, id },
      { _tag: "Message", projectId, id: messageId },
      { _tag: "Suppressions", projectId, addressKeys: [addressKey(address)] },
      { _tag: "Counters", projectId, names: ["allowance"] }
    ])
    const message = messageOf(delivery, stored)
    if (message === null) return null
    const [apiKey, domain] = yield* store.read([
      { _tag: "ApiKey", projectId, id: message.apiKeyId ?? "" },
      { _tag: "Domain", projectId, domain: message.domain }
    ])
    return {
      ...(yield* eventClockFacts(deps.ids)),
      plan: yield* plans.planOf(projectId),
      claimed,
      delivery,
      message,
      apiKey,
      domain,
      suppression: suppression!,
      allowanceUsed: allowanceUsed!
    }
  })

/** The delivery and its last attempt, if this worker has already begun one by this claim. */
interface BegunState {
  readonly delivery: Delivery | null
  readonly begunAttempt: Attempt | null
}

const loadBegunState = ({ store }: HandOffFactDeps, claimed: Delivery): Effect.Effect<BegunState, StoreUnavailable> =>
  Effect.gen(function* () {
    const { projectId, id } = claimed
    const [delivery] = yield* store.read([{ _tag: "Delivery", projectId, id }])
    if (!hasBegunAttempt(claimed, delivery)) return { delivery, begunAttempt: null }
    const [attempts] = yield* store.read([{ _tag: "Attempts", projectId, deliveryId: id }])
    return { delivery, begunAttempt: attempts.at(-1) ?? null }
  })

export const loadBeginAttempt = (
  deps: HandOffFactDeps,
  claimed: Delivery,
  addressKey: string,
  { leaseUntil }: LeaseForFinalizing
): Effect.Effect<BeginAttemptFacts | null, StoreUnavailable> => {
  // The claim has returned the delivery.
  const begunState = knownFirst(
    Effect.succeed({ delivery: claimed, begunAttempt: null }),
    loadBegunState(deps, claimed)
  )
  return Effect.gen(function* () {
    const { store, transport } = deps
    const { signalsFinalize, maxMessageBytes } = transport.capabilities
    const { projectId, messageId } = claimed
    const known = yield* begunState
    const [stored, [suppression]] = yield* store.read([
      { _tag: "Message", projectId, id: messageId },
      { _tag: "Suppressions", projectId, addressKeys: [addressKey] }
    ])
    // Without its message, the delivery is no longer as the claim has returned it.
    const state = stored === null ? yield* begunState : known
    const message = messageOf(state.delivery, stored)
    if (message === null) return null
    const clock = yield* eventClockFacts(deps.ids)
    return {
      ...clock,
      maxMessageBytes,
      finalizing: signalsFinalize ? null : { addressKey, leaseUntil: leaseUntil(clock.now) },
      claimed,
      ...state,
      message,
      suppression: suppression!
    }
  })
}

/** What the message, the options and the transport say about the end of an attempt. */
const endRulesOf = ({ options, transport }: HandOffFactDeps, message: Message, project: ProjectRecord | null) => ({
  policy: options.retry,
  onAmbiguous: message.onAmbiguous ?? project?.onAmbiguous ?? "retry",
  idempotentHandOff: transport.capabilities.idempotentHandOff,
  signalsFinalize: transport.capabilities.signalsFinalize,
  expiresAt: message.expiresAt
})

export const loadFinishAttempt = (
  deps: HandOffFactDeps,
  claimed: Delivery
): Effect.Effect<FinishAttemptFacts | null, StoreUnavailable> =>
  Effect.gen(function* () {
    const { store } = deps
    const { projectId, id, messageId, address } = claimed
    const keyedAddress = keyedAddressOf(deps.addressKey, projectId, address)
    const [delivery, attempts, stored, project, [suppression]] = yield* store.read([
      { _tag: "Delivery", projectId, id },
      { _tag: "Attempts", projectId, deliveryId: id },
      { _tag: "Message", projectId, id: messageId },
      { _tag: "Project", id: projectId },
      { _tag: "Suppressions", projectId, addressKeys: [keyedAddress.addressKey] }
    ])
    const message = messageOf(delivery, stored)
    if (message === null) return null
    return {
      ...(yield* eventClockFacts(deps.ids)),
      ...endRulesOf(deps, message, project),
      claimed,
      delivery,
      attempt: attempts.at(-1) ?? null,
      keyedAddress,
      suppression: suppression!
    }
  })

/** The facts of an attempt that this process began and that the relay accepted. They need nothing else from the store. */
export const acceptedFacts = (
  deps: HandOffFactDeps,
  { delivery, attempt, message }: StartedAttempt,
  addressKey: string
): Effect.Effect<FinishAttemptFacts> =>
  Effect.map(eventClockFacts(deps.ids), (clock) => ({
    ...clock,
    ...endRulesOf(deps, message, null),
    claimed: delivery,
    delivery,
    attempt,
    keyedAddress: { projectId: delivery.projectId, address: delivery.address, addressKey },
    suppression: null
  }))
