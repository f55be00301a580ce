/**
 * Spans for the use cases that every request, message or imported contact passes through.
 */
import { Effect, Tracer } from "effect"

/**
 * Runs the function in a span with this name if the program has a tracer of its own. The tracer of Effect exports nothing, and each span with
 * its stack trace would cost a tenth of a send.
 */
export const traced = <Args extends ReadonlyArray<unknown>, A, E, R>(
  name: string,
  run: (...args: Args) => Effect.Effect<A, E, R>
): ((...args: Args) => Effect.Effect<A, E, Exclude<R, Tracer.ParentSpan>>) => {
  const inSpan = Effect.fn(name)(run)
  return (...args) =>
    Effect.flatMap(Effect.tracer, (tracer): Effect.Effect<A, E, Exclude<R, Tracer.ParentSpan>> =>
      tracer === Tracer.nativeTracer
        ? (run(...args) as Effect.Effect<A, E, Exclude<R, Tracer.ParentSpan>>)
        : (inSpan(...args) as Effect.Effect<A, E, Exclude<R, Tracer.ParentSpan>>)
    )
}
