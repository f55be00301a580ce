/**
 * The port that sends one event to one subscriber and returns the outcome. The core decides when, to whom and how often an event is sent, and
 * signs it.
 */
import type { Effect } from "effect"
import { Context, Data } from "effect"
import type { SinkOutcome } from "../domain/event/EventDelivery.ts"

export type { SinkOutcome } from "../domain/event/EventDelivery.ts"

/** The subscriber could not be reached, or the connection was lost before the answer. The subscriber may have the event. */
export class SinkUnavailable extends Data.TaggedError("SinkUnavailable")<{
  readonly reason: string
  readonly cause?: unknown
}> {
  override get message() {
    return `The subscriber was not reached: ${this.reason}.`
  }
  /** Retryable: the core tries the event delivery again by its retry schedule. */
  get isRetryable() {
    return true
  }
}

/** One attempt of an event delivery. */
export interface SinkRequest {
  /** The same on every attempt, so that a subscriber can drop a duplicate. */
  readonly id: string
  /** The URL of the endpoint. */
  readonly endpoint: string
  /** The headers of the request, such as the signature. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Exactly the signed bytes. */
  readonly body: Uint8Array
}

/** What the event sink guarantees. */
export interface EventSinkCapabilities {
  /** Whether a subscriber gets `headers` together with the body. */
  readonly carriesHeaders: boolean
}

/** Sends events to subscribers. After an interruption, the sink has ended the connection. */
export interface EventSinkShape {
  /** What this event sink guarantees. Constant. */
  readonly capabilities: EventSinkCapabilities
  /** Interruptible at any point. The caller enforces the deadline. */
  readonly send: (request: SinkRequest) => Effect.Effect<SinkOutcome, SinkUnavailable>
}

/**
 * Sends events to subscribers. `@mailkeep/webhooks` has a sink that posts webhooks.
 *
 * @example
 * ```ts
 * import { sinkFromPromises } from "@mailkeep/core/adapter"
 *
 * // A sink that prints each event. Its subscribers get no headers, so they cannot check the signature.
 * export const layer = sinkFromPromises({
 *   capabilities: { carriesHeaders: false },
 *   send: async ({ endpoint, body }) => {
 *     console.log(endpoint, new TextDecoder().decode(body))
 *     return { _tag: "Accepted", status: null }
 *   }
 * })
 * ```
 */
export class EventSink extends Context.Service<EventSink, EventSinkShape>()("@mailkeep/core/port/EventSink") {}
