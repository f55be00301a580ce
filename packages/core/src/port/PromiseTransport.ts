/**
 * The transport port for authors who do not use Effect: the same promises, as a plain async function.
 */
import { Effect, Layer } from "effect"
import { promised } from "./promised.ts"
import type { HandOff, HandOffOutcome, TransportCapabilities } from "./Transport.ts"
import { HandOffRevoked, Transport, TransportUnavailable } from "./Transport.ts"

export interface PromiseHandOff extends Omit<HandOff, "beforeFinalDot"> {
  /** Await it once, before the final dot. When it rejects, send no dot and let the rejection pass on. */
  readonly beforeFinalDot: () => Promise<void>
}

/**
 * `signal` is aborted when the hand-off must end: close the connection. Reject with a `TransportUnavailable` when the relay is
 * lost; any other rejection counts as a mistake in the adapter.
 */
export interface PromiseTransport {
  readonly capabilities: TransportCapabilities
  readonly handOff: (handOff: PromiseHandOff, signal: AbortSignal) => Promise<HandOffOutcome>
}

export const transportFromPromises = ({ capabilities, handOff }: PromiseTransport): Layer.Layer<Transport> =>
  Layer.succeed(Transport, {
    capabilities,
    handOff: ({ beforeFinalDot, ...rest }) =>
      Effect.flatMap(Effect.context<never>(), (context) =>
        promised(
          (signal) =>
            handOff(
              { ...rest, beforeFinalDot: () => Effect.runPromiseWith(context)(beforeFinalDot, { signal }) },
              signal
            ),
          (cause) => cause instanceof TransportUnavailable || cause instanceof HandOffRevoked
        )
      )
  })
