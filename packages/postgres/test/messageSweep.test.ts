import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Effect } from "effect"
import pg from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import { testServer } from "./testServer.ts"

/** A client that records the columns that the server returns. */
const recordingClient = (columns: Array<string>) =>
  class extends pg.Client {
    override query(...parameters: ReadonlyArray<unknown>): never {
      const answer = super.query(...(parameters as [string]))
      return answer.then((result) => {
        // Of several statements in one text, there is a result for each.
        for (const { fields } of [result].flat()) columns.push(...fields.map(({ name }) => name))
        return result
      }) as never
    }
  }

const messagesSql = `INSERT INTO mailkeep.messages (project_id, id, source, "from", domain, subject, html, "to", cc, headers, attachments,
  list_unsubscribe, metadata, idempotency_key, created_at)
SELECT 'prj_1', 'msg_' || n, 'api', 'a@b.example', 'b.example', '', '<p>Hello</p>', '[]', '[]', '[]', '[]', false, '{}', '', n
FROM generate_series(1, 3) AS n`

/** An old and a new message of two projects, with the same id and the same content. Two contents have no message. */
const contentsSql = `WITH message (project_id, created_at) AS (VALUES ('prj_1', 1), ('prj_2', 9)), made AS (
  INSERT INTO mailkeep.messages (project_id, id, source, "from", domain, subject, "to", cc, headers, attachments, list_unsubscribe, metadata,
    idempotency_key, created_at)
  SELECT project_id, 'msg_1', 'api', 'a@b.example', 'b.example', '', '[]', '[]', '[]', '[{"hash":"own"}]', false, '{}', '', created_at FROM message
), referring AS (
  INSERT INTO mailkeep.message_contents (project_id, hash, message_id) SELECT project_id, 'own', 'msg_1' FROM message
)
INSERT INTO mailkeep.contents (project_id, hash, chunk, bytes)
SELECT project_id, 'own', 0, ''::bytea FROM message UNION ALL VALUES ('prj_1', 'other', 0, ''::bytea), ('prj_3', 'own', 0, '')`

describe.skipIf(!hasPostgres())("sweepMessages", () => {
  it("deletes messages without reading their bodies", async () => {
    const server = await testServer()
    const database = await server.createDatabase()
    const columns: Array<string> = []
    const pool = new pg.Pool({ connectionString: server.urlOf(database), Client: recordingClient(columns) })
    onTestFinished(() => pool.end())
    const swept = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* PostgresMailStore.make({ pool })
          yield* Effect.promise(() => server.run(database, messagesSql))
          return yield* store.sweepMessages({ before: 3, after: null, limit: 10 })
        })
      )
    )
    expect(swept).toEqual({ deleted: 2, next: null })
    expect(columns).toContain("attachments")
    expect(columns).not.toContain("html")
  })

  it("deletes the contents of deleted messages and no others", async () => {
    const server = await testServer()
    const database = await server.createDatabase()
    const pool = new pg.Pool({ connectionString: server.urlOf(database) })
    onTestFinished(() => pool.end())
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* PostgresMailStore.make({ pool })
          yield* Effect.promise(() => server.run(database, contentsSql))
          return yield* store.sweepMessages({ before: 3, after: null, limit: 10 })
        })
      )
    )
    const contents = await pool.query("SELECT project_id, hash FROM mailkeep.contents ORDER BY project_id, hash")
    expect(contents.rows).toEqual([
      { project_id: "prj_1", hash: "other" },
      { project_id: "prj_2", hash: "own" },
      { project_id: "prj_3", hash: "own" }
    ])
    const references = await pool.query("SELECT project_id, hash, message_id FROM mailkeep.message_contents")
    expect(references.rows).toEqual([{ project_id: "prj_2", hash: "own", message_id: "msg_1" }])
  })
})
