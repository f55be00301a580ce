/**
 * The transport port for authors who do not use Effect: the same contract, as a plain async function.
 */
import type { Context } from "effect"
import { Effect, Layer } from "effect"
import { promised } from "./promised.ts"
import type { HandOff, HandOffOutcome, TransportCapabilities } from "./Transport.ts"
import { HandOffRevoked, Transport, TransportUnavailable } from "./Transport.ts"

/** A hand-off whose `beforeFinalize` is an async function. */
export interface PromiseHandOff extends Omit<HandOff, "beforeFinalize"> {
  /** Await this once, before the end of data. When it rejects, do not send the end of data, and reject with the same error. */
  readonly beforeFinalize: () => Promise<void>
}

/**
 * `signal` is aborted when the hand-off must end: close the connection. Reject with a `TransportUnavailable` when the connection to the relay is
 * lost. Any other rejection counts as a defect of the adapter: a log line has the class of the error and its stack frames.
 */
export interface PromiseTransport {
  /** What this transport guarantees. Constant. */
  readonly capabilities: TransportCapabilities
  /** Gives the message to the relay and resolves to the relay's answer; see `handOff` of `TransportShape`. */
  readonly handOff: (handOff: PromiseHandOff, signal: AbortSignal) => Promise<HandOffOutcome>
}

/** `beforeFinalize` as a promise. It rejects after the hand-off was aborted. `settled` waits for a commit that has begun. */
const finalizePromise = (context: Context.Context<never>, beforeFinalize: HandOff["beforeFinalize"]) => {
  let committing: Promise<unknown> = Promise.resolve()
  return {
    run: (signal: AbortSignal): Promise<void> => {
      if (signal.aborted) return Promise.reject(new TransportUnavailable({ reason: "The hand-off was interrupted." }))
      const commit = Effect.runPromiseWith(context)(beforeFinalize)
      committing = commit.catch(() => {})
      return commit
    },
    settled: Effect.promise(() => committing)
  }
}

/** Makes the layer of a transport. */
export const transportFromPromises = (transport: PromiseTransport): Layer.Layer<Transport> =>
  Layer.succeed(Transport, {
    capabilities: transport.capabilities,
    handOff: ({ beforeFinalize, ...rest }) =>
      Effect.flatMap(Effect.context<never>(), (context) => {
        const finalize = finalizePromise(context, beforeFinalize)
        return promised(
          (signal) => transport.handOff({ ...rest, beforeFinalize: () => finalize.run(signal) }, signal),
          (cause) => cause instanceof TransportUnavailable || cause instanceof HandOffRevoked
        ).pipe(Effect.onInterrupt(() => finalize.settled))
      })
  })
