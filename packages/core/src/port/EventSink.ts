/**
 * The port that takes one event to one consumer and says what became of it. When to push, to whom, how often and under which
 * signature is the core's.
 */
import type { Effect } from "effect"
import { Context, Data } from "effect"

/** The consumer could not be reached, or was lost before it answered. It may have the event all the same. */
export class SinkUnavailable extends Data.TaggedError("SinkUnavailable")<{
  readonly reason: string
  readonly cause?: unknown
}> {}

export interface Push {
  /** The same on every try, so that a consumer can drop a double. */
  readonly id: string
  /** Where it goes: an endpoint's URL, or a consumer's name. */
  readonly endpoint: string
  /** What stands beside the body, such as its signature. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Exactly the octets that were signed. */
  readonly body: Uint8Array
}

export type PushOutcome =
  /** The consumer has it. */
  | { readonly _tag: "Taken"; readonly status: number | null }
  /** The consumer answered that it does not take it: for now, or `gone` for good. */
  | {
      readonly _tag: "Refused"
      readonly status: number | null
      readonly retryAfterSeconds: number | null
      readonly gone: boolean
    }

export interface EventSinkCapabilities {
  /** Whether a consumer gets `headers` beside the body. */
  readonly carriesHeaders: boolean
}

export interface EventSinkShape {
  readonly capabilities: EventSinkCapabilities
  /** Interruptible at any point; the caller keeps the deadline. */
  readonly push: (push: Push) => Effect.Effect<PushOutcome, SinkUnavailable>
}

export class EventSink extends Context.Service<EventSink, EventSinkShape>()("@mailkeep/core/port/EventSink") {}
