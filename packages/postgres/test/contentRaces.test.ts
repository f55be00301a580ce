import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Effect, Fiber } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import { recordFailures } from "./recordedFailures.ts"
import { connectedClient, testServer } from "./testServer.ts"

const waitingSql = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

describe.skipIf(!hasPostgres())("a commit with a content", () => {
  it("waits for another transaction that writes the same content, and does not fail in between", async () => {
    const server = await testServer()
    const connectionString = server.urlOf(await server.createDatabase())
    const { pool, codes } = recordFailures({ connectionString })
    onTestFinished(() => pool.end())
    const other = await connectedClient(connectionString)
    const content = {
      _tag: "PutContent",
      projectId: "prj_1" as never,
      hash: "h",
      chunks: [new Uint8Array([1])]
    } as const
    const answers = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* PostgresMailStore.make({ pool })
          yield* Effect.promise(async () => {
            await other.query("BEGIN")
            await other.query(
              "INSERT INTO mailkeep.contents (project_id, hash, chunk, bytes) VALUES ('prj_1', 'h', 0, '\\x01')"
            )
          })
          const fiber = yield* Effect.forkChild(store.commit([content]), { startImmediately: true })
          yield* Effect.promise(async () => {
            while (fiber.pollUnsafe() === undefined && (await other.query(waitingSql)).rowCount === 0);
            await other.query("COMMIT")
          })
          yield* Fiber.join(fiber)
          return yield* store.read([{ _tag: "ContentChunk", projectId: content.projectId, hash: "h", chunk: 0 }])
        })
      )
    )
    expect(answers).toEqual([new Uint8Array([1])])
    expect(codes).toEqual([])
  })
})
