/**
 * Takes one claimed delivery through a hand-off: begin, final dot, outcome, each its own commit. Source: decision 0006.
 * Whom to claim, and when, is the dispatcher's.
 */
import { Cause, Clock, Context, Data, Duration, Effect, Exit, Layer } from "effect"
import type { Begun } from "../decide/beginAttempt.ts"
import { beginAttempt } from "../decide/beginAttempt.ts"
import { releaseDue } from "../decide/releaseDue.ts"
import type { Ending } from "../decide/settleAttempt.ts"
import { settleAttempt, settleLate } from "../decide/settleAttempt.ts"
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
import type { NotStored } from "../internal/persisting.ts"
import { outcomeKeptMillis, persisting } from "../internal/persisting.ts"
import { IdSource } from "../port/IdSource.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"
import { PlanSource } from "../port/PlanSource.ts"
import type { HandOff, HandOffOutcome, OutgoingMessage } from "../port/Transport.ts"
import { HandOffRevoked, Transport, TransportUnavailable } from "../port/Transport.ts"
import { Secrets } from "./Secrets.ts"

export interface HandOffOptions {
  readonly retry: RetryPolicy
  /** The one hard deadline over a whole hand-off; the final dot alone may take 10 minutes (RFC 5321 §4.5.3.2.6). */
  readonly deadlineMillis: number
}

export const defaultHandOffOptions: HandOffOptions = { retry: defaultRetryPolicy, deadlineMillis: 20 * minuteMillis }

/** What became of a claimed delivery: its status now, or that somebody else had moved it. */
export type Handled = Delivery["status"] | "moved_on"

/** A row that makes no sense: nothing can be decided about it. */
class MessageMissing extends Data.TaggedError("MessageMissing")<{}> {}

const present = (message: Message | null): Message => {
  if (message === null) throw new MessageMissing()
  return message
}

const outgoing = (delivery: Delivery, message: Message): OutgoingMessage => ({
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

const endingOf = (
  exit: Exit.Exit<HandOffOutcome | undefined, TransportUnavailable | HandOffRevoked | MessageNotSendable>
): Ending => {
  if (Exit.isSuccess(exit)) return exit.value ?? { _tag: "Lost", why: "The hand-off did not end before its deadline." }
  for (const reason of exit.cause.reasons) {
    if (reason._tag === "Interrupt") return { _tag: "Released" }
    if (reason._tag === "Fail") {
      const { error } = reason
      if (error instanceof HandOffRevoked) return { _tag: "Withheld" }
      return error instanceof MessageNotSendable
        ? { _tag: "NotSendable", why: error.message }
        : { _tag: "Lost", why: error.reason }
    }
  }
  return { _tag: "Lost", why: "The transport failed." }
}

interface Ports {
  readonly options: HandOffOptions
  readonly store: MailStoreShape
  readonly ids: IdSource["Service"]
  readonly plans: PlanSource["Service"]
  readonly transport: CheckedTransport
  readonly addressKey: (address: string) => string
}

const eventIdAt = ({ ids }: Ports, now: number) => Effect.map(ids.reserve(now, 1), (block) => idAt(block, "evt", 0))

/** Whether the delivery is still the one that was claimed. */
const isStill = (held: Delivery, delivery: Delivery | null): delivery is Delivery => delivery?.token === held.token

const release = Effect.fn("HandOffs.release")(function* (on: Ports, claimed: Delivery, leaseMillis: number) {
  const { store, plans } = on
  const once = Effect.gen(function* (): Effect.gen.Return<Handled, Conflict | StoreUnavailable> {
    const now = yield* Clock.currentTimeMillis
    const { projectId, id, messageId, address } = claimed
    const [delivery, stored, [suppression], [allowanceUsed]] = yield* store.read([
      { _tag: "Delivery", projectId, id },
      { _tag: "Message", projectId, id: messageId },
      { _tag: "Suppressions", projectId, addressKeys: [on.addressKey(address)] },
      { _tag: "Counters", projectId, names: ["allowance"] }
    ])
    if (!isStill(claimed, delivery)) return "moved_on"
    const message = present(stored)
    const [key, domain] = yield* store.read([
      { _tag: "ApiKey", id: message.keyId ?? "" },
      { _tag: "Domain", projectId, domain: message.domain }
    ])
    const decision = releaseDue({
      now,
      eventId: yield* eventIdAt(on, now),
      plan: yield* plans.planOf(projectId),
      delivery,
      message,
      key,
      domain,
      suppression: suppression!,
      allowanceUsed: allowanceUsed!
    })
    yield* store.commit(decision.changes)
    return decision.answer.status
  })
  return yield* persisting(once, leaseMillis)
})

/** Begins the attempt; `undefined` when the delivery ended or moved on instead. */
const begin = Effect.fnUntraced(function* (on: Ports, claimed: Delivery) {
  const { store, transport } = on
  const now = yield* Clock.currentTimeMillis
  const { projectId } = claimed
  const [delivery, stored, [suppression]] = yield* store.read([
    { _tag: "Delivery", projectId, id: claimed.id },
    { _tag: "Message", projectId, id: claimed.messageId },
    { _tag: "Suppressions", projectId, addressKeys: [on.addressKey(claimed.address)] }
  ])
  if (delivery === null) return undefined
  const message = present(stored)
  // An earlier try of this very commit may have stood although its answer was lost.
  if (delivery.status === "sending" && delivery.worker === claimed.worker && delivery.token === claimed.token + 1) {
    const [attempts] = yield* store.read([{ _tag: "Attempts", deliveryId: delivery.id }])
    return { begun: { delivery, attempt: attempts.at(-1)! } satisfies Begun, message }
  }
  if (delivery.token !== claimed.token) return undefined
  const { changes, answer } = beginAttempt({
    now,
    eventId: yield* eventIdAt(on, now),
    maxMessageBytes: transport.capabilities.maxMessageBytes,
    delivery,
    message,
    suppression: suppression!
  })
  yield* store.commit(changes)
  return answer === null ? undefined : { begun: answer, message }
})

/** Settles what another worker gave up as ambiguous, when the relay took the message after all. */
const settleAfterwards = Effect.fnUntraced(function* (
  on: Ports,
  held: Delivery,
  ending: Ending,
  delivery: Delivery | null,
  attempt: Attempt | undefined
): Effect.fn.Return<Handled, Conflict | StoreUnavailable> {
  if (delivery === null || attempt?.number !== held.attempts) return "moved_on"
  const now = yield* Clock.currentTimeMillis
  const decision = settleLate(ending, { now, eventId: yield* eventIdAt(on, now), delivery, attempt })
  if (decision === null) return "moved_on"
  yield* on.store.commit(decision.changes)
  return decision.answer.status
})

const settle = (on: Ports, held: Delivery, ending: Ending, boundMillis: number): Effect.Effect<Handled, NotStored> => {
  const { store, transport, options } = on
  const once = Effect.gen(function* (): Effect.gen.Return<Handled, Conflict | StoreUnavailable> {
    const now = yield* Clock.currentTimeMillis
    const { projectId, id, messageId, address } = held
    const place = { projectId, address, addressKey: on.addressKey(address) }
    const [delivery, attempts, stored, project, [suppression]] = yield* store.read([
      { _tag: "Delivery", projectId, id },
      { _tag: "Attempts", deliveryId: id },
      { _tag: "Message", projectId, id: messageId },
      { _tag: "Project", id: projectId },
      { _tag: "Suppressions", projectId, addressKeys: [place.addressKey] }
    ])
    if (!isStill(held, delivery)) return yield* settleAfterwards(on, held, ending, delivery, attempts.at(-1))
    const message = present(stored)
    const decision = settleAttempt(ending, {
      now,
      eventId: yield* eventIdAt(on, now),
      policy: options.retry,
      onAmbiguous: message.onAmbiguous ?? project?.onAmbiguous ?? "retry",
      idempotentHandoff: transport.capabilities.idempotentHandoff,
      expiresAt: message.expiresAt,
      delivery,
      attempt: attempts.at(-1)!,
      place,
      suppression: suppression!
    })
    yield* store.commit(decision.changes)
    return decision.answer.status
  })
  return persisting(once, boundMillis)
}

/** The transport's part: the dot is committed by it, or before it begins where it cannot. */
const handing = (
  { transport }: Ports,
  { delivery, attempt }: Begun,
  message: Message,
  dot: Effect.Effect<void, HandOffRevoked>
) => {
  const { marksFinalDot } = transport.capabilities
  const handOff: HandOff = {
    deliveryId: delivery.id,
    attempt: attempt.number,
    envelope: { from: message.from, to: delivery.recipient },
    message: outgoing(delivery, message),
    beforeFinalDot: marksFinalDot ? dot : Effect.void
  }
  const handed = Effect.suspend(() => transport.handOff(handOff)).pipe(
    // Our own interruption is not caught here: this is a transport that interrupted itself.
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.fail(new TransportUnavailable({ reason: "The transport gave up." }))
        : Effect.failCause(cause)
    )
  )
  return marksFinalDot ? handed : Effect.andThen(dot, handed)
}

const handOver = Effect.fn("HandOffs.handOver")((on: Ports, claimed: Delivery, leaseMillis: number) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* (): Effect.gen.Return<Handled, NotStored> {
      const started = yield* persisting(begin(on, claimed), leaseMillis)
      if (started === undefined) return "moved_on"
      const { begun, message } = started
      const exit = yield* restore(
        handing(on, begun, message, finalize(on, begun, leaseMillis)).pipe(
          Effect.timeoutOrElse({
            duration: Duration.millis(on.options.deadlineMillis),
            orElse: () => Effect.succeed(undefined)
          })
        )
      ).pipe(Effect.exit)
      return yield* settle(on, begun.delivery, endingOf(exit), Math.max(leaseMillis, outcomeKeptMillis))
    })
  )
)

const recover = Effect.fn("HandOffs.recover")((on: Ports, claimed: Delivery, leaseMillis: number) =>
  settle(on, claimed, { _tag: "WorkerDied" }, leaseMillis)
)

/**
 * What is done with a claimed delivery. `leaseMillis` is how long the worker's lease lasts from each renewal. Fails with `NotStored` when the
 * store did not take the result in time: after the lease, or after an hour for the outcome of a hand-off.
 */
type HandleClaimed = (claimed: Delivery, leaseMillis: number) => Effect.Effect<Handled, NotStored>

export class HandOffs extends Context.Service<
  HandOffs,
  {
    /** Releases a claimed delivery in status `scheduled`. */
    readonly release: HandleClaimed
    /** Hands over a claimed delivery in status `queued`. Interrupted before the final dot, it goes back to the queue. */
    readonly handOver: HandleClaimed
    /** Settles a claimed delivery in status `sending` whose worker died. */
    readonly recover: HandleClaimed
  }
>()("@mailkeep/core/service/HandOffs") {
  static readonly layerWith = (options: Partial<HandOffOptions> = {}) =>
    Layer.effect(
      HandOffs,
      Effect.gen(function* () {
        const on: Ports = {
          options: { ...defaultHandOffOptions, ...options },
          store: yield* MailStore,
          ids: yield* IdSource,
          plans: yield* PlanSource,
          transport: checkedTransport(yield* Transport),
          addressKey: (yield* Secrets).addressKey
        }
        return {
          release: (claimed, leaseMillis) => release(on, claimed, leaseMillis),
          handOver: (claimed, leaseMillis) => handOver(on, claimed, leaseMillis),
          recover: (claimed, leaseMillis) => recover(on, claimed, leaseMillis)
        }
      })
    )
}
