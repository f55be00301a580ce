/**
 * Work that is done in steps, so that large inputs of one caller do not delay others. Source: decision 0032.
 */

/** Yields between two steps, each of which takes at most about 1 ms. */
export type Steps<A> = Generator<void, A>

/** Does all steps at once. */
export const allSteps = <A>(steps: Steps<A>): A => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
