/**
 * Waiting for something outside to have happened, turn by turn of the event loop; no clock in it.
 */
import { Effect } from "effect"

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

export const until = <E, R>(happened: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(happened, (yes) =>
    yes
      ? Effect.void
      : Effect.andThen(
          turn,
          Effect.suspend(() => until(happened))
        )
  )

/** Lets whatever could still happen do so. */
export const someTurns = Effect.repeat(turn, { times: 20 })
