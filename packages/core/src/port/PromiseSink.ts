/**
 * The event-sink port for authors who do not use Effect: the same contract, as a plain async function.
 */
import { Layer } from "effect"
import type { EventSinkCapabilities, SinkRequest, SinkOutcome } from "./EventSink.ts"
import { EventSink, SinkUnavailable } from "./EventSink.ts"
import { promised } from "./promised.ts"

/** An event sink as an async function, with the contract of `EventSinkShape`. */
export interface PromiseSink {
  /** What this event sink guarantees. Constant. */
  readonly capabilities: EventSinkCapabilities
  /**
   * `signal` is aborted when the event delivery must end. Reject with a `SinkUnavailable` when the subscriber cannot be reached. Any other
   * rejection counts as a defect of the adapter: a log line has the class of the error and its stack frames.
   */
  readonly send: (request: SinkRequest, signal: AbortSignal) => Promise<SinkOutcome>
}

/** Makes the layer of an event sink. */
export const sinkFromPromises = (sink: PromiseSink): Layer.Layer<EventSink> =>
  Layer.succeed(EventSink, {
    capabilities: sink.capabilities,
    send: (request) =>
      promised(
        (signal) => sink.send(request, signal),
        (cause) => cause instanceof SinkUnavailable
      )
  })
