/**
 * Refuses the writes of this process while the records of the store move into another store, and after that. Source: decision 0078.
 */
import { Clock, Deferred, Effect, Exit, Layer } from "effect"
import type { StoreClosure } from "../../domain/store/StoreClosure.ts"
import { closureOf, movedToSetting } from "../../domain/store/StoreClosure.ts"
import type { MailStoreShape } from "../../port/MailStore.ts"
import { MailStore, StoreUnavailable } from "../../port/MailStore.ts"
import { wrapStore } from "../../port/wrapStore.ts"
import { skipEmptyCommit } from "./skipEmptyCommit.ts"

/** How long a process writes after it has read that the store is open. A move waits longer than this before it copies. */
export const closureKeptMillis = 1000

const closureKeptNanos = BigInt(closureKeptMillis) * 1_000_000n
/** After this time one write reads again. The others begin meanwhile by the last answer. */
const readEveryNanos = closureKeptNanos / 2n

const movingSentence = "The records of this store are being moved to another store. Try again later."
const incompleteSentence =
  "A move into this store has not ended, so the store is incomplete. Resume the move, or delete the store and move again."

const movedSentence = (to: string) => `The records of this store were moved to ${to}. Use that store.`

const refusalOf = (closure: StoreClosure): StoreUnavailable => {
  switch (closure.reason) {
    case "moving":
      return new StoreUnavailable({ reason: "moving", detail: movingSentence })
    case "incomplete":
      return new StoreUnavailable({ reason: "moving", detail: incompleteSentence })
    case "moved":
      return new StoreUnavailable({ reason: "moved", detail: movedSentence(closure.to) })
  }
}

/** Reads why the store takes no writes; `null` if the store is open. */
export const readClosure = (store: MailStoreShape): Effect.Effect<StoreClosure | null, StoreUnavailable> =>
  Effect.gen(function* () {
    const [movedTo, leases] = yield* store.read([
      { _tag: "Setting", name: movedToSetting },
      // All leases: there is one for each worker.
      { _tag: "LeasesSetAfter", now: Number.MIN_SAFE_INTEGER }
    ])
    const now = yield* Clock.currentTimeMillis
    return closureOf({ movedTo, leases, now })
  })

/**
 * Makes a store whose writes fail with `StoreUnavailable`, reason `moving` or `moved`, while the store is closed. Reads this only
 * before a write: twice a second while writes follow each other, and once for the writes that begin together when the last answer is a second old.
 */
const makeClosableStore = (store: MailStoreShape) => {
  /** When the store was last known to be open. */
  let checkedNanos: bigint | null = null
  /** When a write last began to read whether the store is open. */
  let lastReadNanos = 0n
  const check = (reader: MailStoreShape): Effect.Effect<void, StoreUnavailable> =>
    Effect.gen(function* () {
      const startedNanos = yield* Clock.monotonicTimeNanos
      lastReadNanos = startedNanos
      const closure = yield* readClosure(reader)
      checkedNanos = closure === null ? startedNanos : null
      if (closure !== null) return yield* refusalOf(closure)
    })
  const isKnownOpen = (now: bigint): boolean => checkedNanos !== null && now - checkedNanos < closureKeptNanos
  /**
   * A check of the reader that serves all writes that begin while it runs. After it, a write checks by itself when the answer is a second old already, and
   * when the check was interrupted.
   */
  const makeSharedCheck = (reader: MailStoreShape): Effect.Effect<void, StoreUnavailable> => {
    let underWay: Deferred.Deferred<void, StoreUnavailable> | null = null
    const ownCheck = check(reader)
    const afterOther = Clock.clockWith((clock) =>
      isKnownOpen(clock.monotonicTimeNanosUnsafe()) ? Effect.void : ownCheck
    )
    // An interruption between the two steps would leave a check that never ends.
    return Effect.uninterruptibleMask((restore) => {
      if (underWay !== null) return restore(Effect.andThen(Deferred.await(underWay), afterOther))
      const own = Deferred.makeUnsafe<void, StoreUnavailable>()
      underWay = own
      return Effect.onExit(restore(ownCheck), (exit) =>
        Effect.sync(() => {
          underWay = null
          Deferred.doneUnsafe(own, Exit.hasInterrupts(exit) ? Exit.void : exit)
        })
      )
    })
  }
  /** Every send passes here, so the usual case has no effects of its own. */
  const ifOpen = (reader: MailStoreShape) => {
    const sharedCheck = makeSharedCheck(reader)
    return <A, E>(write: Effect.Effect<A, E>): Effect.Effect<A, E | StoreUnavailable> =>
      Clock.clockWith((clock) => {
        const now = clock.monotonicTimeNanosUnsafe()
        if (!isKnownOpen(now)) return Effect.andThen(sharedCheck, write)
        return now - lastReadNanos < readEveryNanos ? write : Effect.andThen(check(reader), write)
      })
  }

  const closable = (one: MailStoreShape): MailStoreShape => {
    const guarded = ifOpen(one)
    return {
      ...one,
      commit: skipEmptyCommit((changes) => guarded(one.commit(changes))),
      claim: (claim) => guarded(one.claim(claim)),
      claimEventDeliveries: (claim) => guarded(one.claimEventDeliveries(claim)),
      sweep: (sweep) => guarded(one.sweep(sweep)),
      sweepMessages: (sweep) => guarded(one.sweepMessages(sweep))
    }
  }
  return { store: wrapStore(store, closable), check: check(store) }
}

/** Replaces the store by one that refuses writes while it is closed. Fails when the store is closed now. */
export const closableStore: Layer.Layer<MailStore, StoreUnavailable, MailStore> = Layer.effect(
  MailStore,
  Effect.gen(function* () {
    const { check, store } = makeClosableStore(yield* MailStore)
    yield* check
    return store
  })
)
