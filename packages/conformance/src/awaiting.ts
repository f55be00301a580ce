/**
 * Waits for a condition by turns of the event loop. Uses no real clock.
 */
import { Context, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { same } from "./expectation.ts"

export const aTurn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** What a law waits for, for the report of a law that does not end. */
export const CurrentWait = Context.Reference<{ what: string | undefined }>("@mailkeep/conformance/CurrentWait", {
  defaultValue: () => ({ what: undefined })
})

/** `what` completes the sentence "The law waited until …". */
export const until = <E, R>(what: string, happened: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    const wait = yield* CurrentWait
    wait.what = what
    while (!(yield* happened)) yield* aTurn
    wait.what = undefined
  })

/** Yields 20 turns of the event loop, so that pending work can run. */
export const yieldSeveralTimes = Effect.repeat(aTurn, { times: 20 })

/**
 * Checks that a call to a silent peer ends exactly at the caller's deadline, on a test clock.
 * This detects a timeout of the adapter only if that timeout uses Effect's clock. A driver's own timeout uses the real
 * clock.
 */
export const waitsForDeadline = <A, E, E2>(
  call: Effect.Effect<A, E>,
  deadlineMillis: number,
  reached: Effect.Effect<boolean, E2>
) =>
  Effect.gen(function* () {
    const under = yield* Effect.forkScoped(Effect.exit(Effect.timeoutOption(call, Duration.millis(deadlineMillis))), {
      startImmediately: true
    })
    let passedMillis = 0
    // An adapter may wait before it reaches its peer.
    const onwards = Effect.suspend(() => {
      passedMillis += 10
      return Effect.andThen(TestClock.adjust("10 millis"), reached)
    })
    yield* until("the peer had the call", onwards)
    yield* TestClock.adjust(Duration.millis(deadlineMillis - passedMillis - 1))
    yield* yieldSeveralTimes
    yield* same("the result before the deadline", under.pollUnsafe(), undefined)
    yield* TestClock.adjust("1 millis")
    const exit = yield* Fiber.join(under)
    yield* same("the result at the deadline", exit._tag === "Success" && exit.value._tag, "None")
  }).pipe(Effect.provide(TestClock.layer()))
