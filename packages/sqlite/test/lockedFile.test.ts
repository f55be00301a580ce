/**
 * Opening a file that another connection has locked or other processes open at the same time.
 */
import { spawn } from "node:child_process"
import { setTimeout as wait } from "node:timers/promises"
import Database from "better-sqlite3"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { SqliteMailStore } from "../src/index.ts"
import { migrations } from "../src/internal/migrations.ts"
import { filesOfEachTest, open } from "./openedFile.ts"
// oxlint-disable-next-line import/default -- `bundledCommand.ts` of the tools makes this module.
import openingProgram from "./openingProgram.ts?bundled"

const { file } = filesOfEachTest()

describe("opening a file", () => {
  it("ends at once when it is interrupted while the file is locked", async () => {
    await Effect.runPromise(open(file()))
    const other = new Database(file())
    other.exec("BEGIN IMMEDIATE")
    const opening = Effect.runFork(
      Effect.scoped(Layer.build(SqliteMailStore.layer({ filename: file(), commitThread: "caller" })))
    )
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
    expect(await run(waiting)).toMatchObject({
      _tag: "Failure",
      failure: {
        reason: "locked",
        message: `Another process has locked the store, or its file system has no locks, as some network file systems: ${file()}`
      }
    })
    holder.exec("ROLLBACK")
    holder.close()
    await Effect.runPromise(open(file()))
  })

  it("migrates a file once when several processes open it at once", async () => {
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, [openingProgram, file()], { stdio: ["ignore", "ignore", "pipe"] })
    )
    const codes = await Promise.all(children.map((child) => new Promise((resolve) => child.on("exit", resolve))))
    expect(codes).toEqual([0, 0, 0, 0])
    const database = new Database(file(), { readonly: true })
    expect(database.prepare("SELECT version FROM mailkeep_schema").pluck().all()).toEqual([migrations.length])
    database.close()
  })
})
