/**
 * What the store does while another connection has the write lock. It waits, but fails at once when the connection is one of its own product.
 */
import { setTimeout as wait } from "node:timers/promises"
import Database from "better-sqlite3"
import { Clock, Effect, Exit, Scope } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { SqliteMailStore } from "../src/index.ts"
import { makeProductConnections } from "../src/internal/productConnections.ts"
import { filesOfEachTest, open as openFile } from "./openedFile.ts"
import { makeStarted } from "./startedStore.ts"

const { file } = filesOfEachTest()
let product: Database.Database
let scope: Scope.Closeable

beforeEach(async () => {
  await Effect.runPromise(openFile(file()))
  product = new Database(file())
  product.pragma("synchronous = FULL")
  scope = Effect.runSync(Scope.make())
})

afterEach(async () => {
  if (product.inTransaction) product.exec("ROLLBACK")
  await Effect.runPromise(Scope.close(scope, Exit.void))
  product.close()
})

const open = (options: Partial<SqliteMailStore.SqliteOptions>) =>
  Effect.runPromise(Effect.provideService(makeStarted({ filename: file(), ...options }), Scope.Scope, scope))

const put = (store: SqliteMailStore.SqliteMailStoreShape, name: string) =>
  Effect.runPromise(store.commit([{ _tag: "PutSetting", name, value: "blue" }]))

/** A clock whose wall time is an hour earlier at each reading. */
const setBackClock = (real: Clock.Clock): Clock.Clock => {
  let behindMillis = 0
  const millis = () => real.currentTimeMillisUnsafe() - (behindMillis += 3_600_000)
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: () => real.currentTimeNanosUnsafe(),
    currentTimeNanos: real.currentTimeNanos,
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration) => real.sleep(duration)
  }
}

describe("an opening", () => {
  const opening = () =>
    Effect.runPromise(
      Effect.flip(
        Effect.scoped(SqliteMailStore.make({ filename: file(), commitThread: "caller", connection: product }))
      )
    )

  it("fails at once while the named connection has an open transaction, and names the transaction", async () => {
    product.exec("BEGIN IMMEDIATE")
    const startedAt = performance.now()
    expect(await opening()).toMatchObject({
      reason: "locked",
      message: `A transaction of this process has locked the file of the store. Open the store before it, or commit it first: ${file()}`
    })
    expect(performance.now() - startedAt).toBeLessThan(2000)
    product.exec("COMMIT")
    await open({ commitThread: "caller", connection: product })
  })

  it("waits for a transaction of another connection while the named one has none", async () => {
    const other = new Database(file())
    other.exec("BEGIN IMMEDIATE")
    const opened = open({ commitThread: "caller", connection: product })
    await wait(300)
    other.exec("COMMIT")
    other.close()
    expect((await opened).capabilities.durable).toBe(true)
  })
})

describe.each(["worker", "caller"] as const)("commits on the thread %s", (commitThread) => {
  it("fails at once while the named connection has an open transaction", async () => {
    const store = await open({ commitThread, connection: product })
    product.exec("BEGIN IMMEDIATE")
    const startedAt = performance.now()
    await expect(put(store, "color")).rejects.toMatchObject({
      reason: "locked",
      message: expect.stringContaining("mail.within(db)")
    })
    expect(performance.now() - startedAt).toBeLessThan(2000)
    product.exec("COMMIT")
    await put(store, "color")
  })

  it("fails at once also when the wall clock is set back meanwhile", async () => {
    const clock = await Effect.runPromise(Effect.map(Effect.clockWith(Effect.succeed), setBackClock))
    const opened = Effect.provideService(
      makeStarted({ filename: file(), commitThread, connection: product }),
      Clock.Clock,
      clock
    )
    const store = await Effect.runPromise(Effect.provideService(opened, Scope.Scope, scope))
    product.exec("BEGIN IMMEDIATE")
    const startedAt = performance.now()
    await expect(put(store, "color")).rejects.toMatchObject({ reason: "locked" })
    expect(performance.now() - startedAt).toBeLessThan(2000)
  })

  it("waits for a transaction of another process, and counts the wait", async () => {
    const store = await open({ commitThread, connection: product })
    // The thread runs, so that the wait is a wait for the lock.
    await put(store, "first")
    const other = new Database(file())
    other.exec("BEGIN IMMEDIATE")
    const committed = put(store, "color")
    // On a busy machine, the thread meets the lock some time after the call.
    await wait(1000)
    other.exec("COMMIT")
    other.close()
    await committed
    expect(store.groupCounts().lockedMillis).toBeGreaterThan(100)
  })

  it("waits for a connection that nobody has named", async () => {
    const store = await open({ commitThread })
    product.exec("BEGIN IMMEDIATE")
    const committed = put(store, "color")
    await wait(300)
    product.exec("COMMIT")
    await committed
    expect(await Effect.runPromise(store.read([{ _tag: "Setting", name: "color" }]))).toEqual(["blue"])
  })

  it("ignores an option that is not a connection", async () => {
    const store = await open({ commitThread, connection: { inTransaction: "yes" } })
    await put(store, "color")
    expect(store.groupCounts().writes).toBe(1)
  })
})

describe("makeProductConnections", () => {
  it("knows each connection once, and whether one has a transaction", () => {
    const connections = makeProductConnections()
    expect([connections.isKnown(), connections.hasTransaction()]).toEqual([false, false])
    connections.add(product)
    connections.add(product)
    expect([connections.isKnown(), connections.hasTransaction()]).toEqual([true, false])
    product.exec("BEGIN")
    expect(connections.hasTransaction()).toBe(true)
  })
})
