/**
 * The event-sink port for authors who do not use Effect: the same promise, as a plain async function.
 */
import { Layer } from "effect"
import type { EventSinkCapabilities, Push, PushOutcome } from "./EventSink.ts"
import { EventSink, SinkUnavailable } from "./EventSink.ts"
import { promised } from "./promised.ts"

export interface PromiseSink {
  readonly capabilities: EventSinkCapabilities
  /**
   * `signal` is aborted when the push must end. Reject with a `SinkUnavailable` when the consumer cannot be reached; any other
   * rejection counts as a mistake in the adapter.
   */
  readonly push: (push: Push, signal: AbortSignal) => Promise<PushOutcome>
}

export const sinkFromPromises = (sink: PromiseSink): Layer.Layer<EventSink> =>
  Layer.succeed(EventSink, {
    capabilities: sink.capabilities,
    push: (one) =>
      promised(
        (signal) => sink.push(one, signal),
        (cause) => cause instanceof SinkUnavailable
      )
  })
