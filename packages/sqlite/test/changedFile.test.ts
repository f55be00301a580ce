/**
 * A store whose file was moved, replaced, deleted or damaged while it is open.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { StoreUnavailable } from "@mailkeep/core/adapter"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { SqliteMailStore } from "../src/index.ts"
import { filesOfEachTest, put, refusal } from "./openedFile.ts"

const { file, folder } = filesOfEachTest()

/** Overwrites each page but the first, which says that the file is a database. */
const damagePages = (path: string): void => {
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(7, 4096))
}

describe("the file of a store", () => {
  it.each([
    ["lost its file", () => rmSync(file())],
    ["has a link at its path that leads to itself", () => (rmSync(file()), symlinkSync(file(), file()))],
    [
      "has another file at its path",
      () => (renameSync(file(), join(folder(), "elsewhere")), writeFileSync(file(), ""))
    ],
    ["lost its write-ahead log", () => rmSync(`${file()}-wal`)],
    ["lost its shared memory", () => rmSync(`${file()}-shm`)]
  ])("acknowledges no commit when the store %s", (_, harm) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* SqliteMailStore.make({ filename: file() })
          yield* store.commit(put("before"))
          harm()
          const failure = yield* Effect.flip(store.commit(put("after")))
          expect(failure).toMatchObject({ reason: "unreachable" })
          expect(failure.message).toContain(
            "A file of the store was moved, deleted or replaced, or its folder cannot be read."
          )
        })
      )
    )
  )

  it("says that the file is damaged and what to do, in a commit, a read and the next opening", async () => {
    const damaged = "The file of the store is damaged. Stop every process that uses it, and restore a backup"
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* SqliteMailStore.make({ filename: file() })
          // A commit of another connection, so that the store reads the damaged pages and none that it has in memory.
          const other = new Database(file())
          other.exec("INSERT INTO mailkeep_settings (name, value) VALUES ('foreign', '1')")
          other.pragma("wal_checkpoint(TRUNCATE)")
          other.close()
          damagePages(file())
          for (const call of [store.commit(put("a")), store.read([{ _tag: "Setting", name: "foreign" }])]) {
            const failure = yield* Effect.flip(call as Effect.Effect<unknown, StoreUnavailable>)
            expect(failure).toMatchObject({ reason: "unreachable", message: `${damaged}.` })
          }
        })
      )
    )
    const { reason, message, isRetryable } = await refusal(file())
    expect({ reason, message, isRetryable }).toEqual({
      reason: "not_a_database",
      message: `${damaged}: ${file()}`,
      isRetryable: false
    })
  })

  it("overwrites no commit of another process after the shared memory was deleted", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* SqliteMailStore.make({ filename: file() })
          yield* store.commit(put("before"))
          rmSync(`${file()}-shm`)
          // The other process makes new shared memory, so that neither sees the locks and the log of the other.
          const otherProcess = (statement: string): string => {
            const script = `
              import Database from "better-sqlite3"
              const database = new Database(${JSON.stringify(file())})
              console.log(JSON.stringify(database.prepare(${JSON.stringify(statement)}).pluck().all()))
            `
            const options = { cwd: import.meta.dirname, encoding: "utf8" } as const
            return execFileSync(process.execPath, ["--input-type=module", "-e", script], options).trim()
          }
          const insert = "INSERT INTO mailkeep_settings (name, value) VALUES ('foreign', '1') RETURNING name"
          expect(otherProcess(insert)).toBe('["foreign"]')
          for (const name of ["a", "b"])
            expect(yield* Effect.flip(store.commit(put(name)))).toMatchObject({ reason: "unreachable" })
          const select = "SELECT name FROM mailkeep_settings WHERE name IN ('foreign', 'a', 'b')"
          expect(otherProcess(select)).toBe('["foreign"]')
        })
      )
    ))

  it("commits again when the moved file is at its path again", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* SqliteMailStore.make({ filename: file() })
          const elsewhere = join(folder(), "elsewhere")
          renameSync(file(), elsewhere)
          expect(yield* Effect.flip(store.commit(put("a")))).toMatchObject({ reason: "unreachable" })
          renameSync(elsewhere, file())
          yield* store.commit(put("b"))
          // A commit that failed is unknown, not absent.
          expect(yield* store.read([{ _tag: "Setting", name: "b" }])).toEqual(["1"])
        })
      )
    ))
})
