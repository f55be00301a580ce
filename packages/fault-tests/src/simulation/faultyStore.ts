/**
 * Wraps the reference store with faults: calls are slow, fail before they are applied, or fail after they are applied.
 * Reports every applied commit to `witness`.
 */
import type { Change, MailStoreShape, Query, Delivery } from "@mailkeep/core/adapter"
import { StoreUnavailable } from "@mailkeep/core"
import { Effect, Exit } from "effect"

export interface StoreFaults {
  /** Percentage of calls that fail before they are applied. */
  readonly failBefore: number
  /** Percentage of calls that fail after they are applied. */
  readonly failAfter: number
  readonly delayMillisMax: number
}

export const noStoreFaults: StoreFaults = { failBefore: 0, failAfter: 0, delayMillisMax: 0 }

/**
 * Is called with each commit just before it is applied. Returns a function that is called if the commit was applied. No other task runs
 * between the two calls.
 */
export type Witness = (changes: ReadonlyArray<Change>) => () => void

const unavailable = Effect.fail(new StoreUnavailable({ reason: "unreachable" }))

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
  const chance = (percent: number) => random() * 100 < percent
  /** Makes a call with faults. A call that fails after it was applied keeps its effect. */
  const withFaults = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E | StoreUnavailable> =>
    Effect.suspend(() => {
      const { failBefore, failAfter } = faults()
      if (chance(failBefore)) return Effect.andThen(wait, unavailable)
      const answered = Effect.andThen(wait, call)
      return chance(failAfter)
        ? Effect.andThen(answered, Effect.andThen(wait, unavailable))
        : Effect.tap(answered, () => wait)
    })
  return {
    ...raw,
    commit: (changes) =>
      withFaults(
        Effect.suspend(() => {
          const applied = witness(changes)
          const exit = Effect.runSyncExit(raw.commit(changes))
          if (Exit.isSuccess(exit)) applied()
          return exit
        })
      ),
    claim: (claim) => withFaults(raw.claim(claim)) as Effect.Effect<ReadonlyArray<Delivery>, StoreUnavailable>,
    claimEventDeliveries: (claim) =>
      withFaults(raw.claimEventDeliveries(claim)) as ReturnType<MailStoreShape["claimEventDeliveries"]>,
    read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) => withFaults(raw.read(queries)),
    sweep: (sweep) => withFaults(raw.sweep(sweep)),
    sweepMessages: (sweep) => withFaults(raw.sweepMessages(sweep))
  }
}
