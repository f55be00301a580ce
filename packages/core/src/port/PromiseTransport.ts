/**
 * The transport port for authors who do not use Effect: the same promises, as a plain async function.
 */
import type { Context } from "effect"
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

/** The final dot as a promise. Once the hand-off is to end no dot may go; a commit that has begun is waited for. */
const finalDot = (context: Context.Context<never>, dot: HandOff["beforeFinalDot"]) => {
  let committing: Promise<unknown> = Promise.resolve()
  return {
    run: (signal: AbortSignal): Promise<void> => {
      if (signal.aborted) return Promise.reject(new TransportUnavailable({ reason: "The hand-off was interrupted." }))
      const commit = Effect.runPromiseWith(context)(dot)
      committing = commit.catch(() => {})
      return commit
    },
    settled: Effect.promise(() => committing)
  }
}

export const transportFromPromises = (transport: PromiseTransport): Layer.Layer<Transport> =>
  Layer.succeed(Transport, {
    capabilities: transport.capabilities,
    handOff: ({ beforeFinalDot, ...rest }) =>
      Effect.flatMap(Effect.context<never>(), (context) => {
        const dot = finalDot(context, beforeFinalDot)
        return promised(
          (signal) => transport.handOff({ ...rest, beforeFinalDot: () => dot.run(signal) }, signal),
          (cause) => cause instanceof TransportUnavailable || cause instanceof HandOffRevoked
        ).pipe(Effect.onInterrupt(() => dot.settled))
      })
  })
