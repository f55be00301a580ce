/**
 * The only way a use case writes: loads facts, decides and commits. Repeats all three when a guard did not hold.
 */
import { Effect, Result } from "effect"
import { Conflict } from "../domain/Change.ts"
import type { MailStoreShape } from "../port/MailStore.ts"
import { StoreUnavailable } from "../port/MailStore.ts"
import type { Decision } from "../decide/Decision.ts"

/** One of the concurrent writers of a record wins each time, so this many writers at once all succeed. */
const attemptsMax = 256

/**
 * Loads the facts again for each attempt. The caller reserves ids and reads the clock once, before the call, so that each attempt is the same
 * request. Fails with `StoreUnavailable` (`contended`) after 256 conflicts.
 */
export const decideAndCommit = <F, A, E>(
  store: MailStoreShape,
  load: Effect.Effect<F, StoreUnavailable>,
  decide: (facts: F) => Result.Result<Decision<A>, E>
): Effect.Effect<A, E | StoreUnavailable> => {
  const attempt = (attemptsLeft: number): Effect.Effect<A, E | StoreUnavailable> =>
    Effect.flatMap(load, (facts): Effect.Effect<A, E | StoreUnavailable> => {
      const decided = decide(facts)
      if (Result.isFailure(decided)) return Effect.fail(decided.failure)
      const { changes, answer } = decided.success
      return Effect.matchEffect(store.commit(changes), {
        onSuccess: () => Effect.succeed(answer),
        onFailure: (failure) =>
          failure instanceof Conflict
            ? attemptsLeft > 1
              ? Effect.andThen(Effect.yieldNow, attempt(attemptsLeft - 1))
              : Effect.fail(new StoreUnavailable({ reason: "contended", cause: failure }))
            : Effect.fail(failure)
      })
    })
  return attempt(attemptsMax)
}
