/**
 * The port that sends one event to one subscriber and returns the outcome. The core decides when, to whom and how often an event is sent, and
 * signs it.
 */
import type { Effect } from "effect"
import { Context, Data } from "effect"

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

export type SinkOutcome =
  /** The subscriber has the event. */
  | { readonly _tag: "Accepted"; readonly status: number | null }
  /** The subscriber refused the event. `gone`: the subscriber wants no further events. */
  | {
      readonly _tag: "Refused"
      readonly status: number | null
      readonly retryAfterSeconds: number | null
      readonly gone: boolean
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
