/**
 * A stream as an async iterable. Each `for await` reads from the beginning.
 */
import type { CallOptions } from "@mailkeep/core/handle"
import { withOwnMessage } from "@mailkeep/core/handle/calls"
import { Effect, Exit, Pull, Result, Scope, Stream } from "effect"
import type { Run } from "./calls.ts"
import type { CoreServices } from "./coreRuntime.ts"
import { scheduler } from "./scheduler.ts"

/**
 * Iterates over a stream. An abort and the end of the loop end the stream. Each read of the next items is a call: the close of the mail waits for it, then
 * interrupts it, and refuses the next one.
 */
export const eachOfStream = <A, E>(
  run: Run,
  streamOf: Effect.Effect<Stream.Stream<A, E>, never, CoreServices>,
  options: CallOptions | undefined
): AsyncIterable<A> => ({
  async *[Symbol.asyncIterator]() {
    const scope = Scope.makeUnsafe()
    try {
      const pull = await run(Scope.provide(Effect.flatMap(streamOf, Stream.toPull), scope), options)
      // As a value, because an error of the product's own rows keeps its stack.
      const next = Effect.result(Pull.catchDone(pull, () => Effect.succeed(null)))
      for (;;) {
        const items = await run(next, options)
        if (Result.isFailure(items)) throw withOwnMessage(items.failure)
        if (items.success === null) return
        for (const item of items.success) {
          options?.signal?.throwIfAborted()
          yield item
        }
      }
    } finally {
      await Effect.runPromise(Scope.close(scope, Exit.void), { scheduler })
    }
  }
})
