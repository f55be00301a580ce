/**
 * The one way a use case writes: load facts, decide, commit; and again when a guard did not hold.
 */
import { Effect, Result } from "effect"
import { Conflict } from "../domain/Change.ts"
import type { MailStoreShape } from "../port/MailStore.ts"
import { StoreUnavailable } from "../port/MailStore.ts"
import type { Decision } from "../decide/Decision.ts"

/** Of the writers of one record one wins each time, so this many may write it at once and none is turned away. */
const triesMax = 256

/**
 * Facts are loaded anew for every try; ids and the clock's reading should be taken once, outside, so that a retry is the same request.
 * After too many conflicts the store counts as unavailable.
 */
export const decideAndCommit = <F, A, E>(
  store: MailStoreShape,
  load: Effect.Effect<F, StoreUnavailable>,
  decide: (facts: F) => Result.Result<Decision<A>, E>
): Effect.Effect<A, E | StoreUnavailable> => {
  const attempt = (triesLeft: number): Effect.Effect<A, E | StoreUnavailable> =>
    Effect.flatMap(load, (facts): Effect.Effect<A, E | StoreUnavailable> => {
      const decided = decide(facts)
      if (Result.isFailure(decided)) return Effect.fail(decided.failure)
      const { changes, answer } = decided.success
      return Effect.matchEffect(store.commit(changes), {
        onSuccess: () => Effect.succeed(answer),
        onFailure: (failure) =>
          failure instanceof Conflict
            ? triesLeft > 1
              ? Effect.andThen(Effect.yieldNow, attempt(triesLeft - 1))
              : Effect.fail(new StoreUnavailable({ reason: "contended", cause: failure }))
            : Effect.fail(failure)
      })
    })
  return attempt(triesMax)
}
