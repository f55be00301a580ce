import { renameSync } from "node:fs"
import { setImmediate } from "node:timers/promises"
import type { Worker } from "node:worker_threads"
import Database from "better-sqlite3"
import { Effect, Exit, Fiber, Result, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { SqliteMailStore as Store } from "../src/SqliteMailStore.ts"
import { SqliteMailStore } from "../src/index.ts"
import { filesOfEachTest, put } from "./openedFile.ts"
import { makeStarted } from "./startedStore.ts"

const { file } = filesOfEachTest()
const threads = new Set<Worker>()
const onWorker = (worker: Worker) => {
  threads.add(worker)
  worker.once("exit", () => threads.delete(worker))
}
beforeEach(() => void process.on("worker", onWorker))
afterEach(() => {
  process.off("worker", onWorker)
  threads.clear()
})

const inStore = <A, E>(test: (store: Store["Service"]) => Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(makeStarted({ filename: file() }), test)))

const setting = (store: Store["Service"], name: string) =>
  Effect.map(store.read([{ _tag: "Setting", name }]), ([value]) => value)

/** Lets the event loop turn until the condition holds. */
const until = (condition: () => boolean) =>
  Effect.promise(async () => {
    while (!condition()) await setImmediate()
  })

describe("the commit thread", () => {
  it("lets no commit wait for its start, and keeps the commits before and after it", () =>
    Effect.gen(function* () {
      const store = yield* SqliteMailStore.make({ filename: file() })
      let hasStarted = false
      yield* Effect.forkChild(
        Effect.andThen(
          store.commitThreadStarted,
          Effect.sync(() => (hasStarted = true))
        ),
        { startImmediately: true }
      )
      const names: Array<string> = []
      const commit = Effect.suspend(() => {
        names.push(`s${names.length}`)
        return store.commit(put(names.at(-1)!))
      })
      yield* commit
      expect(hasStarted).toBe(false)
      while (!hasStarted) yield* commit
      for (let n = 0; n < 20; n++) yield* commit
      for (const name of names) expect(yield* setting(store, name)).toBe("1")
    }).pipe(Effect.scoped, Effect.runPromise))

  it("waits for a lock on the thread, also before the thread has started, so that a simulated clock need not move", () =>
    Effect.gen(function* () {
      const store = yield* SqliteMailStore.make({ filename: file() })
      const other = new Database(file())
      other.exec("BEGIN IMMEDIATE")
      const waiting = yield* Effect.forkChild(store.commit(put("a")))
      yield* store.commitThreadStarted
      expect(waiting.pollUnsafe()).toBeUndefined()
      other.exec("ROLLBACK")
      other.close()
      yield* Fiber.join(waiting)
      expect(yield* setting(store, "a")).toBe("1")
    }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise))

  it("reads each commit after it is acknowledged", () =>
    inStore((store) =>
      Effect.gen(function* () {
        for (let n = 0; n < 50; n++) {
          yield* store.commit(put(`s${n}`))
          expect(yield* setting(store, `s${n}`)).toBe("1")
        }
      })
    ))

  it("leaves the event loop free while another connection has the lock, and commits when the lock is released", () =>
    inStore((store) =>
      Effect.gen(function* () {
        yield* store.commit(put("before"))
        const other = new Database(file())
        other.exec("BEGIN IMMEDIATE")
        const waiting = yield* Effect.forkChild(store.commit(put("a")))
        // Long enough for the thread to meet the lock. The event loop turns many times meanwhile.
        const lockedUntil = performance.now() + 50
        let turnCount = 0
        yield* until(() => ++turnCount > 200 && performance.now() > lockedUntil)
        expect(waiting.pollUnsafe()).toBeUndefined()
        expect(yield* setting(store, "before")).toBe("1")
        other.exec("ROLLBACK")
        other.close()
        yield* Fiber.join(waiting)
        expect(yield* setting(store, "a")).toBe("1")
        expect(store.groupCounts().lockedMillis).toBeGreaterThan(0)
      })
    ))

  it("fails the commits of a thread that dies with StoreUnavailable, keeps what was acknowledged, and starts another thread", () =>
    inStore((store) =>
      Effect.gen(function* () {
        const acknowledged: Array<string> = []
        for (let round = 0; round < 5; round++) {
          const commits = Array.from({ length: 40 }, (_, n) => {
            const name = `s${round}_${n}`
            return Effect.tap(store.commit(put(name)), () => Effect.sync(() => acknowledged.push(name)))
          })
          const fiber = yield* Effect.forkChild(Effect.forEach(commits, Effect.result, { concurrency: 8 }))
          const count = acknowledged.length
          yield* until(() => acknowledged.length > count)
          for (const thread of threads) yield* Effect.promise(() => thread.terminate())
          const failures = (yield* Fiber.join(fiber)).flatMap((result) =>
            Result.isFailure(result) ? [result.failure] : []
          )
          for (const failure of failures)
            expect(failure).toMatchObject({ _tag: "StoreUnavailable", reason: "unreachable" })
        }
        for (const name of acknowledged) expect(yield* setting(store, name)).toBe("1")
        yield* store.commit(put("after"))
        expect(yield* setting(store, "after")).toBe("1")
        expect(threads.size).toBe(1)
      })
    ))

  it("acknowledges no commit after the file was replaced, also when the thread starts again", () =>
    inStore((store) =>
      Effect.gen(function* () {
        yield* store.commit(put("a"))
        for (const suffix of ["", "-wal", "-shm"]) renameSync(`${file()}${suffix}`, `${file()}${suffix}.away`)
        expect(yield* Effect.flip(store.commit(put("b")))).toMatchObject({ reason: "unreachable" })
        for (const thread of threads) yield* Effect.promise(() => thread.terminate())
        expect(yield* Effect.flip(store.commit(put("c")))).toMatchObject({ reason: "unreachable" })
      })
    ))

  it("fails commits with StoreUnavailable when the thread starts again after a newer Mailkeep has migrated the file", () =>
    inStore((store) =>
      Effect.gen(function* () {
        const other = new Database(file())
        other.exec("UPDATE mailkeep_schema SET version = version + 1")
        other.close()
        for (const thread of threads) yield* Effect.promise(() => thread.terminate())
        expect(yield* Effect.flip(store.commit(put("a")))).toMatchObject({
          _tag: "StoreUnavailable",
          reason: "newer_schema",
          message: "This store was written by a newer Mailkeep. Stop this process, and start it with that version.",
          isRetryable: false
        })
        expect(yield* setting(store, "a")).toBeNull()
      })
    ))

  it("ends with the store, and leaves no write-ahead log behind", async () => {
    const scope = Effect.runSync(Scope.make())
    const store = await Effect.runPromise(Scope.provide(makeStarted({ filename: file() }), scope))
    await Effect.runPromise(store.commit(put("a")))
    expect(threads.size).toBe(1)
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await Effect.runPromise(until(() => threads.size === 0))
    expect(() => renameSync(`${file()}-wal`, `${file()}-wal.away`)).toThrow("ENOENT")
  })

  it("reports the commits of another connection, and not its own", () =>
    inStore((store) =>
      Effect.gen(function* () {
        const seen: Array<void> = []
        const watching = yield* Effect.forkChild(
          Stream.runForEach(store.commitsOfOtherProcesses, () => Effect.sync(() => seen.push(undefined)))
        )
        yield* store.commit(put("own"))
        yield* Effect.sleep("1100 millis")
        expect(seen).toHaveLength(0)
        const other = new Database(file())
        other.exec("INSERT INTO mailkeep_settings (name, value) VALUES ('foreign', '1')")
        other.close()
        yield* until(() => seen.length > 0)
        yield* Fiber.interrupt(watching)
      })
    ))
})
