/**
 * Waiting for something outside to have happened, turn by turn of the event loop; no real clock in it.
 */
import { Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { same } from "./expectation.ts"

export const aTurn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

export const until = <E, R>(happened: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(happened, (yes) =>
    yes
      ? Effect.void
      : Effect.andThen(
          aTurn,
          Effect.suspend(() => until(happened))
        )
  )

/** Lets whatever could still happen do so. */
export const someTurns = Effect.repeat(aTurn, { times: 20 })

/**
 * The call of a silent other end, under a deadline of the caller: by a clock moved by hand it does not end before, and ends then. An
 * adapter's own timeout is seen when it is by Effect's clock; a driver's own runs by the real one.
 */
export const waitedOut = <A, E, E2>(
  call: Effect.Effect<A, E>,
  deadlineMillis: number,
  reached: Effect.Effect<boolean, E2>
) =>
  Effect.gen(function* () {
    const under = yield* Effect.forkScoped(Effect.exit(Effect.timeoutOption(call, Duration.millis(deadlineMillis))), {
      startImmediately: true
    })
    let passedMillis = 0
    // An adapter may pace itself until it is there.
    const onwards = Effect.suspend(() => {
      passedMillis += 10
      return Effect.andThen(TestClock.adjust("10 millis"), reached)
    })
    yield* until(onwards)
    yield* TestClock.adjust(Duration.millis(deadlineMillis - passedMillis - 1))
    yield* someTurns
    yield* same("its end before the deadline", under.pollUnsafe(), undefined)
    yield* TestClock.adjust("1 millis")
    const exit = yield* Fiber.join(under)
    yield* same("its end at the deadline", exit._tag === "Success" && exit.value._tag, "None")
  }).pipe(Effect.provide(TestClock.layer()))
