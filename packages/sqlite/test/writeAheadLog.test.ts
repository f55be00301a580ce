import { statSync } from "node:fs"
import Database from "better-sqlite3"
import { Effect, Logger } from "effect"
import { describe, expect, it } from "vitest"
import type { GroupWriter } from "../src/internal/groupCommit.ts"
import { makeGroupCommit } from "../src/internal/groupCommit.ts"
import { SqliteMailStore } from "../src/index.ts"
import { filesOfEachTest } from "./openedFile.ts"

const { file } = filesOfEachTest()
const mebibyte = 1024 * 1024

describe("the write-ahead log", () => {
  it("shrinks the write-ahead log to 16 MiB after a reader that prevented its reuse has ended", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* SqliteMailStore.make({ filename: file() })
          const put = (name: string) => store.commit([{ _tag: "PutSetting", name, value: "x".repeat(mebibyte) }])
          const logBytes = () => statSync(`${file()}-wal`).size
          yield* put("first")
          const reader = new Database(file(), { readonly: true })
          reader.exec("BEGIN; SELECT count(*) FROM mailkeep_settings")
          for (let n = 0; n < 40; n++) yield* put(`s${n}`)
          expect(logBytes()).toBeGreaterThan(40 * mebibyte)
          reader.close()
          for (let n = 0; n < 3; n++) yield* put(`t${n}`)
          expect(logBytes()).toBeLessThanOrEqual(16 * mebibyte)
        })
      )
    ))

  it("logs a grown write-ahead log once, and again only after the log has shrunk", async () => {
    const lines: Array<unknown> = []
    const sizes = [1, 300, 400, 1, 300].map((size) => size * mebibyte)
    const writer: GroupWriter = {
      batching: () => ({ writesMax: 1, isConcurrent: false }),
      commit: () =>
        Effect.sync(() => ({
          outcomes: [{ done: undefined }],
          transaction: { writes: 1, logBytes: sizes.shift()!, lockMillis: 0, syncNanos: 1 }
        })),
      dataVersion: Effect.succeed(1)
    }
    const program = Effect.scoped(
      Effect.gen(function* () {
        const group = yield* makeGroupCommit(writer)
        for (let n = 0; n < 5; n++) yield* group.submit({ _tag: "Commit", changes: [] })
      })
    )
    await Effect.runPromise(Effect.provide(program, Logger.layer([Logger.make(({ message }) => lines.push(message))])))
    expect(lines).toHaveLength(2)
    expect(JSON.stringify(lines[0])).toContain("write-ahead log")
  })
})
