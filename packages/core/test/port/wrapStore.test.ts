/**
 * A wrapped store passes each call through the wrapper, also the calls in the transactions that it joins.
 */
import { MemoryMailStore } from "@mailkeep/memory"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Claim, EventDeliveryClaim, MessageSweep, Sweep } from "../../src/domain/store/Claim.ts"
import { wholeRotation } from "../../src/domain/store/Rotation.ts"
import type { Query } from "../../src/domain/store/Query.ts"
import type { JoinedTransaction, MailStoreShape } from "../../src/port/MailStore.ts"
import { wrapStore } from "../../src/port/wrapStore.ts"

const put = { _tag: "PutSetting", name: "a", value: "1" } as const

const claim: Claim = { kind: "dueQueued", worker: "w", now: 1, leaseUntil: 2, limit: 1, rotation: wholeRotation }
const claimOfEvents: EventDeliveryClaim = { subscriber: "s", worker: "w", now: 1, leaseUntil: 2, limit: 1 }

/** A transaction whose method is of its class. */
class ClassTransaction implements JoinedTransaction {
  readonly transactionEnded = Effect.never
  readonly store: MailStoreShape
  constructor(store: MailStoreShape) {
    this.store = store
  }
  end() {
    return Effect.void
  }
}

/** A store whose methods are of its class and need the instance. */
class ClassStore implements MailStoreShape {
  readonly capabilities: MailStoreShape["capabilities"]
  readonly commitsOfOtherProcesses: MailStoreShape["commitsOfOtherProcesses"]
  readonly #inner: MailStoreShape
  constructor(inner: MailStoreShape) {
    this.#inner = inner
    this.capabilities = inner.capabilities
    this.commitsOfOtherProcesses = inner.commitsOfOtherProcesses
  }
  commit(changes: Parameters<MailStoreShape["commit"]>[0]) {
    return this.#inner.commit(changes)
  }
  claim(one: Claim) {
    return this.#inner.claim(one)
  }
  claimEventDeliveries(one: EventDeliveryClaim) {
    return this.#inner.claimEventDeliveries(one)
  }
  read<const Qs extends ReadonlyArray<Query>>(queries: Qs) {
    return this.#inner.read(queries)
  }
  sweep(one: Sweep) {
    return this.#inner.sweep(one)
  }
  sweepMessages(one: MessageSweep) {
    return this.#inner.sweepMessages(one)
  }
  joinTransaction() {
    return Effect.succeed(new ClassTransaction(this))
  }
}

/** A wrapper that counts commits. */
const counting = () => {
  const seen = { commits: 0 }
  const wrap = (one: MailStoreShape): MailStoreShape => ({
    ...one,
    commit: (changes) =>
      Effect.suspend(() => {
        seen.commits++
        return one.commit(changes)
      })
  })
  return { seen, wrap }
}

describe("wrapStore", () => {
  it("passes the calls of the store through the wrapper", async () => {
    const { seen, wrap } = counting()
    const store = wrapStore(await Effect.runPromise(MemoryMailStore.make), wrap)
    await Effect.runPromise(store.commit([put]))
    expect(await Effect.runPromise(store.read([{ _tag: "Setting", name: "a" }]))).toEqual(["1"])
    expect(seen).toEqual({ commits: 1 })
  })

  it("adds no joinTransaction to a store without it", async () => {
    const store = wrapStore(await Effect.runPromise(MemoryMailStore.make), counting().wrap)
    expect("joinTransaction" in store).toBe(false)
  })

  it("wraps the store of a joined transaction, and keeps its other calls", async () => {
    const { seen, wrap } = counting()
    const inner = await Effect.runPromise(MemoryMailStore.make)
    const ends: Array<boolean> = []
    const joined: JoinedTransaction = {
      store: inner,
      isAsynchronous: true,
      end: (keep) => Effect.sync(() => void ends.push(keep)),
      transactionEnded: Effect.never
    }
    const connections: Array<unknown> = []
    const store = wrapStore(
      {
        ...inner,
        joinTransaction: (connection) =>
          Effect.sync(() => {
            connections.push(connection)
            return joined
          })
      },
      wrap
    )
    const found = await Effect.runPromise(store.joinTransaction!("client"))
    await Effect.runPromise(found.store.commit([put]))
    await Effect.runPromise(found.end(true))
    expect([seen.commits, connections, ends]).toEqual([1, ["client"], [true]])
    expect([found.isAsynchronous, found.transactionEnded]).toEqual([true, Effect.never])
  })

  it("wraps a store that is an instance of a class, and its joined transaction, with a wrapper that spreads", async () => {
    const { seen, wrap } = counting()
    const store = wrapStore(new ClassStore(await Effect.runPromise(MemoryMailStore.make)), wrap)
    const { store: joined, end } = await Effect.runPromise(store.joinTransaction!("client"))
    for (const [name, one] of Object.entries({ store, joined })) {
      await Effect.runPromise(one.commit([{ ...put, name }]))
      expect(await Effect.runPromise(one.read([{ _tag: "Setting", name }]))).toEqual(["1"])
      expect(await Effect.runPromise(one.sweep({ kind: "events", before: 1, limit: 1 }))).toBe(0)
      expect(await Effect.runPromise(one.sweepMessages({ before: 1, after: null, limit: 1 }))).toEqual({
        deleted: 0,
        next: null
      })
      expect(await Effect.runPromise(one.claim(claim))).toEqual([])
      expect(await Effect.runPromise(one.claimEventDeliveries(claimOfEvents))).toEqual([])
    }
    await Effect.runPromise(end(true))
    expect(seen).toEqual({ commits: 2 })
  })

  it("takes a wrapper that returns an instance of a class", async () => {
    const store = wrapStore(await Effect.runPromise(MemoryMailStore.make), (one) => new ClassStore(one))
    await Effect.runPromise(store.commit([put]))
    expect(await Effect.runPromise(store.read([{ _tag: "Setting", name: "a" }]))).toEqual(["1"])
    expect("joinTransaction" in store).toBe(false)
  })
})
