import { execFileSync, spawn } from "node:child_process"
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"
import { setTimeout as wait } from "node:timers/promises"
import type { StoreNotOpened, StoreUnavailable } from "@mailkeep/core/adapter"
import Database from "better-sqlite3"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { SqliteMailStore } from "../src/index.ts"
import { migrations } from "../src/internal/migrations.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mailkeep-sqlite-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const file = () => join(folder, "mail.db")
const open = (filename: string) => Effect.scoped(SqliteMailStore.make({ filename }))
const refusal = (filename: string): Promise<StoreNotOpened> => Effect.runPromise(Effect.flip(open(filename)))

const put = (name: string) => [{ _tag: "PutSetting", name, value: "1" }] as const

/** A separate file system, or `undefined` if this user may not mount one. */
const mountTmpfs = (at: string, options: string): (() => void) | undefined => {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", at], { stdio: "ignore" })
    return () => execFileSync("umount", ["-l", at])
  } catch {
    return undefined
  }
}

/** Overwrites each page but the first, which says that the file is a database. */
const damagePages = (path: string): void => {
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(7, 4096))
}

describe("opening a file", () => {
  it("creates a file that does not exist, and opens it again", async () => {
    await Effect.runPromise(
      Effect.scoped(Effect.flatMap(SqliteMailStore.make({ filename: file() }), (store) => store.commit(put("a"))))
    )
    const [value] = await Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(SqliteMailStore.make({ filename: file() }), (store) =>
          store.read([{ _tag: "Setting", name: "a" }])
        )
      )
    )
    expect(value).toBe("1")
  })

  it("creates the file, its log and its shared memory for the owner only with any umask, and keeps the mode of an existing file", async () => {
    const modes = () => ["", "-wal", "-shm"].map((suffix) => (statSync(`${file()}${suffix}`).mode & 0o777).toString(8))
    const written = (filename: string) =>
      Effect.runPromise(
        Effect.scoped(
          Effect.flatMap(SqliteMailStore.make({ filename }), (store) =>
            Effect.andThen(store.commit(put(`m${Math.random()}`)), Effect.sync(modes))
          )
        )
      )
    const umask = process.umask(0)
    try {
      expect(await written(file())).toEqual(["600", "600", "600"])
      chmodSync(file(), 0o640)
      expect(await written(file())).toEqual(["640", "640", "640"])
    } finally {
      process.umask(umask)
    }
  })

  it("creates the file for the owner only where a symbolic link leads, with any umask", async () => {
    mkdirSync(join(folder, "data", "links"), { recursive: true })
    symlinkSync(join(folder, "data", "links"), join(folder, "links"))
    // Relative to the real folder of the link.
    symlinkSync(join("..", "real.db"), join(folder, "links", "middle.db"))
    symlinkSync(join(folder, "links", "middle.db"), file())
    const umask = process.umask(0)
    try {
      await Effect.runPromise(open(file()))
    } finally {
      process.umask(umask)
    }
    expect((statSync(join(folder, "data", "real.db")).mode & 0o777).toString(8)).toBe("600")
  })

  it("refuses a symbolic link into a folder that does not exist, and links that lead to each other", async () => {
    symlinkSync(join(folder, "nowhere", "real.db"), file())
    expect(await refusal(file())).toMatchObject({
      reason: "unreachable",
      detail: "The folder of the file does not exist"
    })
    symlinkSync(join(folder, "b.db"), join(folder, "a.db"))
    symlinkSync(join(folder, "a.db"), join(folder, "b.db"))
    expect(await refusal(join(folder, "a.db"))).toMatchObject({ reason: "unreachable" })
  })

  it("refuses a file that is not a database, and leaves it unchanged", async () => {
    const text = "This is no database, however long it is. ".repeat(100)
    writeFileSync(file(), text)
    expect(await refusal(file())).toMatchObject({ _tag: "StoreNotOpened", reason: "not_a_database", where: file() })
    expect(readFileSync(file(), "utf8")).toBe(text)
  })

  it("adds its tables to a file with other tables, and leaves those tables and their version unchanged", async () => {
    const other = new Database(file())
    other.exec("CREATE TABLE contacts (x); INSERT INTO contacts VALUES (1)")
    other.pragma("user_version = 7")
    other.close()
    await Effect.runPromise(open(file()))
    await Effect.runPromise(open(file()))
    const after = new Database(file(), { readonly: true })
    expect(after.prepare("SELECT x FROM contacts").pluck().all()).toEqual([1])
    expect(after.pragma("user_version", { simple: true })).toBe(7)
    const names = after.prepare("SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'").pluck().all()
    expect(names.filter((name) => !String(name).startsWith("mailkeep_"))).toEqual(["contacts"])
    after.close()
  })

  it.each([
    [undefined, "The store needs the path of a file. The environment variable with the path may not be set"],
    ["", "The store needs the path of a file. The environment variable with the path may not be set"],
    [":memory:", "A database in memory loses all mail. Give the path of a file, or use the store of @mailkeep/memory"]
  ])("refuses the filename %s with what to do", async (filename, detail) => {
    expect(await refusal(filename as string)).toMatchObject({ _tag: "StoreNotOpened", reason: "not_durable", detail })
  })

  it("refuses a URL without the part that may have a password", async () => {
    const refused = await refusal("postgres://mail:secretword@db.example/shop")
    expect(refused).toMatchObject({ _tag: "StoreNotOpened", reason: "not_a_database", isRetryable: false })
    expect(refused.message).toBe("The store needs the path of a file, and no URL: postgres://…")
    expect(inspect(refused)).not.toContain("secretword")
  })

  it("refuses a file with a newer schema version", async () => {
    await Effect.runPromise(open(file()))
    const later = new Database(file())
    later.exec("UPDATE mailkeep_schema SET version = 99")
    later.close()
    expect(await refusal(file())).toMatchObject({ reason: "newer_schema" })
  })

  it("names the cause when the file cannot be opened for a reason that the store does not know", async () => {
    symlinkSync(file(), file())
    expect(await refusal(file())).toMatchObject({
      reason: "unreachable",
      message: `The store cannot be opened (unable to open database file): ${file()}`
    })
  })

  it("refuses a file in a folder that does not exist", async () => {
    const where = join(folder, "no", "mail.db")
    expect(await refusal(where)).toMatchObject({
      reason: "unreachable",
      message: `The folder of the file does not exist: ${where}`
    })
  })

  it("refuses a path that is not a file", async () => {
    mkdirSync(join(folder, "mail.db"))
    expect(await refusal(file())).toMatchObject({
      reason: "not_a_database",
      message: `The path is that of a folder: ${file()}`
    })
  })

  it("refuses a folder in which the process may not create the file, and does not call it retryable", async (context) => {
    const parent = join(folder, "read-only")
    mkdirSync(parent)
    const isRoot = process.getuid?.() === 0
    // Root ignores permissions, but not a read-only file system.
    const unmount = isRoot ? mountTmpfs(parent, "ro") : () => chmodSync(parent, 0o755)
    if (unmount === undefined) return context.skip("skipped: this user is root and may not mount a file system")
    if (!isRoot) chmodSync(parent, 0o555)
    try {
      expect(await refusal(join(parent, "mail.db"))).toMatchObject({
        reason: "read_only",
        isRetryable: false,
        message: `The process may not create a file in the folder: ${join(parent, "mail.db")}`
      })
    } finally {
      unmount()
    }
  })

  it("refuses a file without write permission", async (context) => {
    await Effect.runPromise(open(file()))
    if (process.getuid?.() === 0) {
      // Root ignores permissions, but not a read-only file system.
      const unmount = mountTmpfs(folder, "size=8m")
      if (unmount === undefined) return context.skip("skipped: this user is root and may not mount a file system")
      try {
        await Effect.runPromise(open(file()))
        execFileSync("mount", ["-o", "remount,ro", folder])
        expect(await refusal(file())).toMatchObject({ reason: "read_only" })
      } finally {
        unmount()
      }
    } else {
      chmodSync(file(), 0o444)
      expect(await refusal(file())).toMatchObject({ reason: "read_only" })
    }
  })

  it("ends at once when it is interrupted while the file is locked", async () => {
    await Effect.runPromise(open(file()))
    const other = new Database(file())
    other.exec("BEGIN IMMEDIATE")
    const opening = Effect.runFork(Effect.scoped(Layer.build(SqliteMailStore.layer({ filename: file() }))))
    await wait(100)
    const startedAt = performance.now()
    await Effect.runPromise(Fiber.interrupt(opening))
    expect(performance.now() - startedAt).toBeLessThan(2000)
    other.close()
  })

  it("refuses a locked file after five seconds, and opens the file when the lock is released", async () => {
    await Effect.runPromise(open(file()))
    const holder = new Database(file())
    holder.exec("BEGIN IMMEDIATE")
    const waiting = Effect.gen(function* () {
      const opening = yield* Effect.forkChild(Effect.result(open(file())), { startImmediately: true })
      yield* TestClock.adjust("4 seconds")
      expect(opening.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("3 seconds")
      return yield* Fiber.join(opening)
    })
    const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(Effect.provide(effect, TestClock.layer()))
    expect(await run(waiting)).toMatchObject({ _tag: "Failure", failure: { reason: "locked" } })
    holder.exec("ROLLBACK")
    holder.close()
    await Effect.runPromise(open(file()))
  })

  it("sets and checks that every commit is synced", async () => {
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          yield* SqliteMailStore.make({ filename: file() })
          const other = new Database(file(), { readonly: true })
          expect(other.pragma("journal_mode", { simple: true })).toBe("wal")
          other.close()
        })
      )
    )
    const original = Database.prototype.pragma
    const pragma = vi.spyOn(Database.prototype, "pragma")
    try {
      await Effect.runPromise(open(file()))
      expect(pragma.mock.calls.map(([source]) => source)).toContain("synchronous = FULL")
      pragma.mockImplementation(function (this: Database.Database, source, options) {
        return source === "synchronous = FULL" ? undefined : original.call(this, source, options)
      })
      expect(await refusal(file())).toMatchObject({ _tag: "StoreNotOpened", reason: "not_durable" })
    } finally {
      pragma.mockRestore()
    }
  })

  it("migrates a file once when several processes open it at once", async () => {
    const script = `
      import { Effect } from "effect"
      import { SqliteMailStore } from ${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)}
      await Effect.runPromise(Effect.scoped(SqliteMailStore.make({ filename: ${JSON.stringify(file())} })))
    `
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
        stdio: ["ignore", "ignore", "pipe"],
        cwd: import.meta.dirname
      })
    )
    const codes = await Promise.all(children.map((child) => new Promise((resolve) => child.on("exit", resolve))))
    expect(codes).toEqual([0, 0, 0, 0])
    const database = new Database(file(), { readonly: true })
    expect(database.prepare("SELECT version FROM mailkeep_schema").pluck().all()).toEqual([migrations.length])
    database.close()
  })
})

describe("the disk of a store", () => {
  it("reports a full disk, keeps acknowledged commits, and continues when the disk has space again", async (context) => {
    const unmount = mountTmpfs(folder, "size=1m")
    if (unmount === undefined) return context.skip("skipped: this user may not mount a small file system")
    try {
      await Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const store = yield* SqliteMailStore.make({ filename: file() })
            const filler = join(folder, "filler")
            let kept = 0
            const fill = Effect.gen(function* () {
              for (let i = 0; i < 500; i++) {
                yield* store.commit([{ _tag: "PutSetting", name: `s${i}`, value: "x".repeat(8000) }])
                kept++
              }
            })
            writeFileSync(filler, "x".repeat(200_000))
            expect(yield* Effect.flip(fill)).toMatchObject({ _tag: "StoreUnavailable", reason: "full" })
            expect(kept).toBeGreaterThan(0)
            for (let i = 0; i < kept; i++) {
              const [value] = yield* store.read([{ _tag: "Setting", name: `s${i}` }])
              expect(value).toHaveLength(8000)
            }
            rmSync(filler)
            yield* store.commit(put("after"))
          })
        )
      )
    } finally {
      unmount()
    }
  })

  it("fails to open a file when the disk is full", async (context) => {
    const unmount = mountTmpfs(folder, "size=64k")
    if (unmount === undefined) return context.skip("skipped: this user may not mount a small file system")
    try {
      writeFileSync(join(folder, "filler"), "x".repeat(40_000))
      expect(await refusal(file())).toMatchObject({ reason: "full" })
    } finally {
      unmount()
    }
  })
})

describe("the file of a store", () => {
  it.each([
    ["lost its file", () => rmSync(file())],
    ["has a link at its path that leads to itself", () => (rmSync(file()), symlinkSync(file(), file()))],
    ["has another file at its path", () => (renameSync(file(), join(folder, "elsewhere")), writeFileSync(file(), ""))],
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
          const elsewhere = join(folder, "elsewhere")
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

describe("the path of a store", () => {
  it("stays valid when it is relative and the program changes its folder afterwards", async () => {
    const before = process.cwd()
    onTestFinished(() => process.chdir(before))
    process.chdir(folder)
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* SqliteMailStore.make({ filename: "mail.db" })
          yield* store.commit(put("before"))
          process.chdir(before)
          yield* store.commitThreadStarted
          yield* store.commit(put("after"))
          // The thread for long reads opens the file now.
          const [health] = yield* store.read([{ _tag: "WorkHealth", dueBefore: 0, leaseEndedBefore: 0 }])
          expect(health).toMatchObject({ late: 0 })
        })
      )
    )
  })

  it("leads through a symbolic link to the real file, which has the log beside it", async () => {
    const link = join(folder, "current.db")
    writeFileSync(file(), "")
    symlinkSync(file(), link)
    const product = new Database(link)
    onTestFinished(() => void product.close())
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* SqliteMailStore.make({ filename: link })
          yield* store.commit(put("before"))
          product.pragma("synchronous = FULL")
          product.exec("BEGIN IMMEDIATE")
          const joined = yield* store.joinTransaction(product)
          yield* joined.store.commit(put("joined"))
          yield* joined.end(true)
          product.exec("COMMIT")
          rmSync(`${file()}-wal`)
          expect(yield* Effect.flip(store.commit(put("after")))).toMatchObject({ reason: "unreachable" })
        })
      )
    )
  })
})

describe("the layer", () => {
  it("fails to build the layer with the same failure as the constructor", async () => {
    const failed = await Effect.runPromise(
      Effect.flip(Effect.scoped(Layer.build(SqliteMailStore.layer({ filename: join(folder, "no", "mail.db") }))))
    )
    expect(failed).toMatchObject({
      _tag: "StoreNotOpened",
      message: expect.stringContaining("The folder of the file does not exist")
    })
  })
})
