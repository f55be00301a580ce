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
})
