/**
 * Answers that are too large. The driver throws when it makes a text that is longer than a text of this process can be, and nobody can catch it.
 */
import type { Query, QueryOf } from "@mailkeep/core/adapter"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Effect } from "effect"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import { makeDatabase } from "../src/internal/database.ts"
import { readStatement } from "../src/internal/read/answerQueries.ts"
import { attemptRead } from "../src/internal/runStatements.ts"
import { markOfDriver } from "../src/internal/sqlStates.ts"
import { recordFailures } from "./recordedFailures.ts"
import { testServer } from "./testServer.ts"

const settingNamed = (name: string): Query => ({ _tag: "Setting", name })
const messageWithId = (id: string): QueryOf<"Message"> => ({
  _tag: "Message",
  projectId: "prj_1" as never,
  id: id as never
})

const insertSql = (id: string, html: string, text: string): string =>
  `INSERT INTO mailkeep.messages (id, project_id, source, "from", domain, subject, html, text, "to", cc, headers, attachments, list_unsubscribe, metadata, idempotency_key, created_at)
VALUES ('${id}', 'prj_1', 'api', 'a@a.example', 'a.example', '', ${html}, ${text}, '[]', '[]', '{}', '[]', false, '{}', 'k', 1)`

describe("attemptRead", () => {
  it.each(["22012", "54000"])(
    "fails as unreachable when the server answers %s, because the answer is too large",
    (code) =>
      Effect.gen(function* () {
        const cause = markOfDriver(Object.assign(new Error("too large"), { code }))
        const failure = yield* Effect.flip(attemptRead(() => Promise.reject(cause as Error)))
        expect(failure).toMatchObject({ reason: "unreachable", message: expect.stringContaining("too large") })
      }).pipe(Effect.runPromise)
  )
})

describe.skipIf(!hasPostgres())("readStatement", () => {
  it("fails on the server for an answer that is longer than a text can be, and for no other", async () => {
    const server = await testServer()
    const pool = new pg.Pool({ connectionString: server.urlOf(await server.createDatabase()), pipeline: true })
    const bytesMax = 20
    const read = (...names: ReadonlyArray<string>) => {
      const { sql, values, answersOf } = readStatement('"mailkeep"', names.map(settingNamed), { bytesMax })
      return attemptRead(async () => answersOf(await makeDatabase(pool).use(({ query }) => query(sql, values))))
    }
    const program = Effect.gen(function* () {
      const store = yield* PostgresMailStore.make({ pool })
      // The JSON of a text has two quotes.
      for (const [name, length] of [
        ["fits", bytesMax - 2],
        ["large", bytesMax - 1]
      ] as const)
        yield* store.commit([{ _tag: "PutSetting", name, value: "x".repeat(length) }])
      return [yield* read("fits", "absent"), (yield* Effect.flip(read("fits", "large"))).message]
    })
    expect(await Effect.runPromise(Effect.scoped(program))).toEqual([
      ["x".repeat(bytesMax - 2), null],
      "The answer is too large. Ask for fewer records."
    ])
    await pool.end()
  })

  it("fails on the server for messages whose bodies have more bytes together than the bound, and for no others", async () => {
    const server = await testServer()
    const pool = new pg.Pool({ connectionString: server.urlOf(await server.createDatabase()), pipeline: true })
    // The delivery has no body to measure.
    const delivery = { _tag: "Delivery", projectId: "prj_1" as never, id: "del_absent" } as const
    const read = (bodyBytesMax: number, ...ids: ReadonlyArray<string>) => {
      const queries = [...ids.map(messageWithId), delivery]
      const { sql, values, answersOf } = readStatement('"mailkeep"', queries, { bodyBytesMax })
      return attemptRead(async () => answersOf(await makeDatabase(pool).use(({ query }) => query(sql, values))))
    }
    const program = Effect.gen(function* () {
      yield* PostgresMailStore.make({ pool })
      yield* Effect.promise(() => pool.query(insertSql("msg_a", "'éé'", "NULL")))
      yield* Effect.promise(() => pool.query(insertSql("msg_b", "NULL", "'abc'")))
      const alone = yield* Effect.flip(read(3, "msg_a", "msg_absent"))
      const together = yield* Effect.flip(read(6, "msg_a", "msg_b"))
      return [yield* read(7, "msg_b", "msg_a", "msg_absent"), alone.message, together.message]
    })
    const sentence = "The answer is too large. Ask for fewer records."
    expect(await Effect.runPromise(Effect.scoped(program))).toEqual([
      [
        expect.objectContaining({ text: "abc", html: null }),
        expect.objectContaining({ html: "éé", text: null }),
        null,
        null
      ],
      sentence,
      sentence
    ])
    await pool.end()
  })
})

describe.skipIf(!hasPostgres())("read", () => {
  it("answers messages with long bodies to callers that look them up together, with less than 8 MiB at once", async () => {
    const server = await testServer()
    const { pool, codes } = recordFailures({ connectionString: server.urlOf(await server.createDatabase()), max: 5 })
    const ids = ["msg_a", "msg_b", "msg_c", "msg_d"]
    const program = Effect.gen(function* () {
      const store = yield* PostgresMailStore.make({ pool })
      for (const id of ids)
        yield* Effect.promise(() => pool.query(insertSql(id, "repeat('x', 2000000)", "repeat('y', 2000000)")))
      const reads = ids.map((id) => store.read([messageWithId(id)]))
      const answers = yield* Effect.all(reads, { concurrency: "unbounded" })
      return answers.map(([message]) => message?.html?.length)
    })
    expect(await Effect.runPromise(Effect.scoped(program))).toEqual(ids.map(() => 2_000_000))
    expect(codes).toEqual(["22012"])
    await pool.end()
  })
})
