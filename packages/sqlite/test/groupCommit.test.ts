import type { Change } from "@mailkeep/core/adapter"
import Database from "better-sqlite3"
import { Effect, Exit, Fiber, Metric, Result, Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { SqliteMailStore as Store } from "../src/SqliteMailStore.ts"
import { filesOfEachTest, put } from "./openedFile.ts"
import { makeStarted } from "./startedStore.ts"

const { file } = filesOfEachTest()

const commitThreads = ["worker", "caller"] as const
type CommitThread = (typeof commitThreads)[number]

const open = (commitThread: CommitThread) => makeStarted({ filename: file(), commitThread })

const inStoreOf =
  (commitThread: CommitThread) =>
  <A, E>(test: (store: Store["Service"]) => Effect.Effect<A, E>) =>
    Effect.runPromise(Effect.scoped(Effect.flatMap(open(commitThread), test)))

const setting = (store: Store["Service"], name: string) =>
  Effect.map(store.read([{ _tag: "Setting", name }]), ([value]) => value)

describe.each(commitThreads)("concurrent commits on the %s thread", (commitThread) => {
  const inStore = inStoreOf(commitThread)

  it("runs concurrent commits in one transaction with one disk sync", () =>
    inStore((store) =>
      Effect.gen(function* () {
        yield* Effect.forEach(
          Array.from({ length: 1000 }, (_, i) => `s${i}`),
          (name) => store.commit(put(name)),
          {
            concurrency: 64,
            discard: true
          }
        )
        const { groups, writes } = store.groupCounts()
        expect(writes).toBe(1000)
        // A batch has up to 8 writes. How many batches share a transaction depends on the disk.
        expect(groups).toBeLessThanOrEqual(1000 / 5)
      })
    ))

  it("lets the event loop turn between the commits of one caller", () =>
    inStore((store) =>
      Effect.gen(function* () {
        let hasTurned = false
        setImmediate(() => (hasTurned = true))
        let count = 0
        while (!hasTurned && count < 100) yield* store.commit(put(`s${count++}`))
        expect(hasTurned).toBe(true)
      })
    ))

  it("measures the writes and the disk sync of each transaction", () => {
    const histogram = (name: string) =>
      Effect.map(Metric.snapshot, (all) => all.find(({ id }) => id === name)?.state as Metric.HistogramState)
    return Effect.runPromise(
      Effect.gen(function* () {
        const store = yield* open(commitThread)
        yield* Effect.forEach(
          Array.from({ length: 100 }, (_, i) => `s${i}`),
          (name) => store.commit(put(name)),
          { concurrency: 50, discard: true }
        )
        const { groups } = store.groupCounts()
        expect(yield* histogram("mailkeep_store_group_writes")).toMatchObject({ count: groups, sum: 100 })
        const syncs = yield* histogram("mailkeep_store_sync_seconds")
        expect(syncs.count).toBe(groups)
        expect(syncs.min).toBeGreaterThan(0)
        expect(syncs.max).toBeLessThan(30)
      }).pipe(Effect.scoped, Effect.provideService(Metric.MetricRegistry, new Map()))
    )
  })

  it("keeps or undoes each concurrent commit separately", () =>
    inStore((store) =>
      Effect.gen(function* () {
        yield* store.commit(put("taken"))
        const scripts = [put("a"), [...put("b"), ...put("taken")], put("c"), put("taken")]
        const answers = yield* Effect.all(
          scripts.map((changes) => Effect.result(store.commit(changes))),
          { concurrency: "unbounded" }
        )
        expect(answers.map(Result.isSuccess)).toEqual([true, false, true, false])
        expect(answers.flatMap((answer) => (Result.isFailure(answer) ? [answer.failure] : []))).toMatchObject([
          { _tag: "Conflict", at: 1, change: "PutSetting", reason: "AlreadyExists" },
          { _tag: "Conflict", at: 0, reason: "AlreadyExists" }
        ])
        expect(yield* Effect.forEach(["a", "b", "c"], (name) => setting(store, name))).toEqual(["1", null, "1"])
      })
    ))

  it("keeps a concurrent commit when another commit of its group has a bug", () =>
    inStore((store) =>
      Effect.gen(function* () {
        const broken = [
          {
            _tag: "PutProject",
            project: { id: "p", onAmbiguous: "nonsense", createdAt: 1, revision: 1 },
            replaces: null
          }
        ]
        const [mistake, fine] = yield* Effect.all(
          [Effect.exit(store.commit(broken as never)), Effect.exit(store.commit(put("fine")))],
          { concurrency: "unbounded" }
        )
        expect(Exit.isFailure(mistake) && mistake.cause.reasons[0]?._tag).toBe("Die")
        expect(Exit.isSuccess(fine)).toBe(true)
      })
    ))

  it("accepts a commit with contents that are larger than the queue, and another one at the same time", () =>
    inStore((store) =>
      Effect.gen(function* () {
        const part = new Uint8Array(256 * 1024)
        const withContent = (hash: string, length: number): ReadonlyArray<Change> => [
          { _tag: "PutContent", projectId: "p", hash, chunks: Array.from({ length }, () => part) }
        ]
        yield* Effect.all([store.commit(withContent("h1", 260)), store.commit(withContent("h2", 8))], {
          concurrency: "unbounded"
        })
        const parts = yield* store.read([
          { _tag: "ContentChunk", projectId: "p", hash: "h1", chunk: 259 },
          { _tag: "ContentChunk", projectId: "p", hash: "h1", chunk: 260 },
          { _tag: "ContentChunk", projectId: "p", hash: "h2", chunk: 7 }
        ])
        expect(parts.map((one) => one?.length)).toEqual([part.length, undefined, part.length])
      })
    ))

  it("counts the bodies of rewritten messages, so that a large rewrite is refused while another waits", () =>
    inStore((store) =>
      Effect.gen(function* () {
        const message = { id: "msg_1", html: "x".repeat(7 * 1024 * 1024), text: null }
        const rewrite = { _tag: "RewriteRecord", before: { kind: "Message", record: message } } as const
        const commits = [
          [{ ...rewrite, after: { kind: "Message", record: message } }],
          [{ ...rewrite, after: { kind: "Message", record: message } }]
        ] as unknown as ReadonlyArray<ReadonlyArray<Change>>
        const answers = yield* Effect.all(
          commits.map((changes) => Effect.result(store.commit(changes))),
          { concurrency: "unbounded" }
        )
        expect(answers).toMatchObject([
          { failure: { _tag: "Conflict" } },
          { failure: { _tag: "StoreUnavailable", reason: "overloaded" } }
        ])
      })
    ))

  it("refuses commits when too many wait, and keeps none of the refused", () =>
    inStore((store) =>
      Effect.gen(function* () {
        const answers = yield* Effect.forEach(
          Array.from({ length: 9000 }, (_, i) => i),
          (i) => Effect.result(store.commit(put(`s${i}`))),
          {
            concurrency: "unbounded"
          }
        )
        const refused = answers.flatMap((answer, i) => (Result.isFailure(answer) ? [i] : []))
        expect(refused.length).toBeGreaterThan(0)
        for (const i of refused)
          expect(answers[i]).toMatchObject({ failure: { _tag: "StoreUnavailable", reason: "overloaded" } })
        const kept = yield* store.read(refused.map((i) => ({ _tag: "Setting", name: `s${i}` }) as const))
        expect(new Set(kept)).toEqual(new Set([null]))
      })
    ))
})

describe.each(commitThreads)("closing with commits on the %s thread", (commitThread) => {
  const inStore = inStoreOf(commitThread)

  it("finishes waiting commits when the store closes, and refuses later calls", async () => {
    const scope = Effect.runSync(Scope.make())
    const store = await Effect.runPromise(Scope.provide(open(commitThread), scope))
    const waiting = Array.from({ length: 300 }, (_, i) => Effect.runFork(store.commit(put(`s${i}`))))
    await Effect.runPromise(Scope.close(scope, Exit.void))
    for (const fiber of waiting) await Effect.runPromise(Fiber.join(fiber))
    expect(await Effect.runPromise(Effect.flip(store.commit(put("late"))))).toMatchObject({ reason: "closed" })
    expect(await Effect.runPromise(Effect.flip(store.read([{ _tag: "Projects" }])))).toMatchObject({ reason: "closed" })
    await inStore((again) => Effect.map(setting(again, "s299"), (value) => expect(value).toBe("1")))
  })
})

describe("another connection", () => {
  it("waits five seconds on the event loop for a lock of another connection, then refuses the commit", async () => {
    const test = Effect.scoped(
      Effect.gen(function* () {
        const store = yield* open("caller")
        const other = new Database(file())
        other.exec("BEGIN IMMEDIATE")
        const waiting = yield* Effect.forkChild(Effect.result(store.commit(put("a"))))
        for (let i = 0; i < 20; i++) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        yield* TestClock.adjust("4 seconds")
        expect(waiting.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust("2 seconds")
        expect(yield* Fiber.join(waiting)).toMatchObject({ failure: { _tag: "StoreUnavailable", reason: "locked" } })
        other.exec("ROLLBACK")
        yield* store.commit(put("a"))
        other.close()
      })
    )
    await Effect.runPromise(Effect.provide(test, TestClock.layer()))
  })
})
