/**
 * Does the steps of a work one by one, with other work of the process in between. Source: decision 0032.
 */
import type { Steps } from "@mailkeep/core/binding"
import { Effect } from "effect"

/** The result of the last step. A work of one step does not wait. A step that throws is a defect. */
export const inTurns = <A>(begin: () => Steps<A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    const steps = begin()
    const next: Effect.Effect<A> = Effect.suspend(() => {
      const step = steps.next()
      return step.done === true ? Effect.succeed(step.value) : Effect.andThen(Effect.yieldNow, next)
    })
    return next
  })
