import type { Change } from "@mailkeep/core/adapter"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import { connectedClient, testServer } from "./testServer.ts"

/** Deliveries that are sent, and their attempts: two of one project, and one of another project with the id of the first. */
const rowsSql = `WITH sent (project_id, id) AS (VALUES ('prj_1', 'del_1'), ('prj_1', 'del_2'), ('prj_2', 'del_1')), delivery AS (
  INSERT INTO mailkeep.deliveries (project_id, id, message_id, kind, recipient, address, source, bulk, created_at, status,
    due_at, fencing_token, attempt_count, deferrals, ambiguous_attempts, worker_deaths, reached_relay, sequence)
  SELECT project_id, id, 'msg_1', 'to', 'a@b.example', 'a@b.example', 'api', false, 1, 'sending', 1, 7, 1, 0, 0, 0, false, 0 FROM sent
)
INSERT INTO mailkeep.attempts (project_id, delivery_id, number, started_at, phase) SELECT project_id, id, 1, 1, 'started' FROM sent`

const next = {
  phase: "finalizing",
  outcome: null,
  smtpCode: null,
  enhancedCode: null,
  statusMessage: null,
  durationMillis: null
}

const markFinalizing = (deliveryId: string, fencingToken: number, projectId = "prj_1"): ReadonlyArray<Change> => [
  {
    _tag: "TransitionAttempt",
    projectId: projectId as never,
    deliveryId: deliveryId as never,
    number: 1,
    fencingToken,
    from: "started",
    next: next as never
  }
]

const stale = { _tag: "Failure", cause: { reasons: [{ error: { _tag: "Conflict", reason: "Stale" } }] } }

type Store = PostgresMailStore.PostgresMailStoreShape

/** A store with these rows, and another client of its database. */
const open = async () => {
  const server = await testServer()
  const database = await server.createDatabase()
  const connectionString = server.urlOf(database)
  const other = await connectedClient(connectionString)
  const makeStore = Effect.tap(PostgresMailStore.make({ connectionString }), () =>
    Effect.promise(() => server.run(database, rowsSql))
  )
  return {
    other,
    run: <A>(use: (store: Store) => Effect.Effect<A>) =>
      Effect.runPromise(Effect.scoped(Effect.flatMap(makeStore, use)))
  }
}

const waitingSql = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

const finalizingSql = "SELECT project_id, delivery_id FROM mailkeep.attempts WHERE phase = 'finalizing'"

describe.skipIf(!hasPostgres())("a commit that changes an attempt", () => {
  it("waits for no other delivery, and not for its own if the fencing token is old", async () => {
    const { other, run } = await open()
    const results = await run((store) =>
      Effect.gen(function* () {
        yield* Effect.promise(async () => {
          await other.query("BEGIN")
          await other.query("SELECT FROM mailkeep.deliveries WHERE (project_id, id) <> ('prj_1', 'del_1') FOR UPDATE")
        })
        const own = yield* Effect.exit(store.commit(markFinalizing("del_1", 7)))
        const old = yield* Effect.exit(store.commit(markFinalizing("del_2", 6)))
        yield* Effect.promise(() => other.query("ROLLBACK"))
        return [own, old]
      })
    )
    expect(results).toMatchObject([{ _tag: "Success" }, stale])
    expect((await other.query(finalizingSql)).rows).toEqual([{ project_id: "prj_1", delivery_id: "del_1" }])
  })

  it("waits for a claim of its delivery that is under way, and then is refused", async () => {
    const { other, run } = await open()
    const result = await run((store) =>
      Effect.gen(function* () {
        yield* Effect.promise(async () => {
          await other.query("BEGIN")
          await other.query(
            "UPDATE mailkeep.deliveries SET fencing_token = 8 WHERE (project_id, id) = ('prj_1', 'del_1')"
          )
        })
        const fiber = yield* Effect.forkChild(store.commit(markFinalizing("del_1", 7)), { startImmediately: true })
        yield* Effect.promise(async () => {
          while (fiber.pollUnsafe() === undefined && (await other.query(waitingSql)).rowCount === 0);
          await other.query("COMMIT")
        })
        return yield* Fiber.await(fiber)
      })
    )
    expect(result).toMatchObject(stale)
    expect((await other.query(finalizingSql)).rows).toEqual([])
  })

  it("is refused for an old fencing token beside a commit for the delivery of another project with the same id", async () => {
    const { other, run } = await open()
    const results = await run((store) =>
      Effect.gen(function* () {
        yield* Effect.promise(() =>
          other.query("UPDATE mailkeep.deliveries SET fencing_token = 8 WHERE project_id = 'prj_2'")
        )
        const commits = ["prj_1", "prj_2"].map((projectId) => store.commit(markFinalizing("del_1", 7, projectId)))
        return yield* Effect.forEach(commits, Effect.exit, { concurrency: "unbounded" })
      })
    )
    expect(results).toMatchObject([{ _tag: "Success" }, stale])
    expect((await other.query(finalizingSql)).rows).toEqual([{ project_id: "prj_1", delivery_id: "del_1" }])
  })
})
