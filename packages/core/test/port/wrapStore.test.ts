/**
 * A wrapped store passes each call through the wrapper, also the calls in the transactions that it joins.
 */
import { MemoryMailStore } from "@mailkeep/memory"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { JoinedTransaction, MailStoreShape } from "../../src/port/MailStore.ts"
import { wrapStore } from "../../src/port/wrapStore.ts"

const put = { _tag: "PutSetting", name: "a", value: "1" } as const

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
    const joined: JoinedTransaction = { store: inner, end: () => Effect.void, transactionEnded: Effect.never }
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
    expect([seen.commits, connections, found.end === joined.end]).toEqual([1, ["client"], true])
  })
})
