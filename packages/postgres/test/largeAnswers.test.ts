/**
 * Answers that are too large. The driver throws when it makes a text that is longer than a text of this process can be, and nobody can catch it.
 */
import type { Query } from "@mailkeep/core/adapter"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Effect } from "effect"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import { makeDatabase } from "../src/internal/database.ts"
import { readStatement } from "../src/internal/read/answerQueries.ts"
import { attemptRead } from "../src/internal/runStatements.ts"
import { markOfDriver } from "../src/internal/sqlStates.ts"
import { testServer } from "./testServer.ts"

const settingNamed = (name: string): Query => ({ _tag: "Setting", name })

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
    const octetsMax = 20
    const read = (...names: ReadonlyArray<string>) => {
      const { sql, values, answersOf } = readStatement('"mailkeep"', names.map(settingNamed), octetsMax)
      return attemptRead(async () => answersOf(await makeDatabase(pool).use(({ query }) => query(sql, values))))
    }
    const program = Effect.gen(function* () {
      const store = yield* PostgresMailStore.make({ pool })
      // The JSON of a text has two quotes.
      for (const [name, length] of [
        ["fits", octetsMax - 2],
        ["large", octetsMax - 1]
      ] as const)
        yield* store.commit([{ _tag: "PutSetting", name, value: "x".repeat(length) }])
      return [yield* read("fits", "absent"), (yield* Effect.flip(read("fits", "large"))).message]
    })
    expect(await Effect.runPromise(Effect.scoped(program))).toEqual([
      ["x".repeat(octetsMax - 2), null],
      "The answer is too large. Ask for fewer records."
    ])
    await pool.end()
  })
})
