/**
 * The port that sends one event to one subscriber and returns the outcome. The core decides when, to whom and how often an event is sent, and
 * signs it.
 */
import type { Effect } from "effect"
import { Context, Data } from "effect"
import type { SinkOutcome } from "../domain/EventDelivery.ts"

export type { SinkOutcome } from "../domain/EventDelivery.ts"

/** The subscriber could not be reached, or the connection was lost before the answer. The subscriber may have the event. */
export class SinkUnavailable extends Data.TaggedError("SinkUnavailable")<{
  readonly reason: string
  readonly cause?: unknown
}> {}

export interface SinkRequest {
  /** The same on every attempt, so that a subscriber can drop a duplicate. */
  readonly id: string
  /** The URL of an endpoint, or the name of a subscriber. */
  readonly endpoint: string
  /** The headers of the request, such as the signature. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Exactly the signed octets. */
  readonly body: Uint8Array
}

export interface EventSinkCapabilities {
  /** Whether a subscriber gets `headers` together with the body. */
  readonly carriesHeaders: boolean
}

export interface EventSinkShape {
  readonly capabilities: EventSinkCapabilities
  /** Interruptible at any point. The caller enforces the deadline. */
  readonly send: (eventDelivery: SinkRequest) => Effect.Effect<SinkOutcome, SinkUnavailable>
}

export class EventSink extends Context.Service<EventSink, EventSinkShape>()("@mailkeep/core/port/EventSink") {}
