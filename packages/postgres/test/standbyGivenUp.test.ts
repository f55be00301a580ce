/**
 * Commits that wait for a synchronous standby, and whose wait an operator cancels. The server keeps such a commit and reports it as done, but a failover can
 * lose it.
 */
import { hasPostgres, openWatched, startPostgres } from "@mailkeep/test-support/postgres"
import { Effect, Fiber } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import { fillTables } from "./largeTables.ts"
import { connectedClient } from "./testServer.ts"

const setting = (name: string) => [{ _tag: "PutSetting", name, value: "x" } as const]

const claim = { kind: "dueQueued", now: 1e12, limit: 1, worker: "w", leaseUntil: 2e12 } as const

/** A server whose commits wait for a standby that does not exist, from `stopStandby` on. */
const serverWithoutStandby = async () => {
  const watched = openWatched({ isInMemory: true })
  onTestFinished(() => watched.close())
  const server = await startPostgres(watched)
  const database = await server.createDatabase()
  const observer = await connectedClient(server.urlOf(database))
  const cancelSql = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
  return {
    connectionString: server.urlOf(database),
    observer,
    run: (sql: string) => server.run(database, sql),
    stopStandby: async () => {
      await server.set("synchronous_standby_names", "absent")
      // A commit waits for the standby only after the checkpointer has read the setting too. It does so before it begins this checkpoint.
      await server.run(database, "CHECKPOINT")
    },
    /** Cancels the next wait for the standby. */
    cancelWait: () => expect.poll(async () => (await observer.query(cancelSql)).rows.length).toBe(1)
  }
}

describe.skipIf(!hasPostgres())("a canceled wait for the standby", () => {
  it.each(["notice", "error"])(
    "fails the commit as unreachable, because its result is unknown, when the role gets the messages from %s on",
    async (level) => {
      const { connectionString, run, stopStandby, cancelWait } = await serverWithoutStandby()
      await run(`ALTER ROLE CURRENT_USER SET client_min_messages = ${level}`)
      const program = Effect.gen(function* () {
        const store = yield* PostgresMailStore.make({ connectionString })
        yield* Effect.promise(stopStandby)
        const commit = yield* Effect.forkChild(Effect.flip(store.commit(setting("a"))), { startImmediately: true })
        yield* Effect.promise(cancelWait)
        const failure = yield* Fiber.join(commit)
        return [failure, yield* store.read([{ _tag: "Setting", name: "a" }])] as const
      })
      const [failure, kept] = await Effect.runPromise(Effect.scoped(program))
      expect(failure).toMatchObject({ _tag: "StoreUnavailable", reason: "unreachable", isRetryable: true })
      expect(failure.message).toContain("pg_cancel_backend")
      expect(kept).toEqual(["x"])
    }
  )

  it("fails the claim, so that the worker changes its id", async () => {
    const { connectionString, observer, stopStandby, cancelWait } = await serverWithoutStandby()
    const program = Effect.gen(function* () {
      const store = yield* PostgresMailStore.make({ connectionString })
      yield* Effect.promise(() => fillTables(observer, 200, "of all"))
      yield* Effect.promise(stopStandby)
      const rotation = { after: null, perProject: 9, underWay: [] }
      const claiming = yield* Effect.forkChild(Effect.flip(store.claim({ ...claim, rotation })), {
        startImmediately: true
      })
      yield* Effect.promise(cancelWait)
      return yield* Fiber.join(claiming)
    })
    expect(await Effect.runPromise(Effect.scoped(program))).toMatchObject({ reason: "unreachable" })
  })
})
