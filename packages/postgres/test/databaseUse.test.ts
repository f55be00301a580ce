/**
 * How the store takes and returns the connections of a pool, with a pool that has no server.
 */
import { EventEmitter } from "node:events"
import { syncBuiltinESMExports } from "node:module"
import timers from "node:timers"
import type { Pool } from "pg"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { makeDatabase, settleAll } from "../src/internal/database.ts"
import { BinaryValues } from "../src/internal/driverClient.ts"
import { poolEnded } from "../src/internal/sqlStates.ts"

type Status = "I" | "T" | "E"

const failure = (code: string) => Object.assign(new Error(code), { code })

interface ClientOptions {
  readonly status?: Status
  readonly binary?: boolean
  readonly pid?: number
  readonly pipeline?: boolean
}

/** A client that records its statements and how it was released. `status` is absent in an older driver. */
const makeClient = (options: ClientOptions = {}) => {
  const { status, binary = false, pid = 1, pipeline = true } = options
  const statements: Array<string> = []
  const names: Array<string | undefined> = []
  const released: Array<boolean | undefined> = []
  let current = status
  const client = Object.assign(new EventEmitter(), {
    pipeline,
    binary,
    processID: 1,
    query: async (sent: string | { readonly text: string; readonly name?: string }) => {
      const text = typeof sent === "string" ? sent : sent.text
      statements.push(text)
      if (typeof sent !== "string") names.push(sent.name)
      if (text.startsWith("fail ")) throw failure(text.slice(5))
      if (text === "ROLLBACK") current = "I"
      if (text === "BEGIN") current = "T"
      return { rows: text.includes("pg_backend_pid") ? [{ pid }] : [] }
    },
    release: (isClosed?: boolean) => released.push(isClosed),
    ...(status === undefined ? {} : { getTransactionStatus: () => current })
  })
  return {
    client,
    statements,
    names,
    released,
    listeners: () => client.eventNames().map((name) => client.listenerCount(name))
  }
}

type FakeClient = ReturnType<typeof makeClient>

/** A pool with one client. */
const poolOf = ({ client }: FakeClient) =>
  ({ connect: (done: (cause: unknown, client: unknown) => void) => done(undefined, client) }) as unknown as Pool

/** Records the calls of the timers that repeat, until the test ends. */
const watchIntervals = () => {
  const spies = [vi.spyOn(timers, "setInterval"), vi.spyOn(timers, "clearInterval")] as const
  syncBuiltinESMExports()
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
    syncBuiltinESMExports()
  })
  return spies
}

const pidSql = "SELECT pg_backend_pid() AS pid"

describe("use", () => {
  it.each<[string, Status | undefined]>([
    ["", "I"],
    [" of an older driver", undefined]
  ])("gives back a connection%s without listeners, and asks once whether a pooler is between", async (_, status) => {
    const fake = makeClient(status === undefined ? {} : { status })
    const database = makeDatabase(poolOf(fake))
    for (const sql of ["one", "two"]) await database.use((connection) => connection.query(sql))
    expect(fake.statements).toEqual([pidSql, "one", "two"])
    expect(fake.released).toEqual([false, false])
    expect(fake.listeners()).toEqual([])
  })

  it.each<[Status, ReadonlyArray<string>]>([
    ["T", ["ROLLBACK"]],
    ["E", ["ROLLBACK"]],
    ["I", []]
  ])("undoes the transaction of a connection that it got with the status %s", async (status, undone) => {
    const fake = makeClient({ status })
    await makeDatabase(poolOf(fake)).use((connection) => connection.query("one"))
    expect(fake.statements).toEqual([...undone, pidSql, "one"])
    expect(fake.released).toEqual([false])
  })

  it.each<[string, Status | undefined, string, boolean]>([
    ["closes a connection that was lost", "I", "fail 08006", true],
    ["closes a connection to a standby", "I", "fail 25006", true],
    ["closes a connection of an older driver after any failure", undefined, "fail 22P05", true],
    ["keeps a connection after a failure outside of a transaction", "I", "fail 22P05", false]
  ])("%s", async (_, status, sql, isClosed) => {
    const fake = makeClient(status === undefined ? {} : { status })
    const used = makeDatabase(poolOf(fake)).use((connection) => connection.query(sql))
    await expect(used).rejects.toThrow(sql.slice(5))
    expect(fake.released).toEqual([isClosed])
    // The server can still send the reason.
    expect(fake.listeners()).toEqual(isClosed ? [1] : [])
  })

  it.each([
    ["sends nothing behind a statement that has failed without the server", "", ["one", "fail "]],
    ["sends the statements behind one that the server has refused", "23505", ["one", "fail 23505", "two", "COMMIT"]]
  ])("%s, on a connection that is not pipelined", async (_, code, sent) => {
    const fake = makeClient({ status: "I", pipeline: false })
    const used = makeDatabase(poolOf(fake)).use(({ query }) =>
      settleAll(["one", `fail ${code}`, "two", "COMMIT"].map((sql) => query(sql)))
    )
    await expect(used).rejects.toMatchObject({ code })
    expect(fake.statements).toEqual([pidSql, ...sent])
    expect(fake.released).toEqual([code === ""])
  })

  it("closes a connection that is left in a transaction", async () => {
    const fake = makeClient({ status: "I" })
    await makeDatabase(poolOf(fake)).use((connection) => connection.query("BEGIN"))
    expect(fake.released).toEqual([true])
  })

  it("refuses a client that reads binary values, and sends nothing", async () => {
    const fake = makeClient({ status: "I", binary: true })
    await expect(makeDatabase(poolOf(fake)).use(() => Promise.resolve())).rejects.toThrow(BinaryValues)
    expect([fake.statements, fake.released]).toEqual([[], [false]])
  })

  it.each([
    ["SyncRepWaitForLSN", "01000"],
    ["another", undefined]
  ])("fails after a notice of the function %s with the code %s", async (routine, code) => {
    const fake = makeClient({ status: "I" })
    const used = makeDatabase(poolOf(fake)).use(async (connection) => {
      fake.client.emit("notice", { routine })
      return connection.query("one")
    })
    expect(
      await used.then(
        () => undefined,
        (cause: { readonly code: string }) => cause.code
      )
    ).toBe(code)
    expect(fake.listeners()).toEqual([])
  })

  it.each([
    ["a name to a statement of a direct connection", 1, expect.stringMatching(/^mailkeep_/)],
    ["no name behind a pooler", 2, undefined]
  ])("gives %s that is sent often", async (_, pid, name) => {
    const fake = makeClient({ status: "I", pid })
    const database = makeDatabase(poolOf(fake))
    for (let n = 0; n < 9; n++) await database.use((connection) => connection.prepared("one"))
    expect(fake.names.at(-1)).toEqual(name)
  })

  it("closes a connection that arrives after the pool was ended, and fails", async () => {
    const fake = makeClient({ status: "I" })
    let arrive = () => {}
    const connect = (done: (cause: unknown, client: unknown) => void) => (arrive = () => done(undefined, fake.client))
    const used = makeDatabase({ ending: true, connect } as unknown as Pool).use(() => Promise.resolve())
    await expect(used).rejects.toThrow(poolEnded)
    arrive()
    expect([fake.statements, fake.released, fake.listeners()]).toEqual([[], [true], []])
  })

  it.each([
    ["22P05", expect.stringMatching(/^mailkeep_/)],
    ["26000", undefined]
  ])("sends a statement after a failure with the code %s with the name %s", async (code, name) => {
    const fake = makeClient({ status: "I" })
    const database = makeDatabase(poolOf(fake))
    const send = (sql: string) => database.use((connection) => connection.prepared(sql))
    for (let n = 0; n < 9; n++) await send("one")
    await expect(send(`fail ${code}`)).rejects.toThrow(code)
    await send("one")
    expect(fake.names.at(-1)).toEqual(name)
  })

  it("waits for a connection while the pool was not ended", async () => {
    const [begun] = watchIntervals()
    const fake = makeClient({ status: "I" })
    let arrive = () => {}
    const connect = (done: (cause: unknown, client: unknown) => void) => (arrive = () => done(undefined, fake.client))
    const used = makeDatabase({ ending: false, connect } as unknown as Pool).use((connection) =>
      connection.query("one")
    )
    const [look] = begun.mock.calls[0]!
    look()
    arrive()
    expect(await used).toEqual([])
  })

  it.each<[string, Pool["connect"], string | undefined]>([
    ["a connection arrives", poolOf(makeClient({ status: "I" })).connect, undefined],
    ["the pool cannot connect", ((done: (cause: Error) => void) => done(failure("ENOENT"))) as never, "ENOENT"],
    [
      "the pool throws",
      () => {
        throw failure("ENOENT")
      },
      "ENOENT"
    ]
  ])("stops to look whether the pool was ended when %s", async (_, connect, code) => {
    const [begun, ended] = watchIntervals()
    const used = makeDatabase({ connect } as Pool).use(() => Promise.resolve())
    expect(await used.catch((cause: { readonly code: string }) => cause.code)).toBe(code)
    expect(begun.mock.results).toHaveLength(1)
    expect(ended.mock.calls).toEqual([[begun.mock.results[0]!.value]])
  })
})

describe("settleAll", () => {
  const [first, second, after] = [failure("22P05"), failure("23505"), failure("25P02")]
  const all = (...results: ReadonlyArray<Error | number>) =>
    settleAll(results.map((one) => (typeof one === "number" ? Promise.resolve(one) : Promise.reject(one))))

  it("returns the results in their order", async () => {
    expect(await all(1, 2)).toEqual([1, 2])
    expect(await all()).toEqual([])
  })

  it.each([
    ["the only failure", [1, second], second],
    ["the first failure", [first, 2, second], first],
    ["the failure that made the others fail", [after, second, after], second],
    ["the first failure if all come after another one", [after, failure("25P02")], after]
  ])("fails with %s", async (_, results, expected) => {
    expect(await all(...results).catch((cause: unknown) => cause)).toBe(expected)
  })
})
