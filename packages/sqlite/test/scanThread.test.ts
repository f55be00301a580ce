import { copyFileSync, readdirSync, renameSync, rmSync } from "node:fs"
import { getPriority, platform } from "node:os"
import type { Worker } from "node:worker_threads"
import type { ContactRecord, QueryOf } from "@mailkeep/core/adapter"
import { noContactFilters } from "@mailkeep/core/adapter"
import { Effect, Exit, Fiber, Scope } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { SqliteMailStore as Store } from "../src/SqliteMailStore.ts"
import { SqliteMailStore } from "../src/index.ts"
import { fileIdentityOf } from "../src/internal/fileCheck.ts"
import { makeScanThread } from "../src/internal/thread/scanThread.ts"
import { makeLargeFile } from "./largeFile.ts"
import { filesOfEachTest } from "./openedFile.ts"

const { file } = filesOfEachTest()
beforeEach(() => makeLargeFile(file()))

const inStore = <A, E>(test: (store: Store["Service"]) => Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(SqliteMailStore.make({ filename: file() }), test)))

const contactAt = (n: number): ContactRecord => ({
  id: `con_${String(n).padStart(5, "0")}`,
  projectId: "prj_a",
  email: `c${n}@x.example`,
  address: `c${n}@x.example`,
  userId: null,
  firstName: "Ada",
  lastName: "",
  phoneNumber: null,
  emailStatus: "subscribed",
  source: "manual",
  properties: {},
  listIds: [],
  createdAt: n,
  updatedAt: n,
  revision: 1
})

const seed = (store: Store["Service"], count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, n) => n),
    (n) => store.commit([{ _tag: "PutContact", contact: contactAt(n), replaces: null }]),
    { concurrency: 200, discard: true }
  )

const scan = (search: string): QueryOf<"ContactScan"> => ({
  _tag: "ContactScan",
  projectId: "prj_a",
  filters: { ...noContactFilters, search },
  after: null,
  skip: 0,
  limit: 2,
  scanLimit: 10_000
})

const setting = { _tag: "Setting", name: "a" } as const

describe("makeScanThread", () => {
  const seen = { started: 0, ended: 0 }
  const onWorker = (worker: Worker) => {
    seen.started++
    worker.once("exit", () => seen.ended++)
  }
  afterEach(() => void process.off("worker", onWorker))

  /** Counts the contacts by a scan thread, lets the thread become idle and end, and counts again. */
  const countTwice = (meanwhile: () => void) =>
    Effect.gen(function* () {
      Object.assign(seen, { started: 0, ended: 0 })
      process.on("worker", onWorker)
      const { read } = yield* makeScanThread({ filename: file(), identity: fileIdentityOf(file()) }, 50)
      const count = Effect.map(read([scan("ad")]), ([answer]) => (answer as { readonly matches: number }).matches)
      const first = yield* count
      yield* Effect.promise(() => expect.poll(() => seen.ended).toBe(1))
      meanwhile()
      return [first, yield* count]
    }).pipe(Effect.scoped)

  it("ends the scan thread when it is idle, and starts another with the next query", async () => {
    const counts = await inStore((store) =>
      Effect.andThen(
        seed(store, 1),
        countTwice(() => {})
      )
    )
    expect([counts, seen.started]).toEqual([[1, 1], 2])
  })

  it("reads no other file that took the place of the store while the thread was idle", async () => {
    const replaceFile = () => {
      copyFileSync(file(), `${file()}.copy`)
      renameSync(`${file()}.copy`, file())
    }
    const failure = await inStore((store) => Effect.andThen(seed(store, 1), Effect.flip(countTwice(replaceFile))))
    expect(failure).toMatchObject({
      reason: "unreachable",
      cause: { message: expect.stringContaining("was moved, deleted or replaced") }
    })
  })
})

describe("the scan thread", () => {
  it("answers a scan while the event loop answers other queries", () =>
    inStore((store) =>
      Effect.gen(function* () {
        yield* seed(store, 2000)
        const finished: Array<string> = []
        const note = (name: string) => Effect.sync(() => finished.push(name))
        const twenty = Effect.forEach(Array.from({ length: 20 }), () => store.read([scan("q")]))
        const scans = yield* Effect.forkChild(Effect.tap(twenty, () => note("scans")))
        yield* Effect.yieldNow
        yield* Effect.tap(store.read([setting]), () => note("setting"))
        const answers = yield* Fiber.join(scans)
        expect(answers[0]).toEqual([{ items: [], matches: 0, next: null }])
        expect(finished).toEqual(["setting", "scans"])
      })
    ))

  it("sees every commit that was acknowledged before the scan was requested", () =>
    inStore((store) =>
      Effect.gen(function* () {
        for (let n = 0; n < 20; n++) {
          yield* store.commit([{ _tag: "PutContact", contact: contactAt(n), replaces: null }])
          const [{ matches }] = yield* store.read([scan("da")])
          expect(matches).toBe(n + 1)
        }
      })
    ))

  it.runIf(platform() === "linux")("yields the processor to every other thread of the process", () =>
    inStore((store) =>
      Effect.gen(function* () {
        yield* seed(store, 1)
        yield* store.read([scan("ad")])
        const priorities = readdirSync("/proc/self/task").map((thread) => getPriority(Number(thread)))
        expect(priorities.filter((priority) => priority > 0)).toEqual([10])
      })
    )
  )

  it("answers all queries of one read from one state", () =>
    inStore((store) =>
      Effect.gen(function* () {
        const putBoth = (n: number) =>
          store.commit([
            { _tag: "PutContact", contact: contactAt(n), replaces: null },
            { _tag: "AddToCounter", projectId: "prj_a", name: "contacts", by: 1, max: null }
          ])
        const writing = yield* Effect.forkChild(
          Effect.forEach(
            Array.from({ length: 200 }, (_, n) => n),
            putBoth
          )
        )
        for (let round = 0; round < 50; round++) {
          const [{ matches }, [count]] = yield* store.read([
            scan("da"),
            { _tag: "Counters", projectId: "prj_a", names: ["contacts"] }
          ])
          expect(matches).toBe(count)
        }
        yield* Fiber.join(writing)
      })
    ))

  it("fails with StoreUnavailable when the scan thread dies, and starts another with the next scan", () =>
    inStore((store) =>
      Effect.gen(function* () {
        renameSync(file(), `${file()}.away`)
        expect(yield* Effect.flip(store.read([scan("da")]))).toMatchObject({ reason: "unreachable" })
        renameSync(`${file()}.away`, file())
        expect(yield* store.read([scan("da")])).toMatchObject([{ matches: 0 }])
      })
    ))

  it("is not started before the file is larger than 1 MiB", async () => {
    rmSync(file())
    let started = 0
    const onWorker = () => void started++
    process.on("worker", onWorker)
    const search = Effect.gen(function* () {
      const store = yield* SqliteMailStore.make({ filename: file(), commitThread: "caller" })
      const startedAfter = (kilobytes: number) =>
        Effect.gen(function* () {
          yield* store.commit([
            { _tag: "PutSetting", name: `filler ${kilobytes}`, value: "x".repeat(kilobytes * 1024) }
          ])
          const [{ matches }] = yield* store.read([scan("da")])
          return [matches, started]
        })
      yield* seed(store, 3)
      expect(yield* startedAfter(500)).toEqual([3, 0])
      expect(yield* startedAfter(600)).toEqual([3, 1])
    })
    await Effect.runPromise(Effect.scoped(search))
    process.off("worker", onWorker)
  })

  it("refuses waiting scans when the store closes", async () => {
    const scope = Effect.runSync(Scope.make())
    const store = await Effect.runPromise(Scope.provide(SqliteMailStore.make({ filename: file() }), scope))
    const waiting = Effect.runFork(Effect.flip(store.read([scan("da")])))
    await Effect.runPromise(Scope.close(scope, Exit.void))
    expect(await Effect.runPromise(Fiber.join(waiting))).toMatchObject({ reason: "closed" })
    expect(await Effect.runPromise(Effect.flip(store.read([scan("da")])))).toMatchObject({ reason: "closed" })
  })
})
