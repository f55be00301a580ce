/**
 * Lists of any length as async iterables: pages by number, pages by cursor, and streams. Each `for await` reads from the beginning.
 */
import type { CursorPage, Page } from "@mailkeep/core"
import type { CallOptions } from "@mailkeep/core/handle"
import { Effect, Stream } from "effect"
import type { Run } from "./calls.ts"
import type { CoreServices } from "./coreRuntime.ts"

/** The largest page that the core returns. */
const pageSize = 100

/** Iterates over pages by number. A record that moves to another page meanwhile is emitted once. */
export const eachOfPages = <A extends { readonly id: string }>(
  read: (page: { readonly page: number; readonly limit: number }) => Promise<Page<A>>
): AsyncIterable<A> => ({
  async *[Symbol.asyncIterator]() {
    const emitted = new Set<string>()
    for (let page = 1; ; page++) {
      const { items } = await read({ page, limit: pageSize })
      for (const item of items) {
        if (emitted.has(item.id)) continue
        emitted.add(item.id)
        yield item
      }
      if (items.length < pageSize) return
    }
  }
})

/** Iterates over pages by cursor. */
export const eachOfCursors = <A>(
  read: (page: { readonly cursor: string | null; readonly limit: number }) => Promise<CursorPage<A>>
): AsyncIterable<A> => ({
  async *[Symbol.asyncIterator]() {
    for (let cursor: string | null = null; ;) {
      const page: CursorPage<A> = await read({ cursor, limit: pageSize })
      yield* page.items
      if (page.nextCursor === null) return
      cursor = page.nextCursor
    }
  }
})

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
    } finally {
      abort?.stop()
      await iterator.return?.()
    }
  }
})
