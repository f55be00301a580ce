/**
 * The reference store as a process sees it on a bad day: slow, sometimes away, and sometimes silent about a commit that stood.
 * Everything that was truly applied is told to `witness`.
 */
import type { Change, Delivery, MailStoreShape, Query } from "@mailkeep/core"
import { StoreUnavailable } from "@mailkeep/core"
import { Effect, Exit } from "effect"

export interface StoreFaults {
  /** Of each hundred calls: fail before, fail after. */
  readonly failBefore: number
  readonly failAfter: number
  readonly delayMillisMax: number
}

export const calm: StoreFaults = { failBefore: 0, failAfter: 0, delayMillisMax: 0 }

/** Sees each commit as it is about to be applied, and may be told that it stood. Nothing comes between. */
export type Witness = (changes: ReadonlyArray<Change>) => () => void

const away = Effect.fail(new StoreUnavailable({ reason: "unreachable" }))

export const faultyStore = (
  raw: MailStoreShape,
  random: () => number,
  faults: () => StoreFaults,
  witness: Witness
): MailStoreShape => {
  const wait = Effect.suspend(() => {
    const { delayMillisMax } = faults()
    return delayMillisMax === 0 || random() < 0.5 ? Effect.yieldNow : Effect.sleep(Math.ceil(random() * delayMillisMax))
  })
  const luck = (percent: number) => random() * 100 < percent
  /** A call that was made takes its course, although nobody may hear of it. */
  const called = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E | StoreUnavailable> =>
    Effect.suspend(() => {
      const { failBefore, failAfter } = faults()
      if (luck(failBefore)) return Effect.andThen(wait, away)
      const answered = Effect.andThen(wait, call)
      return luck(failAfter) ? Effect.andThen(answered, Effect.andThen(wait, away)) : Effect.tap(answered, () => wait)
    })
  return {
    ...raw,
    commit: (changes) =>
      called(
        Effect.suspend(() => {
          const stood = witness(changes)
          const exit = Effect.runSyncExit(raw.commit(changes))
          if (Exit.isSuccess(exit)) stood()
          return exit
        })
      ),
    claim: (claim) => called(raw.claim(claim)) as Effect.Effect<ReadonlyArray<Delivery>, StoreUnavailable>,
    claimPushes: (claim) => called(raw.claimPushes(claim)) as ReturnType<MailStoreShape["claimPushes"]>,
    read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) => called(raw.read(queries)),
    sweep: (sweep) => called(raw.sweep(sweep))
  }
}
