import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { inspect } from "node:util"
import Database from "better-sqlite3"
import { Effect, Layer } from "effect"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { SqliteMailStore } from "../src/index.ts"
import { notOpened } from "../src/internal/connection.ts"
import { unwritableSentence } from "../src/internal/openConnection.ts"
import { filesOfEachTest, mountTmpfs, open, put, refusal } from "./openedFile.ts"

const { file, folder } = filesOfEachTest()

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
    mkdirSync(join(folder(), "data", "links"), { recursive: true })
    symlinkSync(join(folder(), "data", "links"), join(folder(), "links"))
    // Relative to the real folder of the link.
    symlinkSync(join("..", "real.db"), join(folder(), "links", "middle.db"))
    symlinkSync(join(folder(), "links", "middle.db"), file())
    const umask = process.umask(0)
    try {
      await Effect.runPromise(open(file()))
    } finally {
      process.umask(umask)
    }
    expect((statSync(join(folder(), "data", "real.db")).mode & 0o777).toString(8)).toBe("600")
  })

  it("refuses a symbolic link into a folder that does not exist, and links that lead to each other", async () => {
    symlinkSync(join(folder(), "nowhere", "real.db"), file())
    expect(await refusal(file())).toMatchObject({
      reason: "unreachable",
      detail: "The folder of the file does not exist"
    })
    symlinkSync(join(folder(), "b.db"), join(folder(), "a.db"))
    symlinkSync(join(folder(), "a.db"), join(folder(), "b.db"))
    expect(await refusal(join(folder(), "a.db"))).toMatchObject({ reason: "unreachable" })
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

  it.each([
    [" mail.db", "begins with a space"],
    ["mail.db\n", "ends with a line break"],
    ["mail.db\0.old", "contains a null character"]
  ])("creates no file when the path %j %s", async (name) => {
    const before = process.cwd()
    onTestFinished(() => process.chdir(before))
    process.chdir(folder())
    const refused = await refusal(name)
    expect(refused).toMatchObject({ _tag: "StoreNotOpened", reason: "not_a_database", isRetryable: false })
    expect(refused.message).toContain("Give the path without it")
    expect(readdirSync(folder())).toEqual([])
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
    const where = join(folder(), "no", "mail.db")
    expect(await refusal(where)).toMatchObject({
      reason: "unreachable",
      message: `The folder of the file does not exist: ${where}`
    })
  })

  it("refuses a path that is not a file", async () => {
    mkdirSync(join(folder(), "mail.db"))
    expect(await refusal(file())).toMatchObject({
      reason: "not_a_database",
      message: `The path is that of a folder: ${file()}`
    })
  })

  it("refuses a folder in which the process may not create the file, and does not call it retryable", async (context) => {
    const parent = join(folder(), "read-only")
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
      const unmount = mountTmpfs(folder(), "size=8m")
      if (unmount === undefined) return context.skip("skipped: this user is root and may not mount a file system")
      try {
        await Effect.runPromise(open(file()))
        execFileSync("mount", ["-o", "remount,ro", folder()])
        expect(await refusal(file())).toMatchObject({
          reason: "read_only",
          message: `The file system of the file is read-only. Mount it so that the process may write: ${file()}`
        })
      } finally {
        unmount()
      }
    } else {
      chmodSync(file(), 0o444)
      expect(await refusal(file())).toMatchObject({ reason: "read_only" })
    }
  })

  it("names the user when the permissions of the file do not let it write, as after a restore by root", () => {
    expect(unwritableSentence(Object.assign(new Error("denied"), { code: "EACCES" }))).toBe(
      "The user of the process may not read and write the file. Give the file to this user"
    )
  })

  it("names the file system when it cannot share memory between processes", () => {
    const cause = new Database.SqliteError("disk I/O error", "SQLITE_IOERR_SHMMAP")
    expect(notOpened(cause, "mail.db")).toMatchObject({
      reason: "unreachable",
      message:
        "The file system of the file cannot share memory between processes, as some network file systems. Put the file on a disk of this machine: mail.db"
    })
  })

  it("sets and checks that every commit is synced", async () => {
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          yield* SqliteMailStore.make({ filename: file(), commitThread: "caller" })
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
})

describe("the path of a store", () => {
  it("stays valid when it is relative and the program changes its folder afterwards", async () => {
    const before = process.cwd()
    onTestFinished(() => process.chdir(before))
    process.chdir(folder())
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
    const link = join(folder(), "current.db")
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
      Effect.flip(Effect.scoped(Layer.build(SqliteMailStore.layer({ filename: join(folder(), "no", "mail.db") }))))
    )
    expect(failed).toMatchObject({
      _tag: "StoreNotOpened",
      message: expect.stringContaining("The folder of the file does not exist")
    })
  })
})
