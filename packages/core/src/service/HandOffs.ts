/**
 * Hands over one claimed delivery. The begin of the attempt, the phase `finalizing` and the result are separate commits. Source: decision 0006.
 * The dispatcher decides which deliveries to claim, and when.
 */
import { Cause, Clock, Context, Data, Duration, Effect, Exit, Layer } from "effect"
import type { Begun } from "../decide/beginAttempt.ts"
import { beginAttempt } from "../decide/beginAttempt.ts"
import { releaseDue } from "../decide/releaseDue.ts"
import type { HandOffResult } from "../decide/finishAttempt.ts"
import { finishAttempt, applyLateReport } from "../decide/finishAttempt.ts"
import type { Conflict } from "../domain/Change.ts"
import type { Attempt, Delivery } from "../domain/Delivery.ts"
import { idAt } from "../domain/Id.ts"
import { minuteMillis } from "../domain/Instant.ts"
import type { Message } from "../domain/Message.ts"
import type { RetryPolicy } from "../domain/RetrySchedule.ts"
import { defaultRetryPolicy } from "../domain/RetrySchedule.ts"
import type { CheckedTransport } from "../internal/checkedTransport.ts"
import { checkedTransport, MessageNotSendable } from "../internal/checkedTransport.ts"
import { finalize } from "../internal/finalizing.ts"
import type { NotStored } from "../internal/commitUntilStored.ts"
import { outcomeKeptMillis, commitUntilStored } from "../internal/commitUntilStored.ts"
import { IdSource } from "../port/IdSource.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"
import { PlanSource } from "../port/PlanSource.ts"
import type { HandOff, HandOffOutcome, OutgoingMessage } from "../port/Transport.ts"
import { HandOffRevoked, Transport, TransportUnavailable } from "../port/Transport.ts"
import { Secrets } from "./Secrets.ts"

export interface HandOffOptions {
  readonly retry: RetryPolicy
  /** The deadline of a whole hand-off. The answer to the final dot alone may take 10 minutes (RFC 5321 §4.5.3.2.6). */
  readonly deadlineMillis: number
}

export const defaultHandOffOptions: HandOffOptions = { retry: defaultRetryPolicy, deadlineMillis: 20 * minuteMillis }

/** The new status of a claimed delivery. `moved_on`: the claim is no longer valid, or another worker has recorded a result. */
export type Handled = Delivery["status"] | "moved_on"

/** A defect: the delivery refers to a message that is not in the store. */
class MessageMissing extends Data.TaggedError("MessageMissing")<{}> {}

const requireMessage = (message: Message | null): Message => {
  if (message === null) throw new MessageMissing()
  return message
}

const outgoingMessageOf = (delivery: Delivery, message: Message): OutgoingMessage => ({
  messageId: `<${delivery.id}@${message.domain}>`,
  date: delivery.scheduledAt ?? message.createdAt,
  from: { name: message.fromName, address: message.from },
  replyTo: message.replyTo,
  to: message.to.length === 0 ? [delivery.recipient] : message.to,
  cc: message.cc,
  subject: message.subject,
  html: message.html,
  text: message.text,
  headers: message.headers
})

const handOffResultOf = (
  exit: Exit.Exit<HandOffOutcome | undefined, TransportUnavailable | HandOffRevoked | MessageNotSendable>
): HandOffResult => {
  if (Exit.isSuccess(exit)) return exit.value ?? { _tag: "Lost", why: "The hand-off did not end before its deadline." }
  for (const reason of exit.cause.reasons) {
    if (reason._tag === "Interrupt") return { _tag: "ShutDown" }
    if (reason._tag === "Fail") {
      const { error } = reason
      if (error instanceof HandOffRevoked) return { _tag: "Revoked" }
      return error instanceof MessageNotSendable
        ? { _tag: "NotSendable", why: error.message }
        : { _tag: "Lost", why: error.reason }
    }
  }
  return { _tag: "Lost", why: "The transport failed." }
}

interface Deps {
  readonly options: HandOffOptions
  readonly store: MailStoreShape
  readonly ids: IdSource["Service"]
  readonly plans: PlanSource["Service"]
  readonly transport: CheckedTransport
  readonly addressKey: (address: string) => string
}

const eventIdAt = ({ ids }: Deps, now: number) => Effect.map(ids.reserve(now, 1), (block) => idAt(block, "evt", 0))

/** Whether the claim is still valid: the fencing token has not changed. */
const isStillClaimed = (claimed: Delivery, delivery: Delivery | null): delivery is Delivery =>
  delivery?.fencingToken === claimed.fencingToken

/** Releases a scheduled delivery that is due, unless the claim is no longer valid. */
const release = Effect.fn("HandOffs.release")(function* (deps: Deps, claimed: Delivery, leaseMillis: number) {
  const { store, plans } = deps
  const once = Effect.gen(function* (): Effect.gen.Return<Handled, Conflict | StoreUnavailable> {
    const now = yield* Clock.currentTimeMillis
    const { projectId, id, messageId, address } = claimed
    const [delivery, stored, [suppression], [allowanceUsed]] = yield* store.read([
      { _tag: "Delivery", projectId, id },
      { _tag: "Message", projectId, id: messageId },
      { _tag: "Suppressions", projectId, addressKeys: [deps.addressKey(address)] },
      { _tag: "Counters", projectId, names: ["allowance"] }
    ])
    if (!isStillClaimed(claimed, delivery)) return "moved_on"
    const message = requireMessage(stored)
    const [apiKey, domain] = yield* store.read([
      { _tag: "ApiKey", id: message.apiKeyId ?? "" },
      { _tag: "Domain", projectId, domain: message.domain }
    ])
    const decision = releaseDue({
      now,
      eventId: yield* eventIdAt(deps, now),
      plan: yield* plans.planOf(projectId),
      delivery,
      message,
      key: apiKey,
      domain,
      suppression: suppression!,
      allowanceUsed: allowanceUsed!
    })
    yield* store.commit(decision.changes)
    return decision.answer.status
  })
  return yield* commitUntilStored(once, leaseMillis)
})

/** Begins the attempt. Returns `undefined` when the delivery ended, or when the claim is no longer valid. */
const begin = Effect.fnUntraced(function* (deps: Deps, claimed: Delivery) {
  const { store, transport } = deps
  const now = yield* Clock.currentTimeMillis
  const { projectId } = claimed
  const [delivery, stored, [suppression]] = yield* store.read([
    { _tag: "Delivery", projectId, id: claimed.id },
    { _tag: "Message", projectId, id: claimed.messageId },
    { _tag: "Suppressions", projectId, addressKeys: [deps.addressKey(claimed.address)] }
  ])
  if (delivery === null) return undefined
  const message = requireMessage(stored)
  // An earlier commit of this same change may have been applied although its answer was lost.
  if (
    delivery.status === "sending" &&
    delivery.worker === claimed.worker &&
    delivery.fencingToken === claimed.fencingToken + 1
  ) {
    const [attempts] = yield* store.read([{ _tag: "Attempts", deliveryId: delivery.id }])
    return { begun: { delivery, attempt: attempts.at(-1)! } satisfies Begun, message }
  }
  if (delivery.fencingToken !== claimed.fencingToken) return undefined
  const { changes, answer } = beginAttempt({
    now,
    eventId: yield* eventIdAt(deps, now),
    maxMessageBytes: transport.capabilities.maxMessageBytes,
    delivery,
    message,
    suppression: suppression!
  })
  yield* store.commit(changes)
  return answer === null ? undefined : { begun: answer, message }
})

/** Records a late result: another worker ended the attempt as ambiguous, but the relay has accepted the message. */
const recordLateResult = Effect.fnUntraced(function* (
  deps: Deps,
  claimed: Delivery,
  result: HandOffResult,
  delivery: Delivery | null,
  attempt: Attempt | undefined
): Effect.fn.Return<Handled, Conflict | StoreUnavailable> {
  if (delivery === null || attempt?.number !== claimed.attempts) return "moved_on"
  const now = yield* Clock.currentTimeMillis
  const decision = applyLateReport(result, { now, eventId: yield* eventIdAt(deps, now), delivery, attempt })
  if (decision === null) return "moved_on"
  yield* deps.store.commit(decision.changes)
  return decision.answer.status
})

/** Commits the result of the attempt. Repeats within `boundMillis` until the store has the result. */
const recordResult = (
  deps: Deps,
  claimed: Delivery,
  result: HandOffResult,
  boundMillis: number
): Effect.Effect<Handled, NotStored> => {
  const { store, transport, options } = deps
  const once = Effect.gen(function* (): Effect.gen.Return<Handled, Conflict | StoreUnavailable> {
    const now = yield* Clock.currentTimeMillis
    const { projectId, id, messageId, address } = claimed
    const keyedAddress = { projectId, address, addressKey: deps.addressKey(address) }
    const [delivery, attempts, stored, project, [suppression]] = yield* store.read([
      { _tag: "Delivery", projectId, id },
      { _tag: "Attempts", deliveryId: id },
      { _tag: "Message", projectId, id: messageId },
      { _tag: "Project", id: projectId },
      { _tag: "Suppressions", projectId, addressKeys: [keyedAddress.addressKey] }
    ])
    if (!isStillClaimed(claimed, delivery))
      return yield* recordLateResult(deps, claimed, result, delivery, attempts.at(-1))
    const message = requireMessage(stored)
    const decision = finishAttempt(result, {
      now,
      eventId: yield* eventIdAt(deps, now),
      policy: options.retry,
      onAmbiguous: message.onAmbiguous ?? project?.onAmbiguous ?? "retry",
      idempotentHandoff: transport.capabilities.idempotentHandoff,
      expiresAt: message.expiresAt,
      delivery,
      attempt: attempts.at(-1)!,
      keyedAddress,
      suppression: suppression!
    })
    yield* store.commit(decision.changes)
    return decision.answer.status
  })
  return commitUntilStored(once, boundMillis)
}

/** Runs the transport. A transport with `signalsFinalize` runs `finalizing` itself. For another one, `finalizing` runs first. */
const runTransport = (
  { transport }: Deps,
  { delivery, attempt }: Begun,
  message: Message,
  finalizing: Effect.Effect<void, HandOffRevoked>
) => {
  const { signalsFinalize } = transport.capabilities
  const handOff: HandOff = {
    deliveryId: delivery.id,
    attempt: attempt.number,
    envelope: { from: message.from, to: delivery.recipient },
    message: outgoingMessageOf(delivery, message),
    beforeFinalize: signalsFinalize ? finalizing : Effect.void
  }
  const handed = Effect.suspend(() => transport.handOff(handOff)).pipe(
    // This catches a transport that interrupts itself. An interruption of the hand-off by the core is not caught here.
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.fail(new TransportUnavailable({ reason: "The transport interrupted itself." }))
        : Effect.failCause(cause)
    )
  )
  return signalsFinalize ? handed : Effect.andThen(finalizing, handed)
}

const handOver = Effect.fn("HandOffs.handOver")((deps: Deps, claimed: Delivery, leaseMillis: number) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* (): Effect.gen.Return<Handled, NotStored> {
      const started = yield* commitUntilStored(begin(deps, claimed), leaseMillis)
      if (started === undefined) return "moved_on"
      const { begun, message } = started
      const exit = yield* restore(
        runTransport(deps, begun, message, finalize(deps, begun, leaseMillis)).pipe(
          Effect.timeoutOrElse({
            duration: Duration.millis(deps.options.deadlineMillis),
            orElse: () => Effect.succeed(undefined)
          })
        )
      ).pipe(Effect.exit)
      return yield* recordResult(deps, begun.delivery, handOffResultOf(exit), Math.max(leaseMillis, outcomeKeptMillis))
    })
  )
)

const recover = Effect.fn("HandOffs.recover")((deps: Deps, claimed: Delivery, leaseMillis: number) =>
  recordResult(deps, claimed, { _tag: "WorkerDied" }, leaseMillis)
)

/**
 * Processes a claimed delivery. `leaseMillis` is how long the lease of the worker lasts after each renewal. Fails with `NotStored` when the
 * store did not accept the result in time: after the lease, or after an hour for the result of a hand-off.
 */
type HandleClaimed = (claimed: Delivery, leaseMillis: number) => Effect.Effect<Handled, NotStored>

export class HandOffs extends Context.Service<
  HandOffs,
  {
    /** Releases a claimed delivery in status `scheduled`. */
    readonly release: HandleClaimed
    /** Hands over a claimed delivery in status `queued`. An interruption before the final dot returns the delivery to the queue. */
    readonly handOver: HandleClaimed
    /** Ends the attempt of a claimed delivery in status `sending` whose worker died. */
    readonly recover: HandleClaimed
  }
>()("@mailkeep/core/service/HandOffs") {
  static readonly layerWith = (options: Partial<HandOffOptions> = {}) =>
    Layer.effect(
      HandOffs,
      Effect.gen(function* () {
        const deps: Deps = {
          options: { ...defaultHandOffOptions, ...options },
          store: yield* MailStore,
          ids: yield* IdSource,
          plans: yield* PlanSource,
          transport: checkedTransport(yield* Transport),
          addressKey: (yield* Secrets).addressKey
        }
        return {
          release: (claimed, leaseMillis) => release(deps, claimed, leaseMillis),
          handOver: (claimed, leaseMillis) => handOver(deps, claimed, leaseMillis),
          recover: (claimed, leaseMillis) => recover(deps, claimed, leaseMillis)
        }
      })
    )
}
