/**
 * A stream as an async iterable. Each `for await` reads from the beginning.
 */
import type { CallOptions } from "@mailkeep/core/handle"
import { withOwnMessage } from "@mailkeep/core/handle/calls"
import { Effect, Stream } from "effect"
import type { Run } from "./calls.ts"
import type { CoreServices } from "./coreRuntime.ts"

/** Rejects when the signal is aborted, and never resolves. */
const aborted = (signal: AbortSignal): { readonly promise: Promise<never>; readonly stop: () => void } => {
  let stop = () => {}
  const promise = new Promise<never>((_, reject) => {
    const listener = () => reject(signal.reason)
    signal.addEventListener("abort", listener)
    stop = () => signal.removeEventListener("abort", listener)
  })
  promise.catch(() => {})
  return { promise, stop }
}

/** Iterates over a stream. An abort and the end of the loop end the stream. */
export const eachOfStream = <A, E>(
  run: Run,
  streamOf: Effect.Effect<Stream.Stream<A, E>, never, CoreServices>,
  options: CallOptions | undefined
): AsyncIterable<A> => ({
  async *[Symbol.asyncIterator]() {
    const signal = options?.signal
    const opened = Effect.zip(streamOf, Effect.context<CoreServices>())
    const [stream, context] = await run(opened, options)
    const iterator = Stream.toAsyncIterableWith(stream, context)[Symbol.asyncIterator]()
    const abort = signal === undefined ? undefined : aborted(signal)
    try {
      for (;;) {
        signal?.throwIfAborted()
        const next = iterator.next()
        const result = await (abort === undefined ? next : Promise.race([next, abort.promise]))
        if (result.done === true) return
        yield result.value
      }
    } catch (cause) {
      throw withOwnMessage(cause)
    } finally {
      abort?.stop()
      await iterator.return?.()
    }
  }
})
