/**
 * What the author of an event sink supplies: the sink, and subscribers whose answers a law chooses.
 */
import type { EventSinkShape, SinkRequest } from "@mailkeep/core/adapter"
import { EventSink } from "@mailkeep/core/adapter"
import type { Layer, Scope } from "effect"
import { Context, Effect } from "effect"
import type { Law, LawBody, LawBook, Stated } from "../Law.ts"
import { makeLaw } from "../Law.ts"
import { openWithPeer } from "../openWithPeer.ts"

/** What a subscriber does with an event delivery. The default is `accept`. */
export type SubscriberAct =
  | { readonly does: "accept" }
  /** Accepts the event delivery, but does not finish its answer. If an answer has only one part, the same as `accept`. */
  | { readonly does: "acceptUnfinished"; readonly rest: "drips" | "neverComes" | "breaksOff" }
  | { readonly does: "refuse"; readonly retryAfterSeconds: number | null; readonly wantsNoMoreEvents: boolean }
  /** Never answers. */
  | { readonly does: "hang" }
  /** Closes the connection without an answer. */
  | { readonly does: "drop" }

/** An event delivery that a subscriber received. */
export interface Received {
  readonly subscriber: string
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** The subscribers of a law: a law sets their answers and reads what they received. */
export interface Subscribers {
  /** Returns the address of the subscriber with that name. */
  readonly endpoint: (subscriber: string) => string
  /** Sets what the subscriber does from now on. Replaces the previous act. */
  readonly script: (subscriber: string, act: SubscriberAct) => Effect.Effect<void, unknown>
  /** Everything that the subscribers received, in order. Includes what a subscriber with `hang` or `drop` received. */
  readonly received: Effect.Effect<ReadonlyArray<Received>, unknown>
  /** The number of event deliveries that have begun, and that neither side has ended. */
  readonly underWay: Effect.Effect<number, unknown>
}

/** An event sink and the subscribers that it sends to. */
export interface SinkWithSubscribers {
  readonly layer: Layer.Layer<EventSink, unknown>
  readonly subscribers: Subscribers
}

/** What the author of an event sink supplies to `sinkLaws`. */
export interface SinkSubject {
  /** A new sink, and subscribers that have received nothing. */
  readonly sink: Effect.Effect<SinkWithSubscribers, unknown, Scope.Scope>
}

/**
 * The subscribers of the law that is being checked. A law of your own reads them.
 *
 * @example
 * ```ts
 * import { SubscribersUnderLaw } from "@mailkeep/conformance"
 * import { Effect } from "effect"
 *
 * // The number of event deliveries that the subscribers received.
 * export const count = Effect.gen(function* () {
 *   const subscribers = yield* SubscribersUnderLaw
 *   return (yield* subscribers.received).length
 * })
 * ```
 */
export class SubscribersUnderLaw extends Context.Service<SubscribersUnderLaw, Subscribers>()(
  "@mailkeep/conformance/SubscribersUnderLaw"
) {}

export type SinkLaw = Law<EventSink | SubscribersUnderLaw>

export const openSink: LawBook<SinkSubject, EventSink | SubscribersUnderLaw>["open"] = ({ sink }) =>
  Effect.flatMap(sink, ({ layer, subscribers }) => openWithPeer(EventSink, layer, SubscribersUnderLaw, subscribers))

const why = "decisions/0016-events.md"

/** Defines a law over the open sink and its subscribers. `to` makes an event delivery to one of them. */
export const sinkLaw = (
  id: SinkLaw["id"],
  stated: Stated<EventSinkShape["capabilities"]>,
  check: (
    sink: EventSinkShape,
    subscribers: Subscribers,
    to: (subscriber: string, change?: Partial<SinkRequest>) => SinkRequest
  ) => LawBody<never>
): SinkLaw =>
  makeLaw<EventSink | SubscribersUnderLaw>(id, why, stated, function* () {
    const subscribers = yield* SubscribersUnderLaw
    yield* check(yield* EventSink, subscribers, (subscriber, change) => ({
      id: "evd_1",
      endpoint: subscribers.endpoint(subscriber),
      headers: { "webhook-id": "evd_1", "webhook-signature": "v1,abc" },
      body: new TextEncoder().encode('{"type":"email.delivered"}'),
      ...change
    }))
  })
