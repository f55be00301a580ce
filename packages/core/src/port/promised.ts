/**
 * Runs a plain function, async or not, as an effect. An expected rejection becomes a failure, any other rejection a defect.
 */
import { Effect } from "effect"

/** Whether a value that a function returned is a promise. */
export const isPromiseLike = <A>(value: A | PromiseLike<A>): value is PromiseLike<A> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

export const promised = <A, E>(
  call: (signal: AbortSignal) => Promise<A>,
  isFailure: (cause: unknown) => cause is E
): Effect.Effect<A, E> =>
  // `async`: an adapter in plain JavaScript may return a value, or throw before its first await.
  Effect.tryPromise({ try: async (signal) => call(signal), catch: (cause) => cause }).pipe(
    Effect.catch((cause) => (isFailure(cause) ? Effect.fail(cause) : Effect.die(cause)))
  )
