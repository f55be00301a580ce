/**
 * Keeps the order of work about the same things, such as the rows of a file with one address, while other work runs at the same time.
 */
import { Effect, Latch } from "effect"

/**
 * Makes a function that returns the work with a wait for all earlier work about one of its keys. Call the function in the order of the work, and start
 * the work in the same order: later work waits until earlier work has ended.
 */
export const makeKeyOrder = () => {
  /** The latest work about each key that has not ended. */
  const latest = new Map<string, Latch.Latch>()
  return <A, E>(keys: ReadonlyArray<string>, work: Effect.Effect<A, E>): Effect.Effect<A, E> => {
    const ended = Latch.makeUnsafe(false)
    const earlier = new Set(keys.flatMap((key) => latest.get(key) ?? []))
    for (const key of keys) latest.set(key, ended)
    const end = Effect.sync(() => {
      ended.openUnsafe()
      for (const key of keys) if (latest.get(key) === ended) latest.delete(key)
    })
    return Effect.forEach(earlier, (one) => one.await, { discard: true }).pipe(
      Effect.andThen(work),
      Effect.ensuring(end)
    )
  }
}
