/**
 * A database whose transactions have another isolation level by default. A guard must see what was committed while its commit waited for a lock.
 */
import type { Change } from "@mailkeep/core/adapter"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Effect, Exit, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import { connectedClient, testServer } from "./testServer.ts"

const projectId = "prj_1" as never

const counter: Change = { _tag: "AddToCounter", projectId, name: "allowance", by: 1, max: null }
const insertDomain = {
  _tag: "PutDomain",
  domain: {
    id: "dom_1",
    projectId,
    domain: "a.example",
    status: "verified",
    manuallyVerified: true,
    dkim: null,
    records: [],
    verificationError: null,
    verificationAttempts: 0,
    verificationAttemptedAt: null,
    lastVerifiedAt: null,
    failingSince: null,
    nextCheckAt: null,
    createdAt: 0,
    updatedAt: 0,
    revision: 1
  },
  replaces: null
} as never as Change
const removeDomain = { _tag: "RemoveDomain", projectId, domain: "a.example", revision: 1 } as const
const expectDomain = {
  _tag: "Expect",
  record: { kind: "Domain", projectId, domain: "a.example" },
  revision: 1
} as never

describe.skipIf(!hasPostgres())("commit", () => {
  it.each(["read committed", "repeatable read", "serializable"])(
    "refuses a commit whose expected record was removed during its wait when the default isolation is %s",
    async (level) => {
      const server = await testServer()
      const name = await server.createDatabase()
      await server.run(name, `ALTER DATABASE ${name} SET default_transaction_isolation = '${level}'`)
      const connectionString = server.urlOf(name)
      const blocker = await connectedClient(connectionString)
      const observer = await connectedClient(connectionString)
      const untilWaiting = (count: number) =>
        Effect.promise(async () => {
          const sql = `SELECT count(*)::integer AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
          while ((await observer.query(sql)).rows[0].count < count);
        })
      const program = Effect.gen(function* () {
        const [one, two] = [
          yield* PostgresMailStore.make({ connectionString }),
          yield* PostgresMailStore.make({ connectionString })
        ]
        yield* one.commit([insertDomain, counter])
        yield* Effect.promise(async () => {
          await blocker.query("BEGIN")
          await blocker.query("SELECT FROM mailkeep.counters FOR UPDATE")
        })
        // Has the lock of the domain, and waits for the counter.
        const removal = yield* Effect.forkChild(one.commit([removeDomain, counter]), { startImmediately: true })
        yield* untilWaiting(1)
        // Waits for the lock of the domain.
        const guarded = yield* Effect.forkChild(
          Effect.exit(two.commit([expectDomain, { _tag: "PutSetting", name: "a", value: "b" }])),
          {
            startImmediately: true
          }
        )
        yield* untilWaiting(2)
        yield* Effect.promise(() => blocker.query("COMMIT"))
        yield* Fiber.join(removal)
        return Exit.isFailure(yield* Fiber.join(guarded))
      })
      expect(await Effect.runPromise(Effect.scoped(program))).toBe(true)
    }
  )
})
