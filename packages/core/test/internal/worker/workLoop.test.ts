import { eventLoopTurns, hasEndedAfter } from "@mailkeep/test-support/eventLoop"
import { Deferred, Effect, Fiber, Latch, Logger, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { StoreUnavailable } from "../../../src/index.ts"
import type { StartWork } from "../../../src/internal/worker/workLoop.ts"
import { makeWorkGroup, runTogether, runWorkLoop } from "../../../src/internal/worker/workLoop.ts"
import type { MailStoreShape } from "../../../src/port/MailStore.ts"

/** A store without commits of other processes. */
const store = { commitsOfOtherProcesses: Stream.never } as Partial<MailStoreShape> as MailStoreShape

type WorkLoop = Parameters<typeof runWorkLoop>[0]

/** Starts a loop without a lease, a wake-up and a grace time, unless the options have them. */
const startLoop = (options: Pick<WorkLoop, "makeTurn"> & Partial<WorkLoop>) =>
  Effect.forkChild(
    runWorkLoop({ name: "The dispatcher", graceMillis: 0, store, lease: null, wakeUp: null, ...options })
  )

const wakeUpBy = (latch: Latch.Latch): WorkLoop["wakeUp"] => ({
  notify: latch.open,
  notifyOf: () => latch.open,
  subscribe: Effect.succeed({ latch, takeNews: () => "any" })
})

/** Runs a loop for `seconds`, and returns its log lines and the number of its turns. */
const run = (seconds: number, turn: (n: number) => Effect.Effect<number, StoreUnavailable>) => {
  const lines: Array<unknown> = []
  let turns = 0
  const logger = Logger.make(({ message }) => void lines.push(message))
  return Effect.gen(function* () {
    const loop = yield* startLoop({
      makeTurn: () => Effect.suspend(() => turn(turns++))
    })
    yield* TestClock.adjust(`${seconds} seconds`)
    yield* Fiber.interrupt(loop)
    return { lines, turns }
  }).pipe(Effect.provide([TestClock.layer(), Logger.layer([logger])]), Effect.runPromise)
}

describe("runWorkLoop", () => {
  it("logs one line every 10 s with the number of failed turns", async () => {
    const { lines, turns } = await run(60, () => Effect.fail(new StoreUnavailable({ reason: "full" })))
    expect(turns).toBe(61)
    expect(lines).toEqual([
      ["The dispatcher waits for the store.", { reason: "full" }],
      ...Array.from({ length: 5 }, () => ["The dispatcher waits for the store.", { reason: "full", failures: 10 }])
    ])
  })

  it("logs what to do when the store says so", async () => {
    const detail = "The file of the store is damaged. Restore a backup."
    const { lines } = await run(1, () => Effect.fail(new StoreUnavailable({ reason: "unreachable", detail })))
    expect(lines).toEqual([["The dispatcher waits for the store.", { reason: "unreachable", detail }]])
  })

  it("logs each reason separately, also a defect", async () => {
    const { lines } = await run(9, (n) =>
      n % 3 === 0
        ? Effect.die(new TypeError("a mistake"))
        : Effect.fail(new StoreUnavailable({ reason: n % 3 === 1 ? "full" : "locked" }))
    )
    expect(lines).toEqual([
      ["The dispatcher failed and continues.", { reason: "TypeError" }],
      ["The dispatcher waits for the store.", { reason: "full" }],
      ["The dispatcher waits for the store.", { reason: "locked" }]
    ])
  })

  it("logs no address from the name of a defect", async () => {
    const { lines } = await run(1, () =>
      Effect.die(Object.assign(new RangeError(), { name: "No mail for ada@example.org" }))
    )
    expect(lines).toEqual([["The dispatcher failed and continues.", { reason: "RangeError" }]])
  })

  it("waits the time that a turn returns, and starts the next turn at once after 0", async () => {
    const { turns } = await run(60, (n) => Effect.succeed(n % 3 === 0 ? 20_000 : 0))
    // The turns start at 0, 20 (three), 40 (three) and 60 seconds (three). The first turn of each three waits.
    expect(turns).toBe(10)
  })

  it("wakes after a wake-up, after the end of started work, and after a commit of another process", () =>
    Effect.gen(function* () {
      const latch = Latch.makeUnsafe(true)
      const commits = yield* Queue.unbounded<void>()
      const workEnds = yield* Deferred.make<void>()
      let turns = 0
      const loop = yield* startLoop({
        store: { commitsOfOtherProcesses: Stream.fromQueue(commits) } as unknown as MailStoreShape,
        wakeUp: wakeUpBy(latch),
        makeTurn: (start) =>
          Effect.gen(function* () {
            if (turns++ === 0) yield* start(Deferred.await(workEnds))
            return 1e9
          })
      })
      const turnsAfter = (act: Effect.Effect<unknown>) =>
        Effect.map(Effect.andThen(act, eventLoopTurns(10)), () => turns)
      expect(yield* turnsAfter(Effect.void)).toBe(1)
      expect(yield* turnsAfter(latch.open)).toBe(2)
      expect(yield* turnsAfter(Deferred.succeed(workEnds, undefined))).toBe(3)
      expect(yield* turnsAfter(Queue.offer(commits, undefined))).toBe(4)
      yield* Fiber.interrupt(loop)
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))

  it("starts the next turn at once when a wake-up comes while a turn runs", () =>
    Effect.gen(function* () {
      const latch = Latch.makeUnsafe(true)
      let turns = 0
      const loop = yield* startLoop({
        wakeUp: wakeUpBy(latch),
        makeTurn: () => Effect.suspend(() => Effect.as(turns++ === 0 ? latch.open : Effect.void, 1e9))
      })
      yield* eventLoopTurns(10)
      expect(turns).toBe(2)
      yield* Fiber.interrupt(loop)
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))

  it.each([
    ["ends before the grace time", 3000, 2000, ["work ended", "lease ended"]],
    ["does not end in the grace time", 1000, 2000, ["work interrupted", "lease ended"]]
  ] as const)("waits for work that %s, and then ends the lease", (_, graceMillis, workMillis, expected) =>
    Effect.gen(function* () {
      const happened: Array<string> = []
      const note = (what: string) => Effect.sync(() => happened.push(what))
      const work = Effect.andThen(Effect.sleep(workMillis), note("work ended"))
      const loop = yield* startLoop({
        graceMillis,
        lease: { heartbeat: Effect.never, release: Effect.asVoid(note("lease ended")) },
        makeTurn: (start) => Effect.as(start(Effect.onInterrupt(work, () => note("work interrupted"))), 1e9)
      })
      yield* eventLoopTurns(10)
      const ending = yield* Effect.forkChild(Fiber.interrupt(loop), { startImmediately: true })
      yield* eventLoopTurns(10)
      expect(happened).toEqual([])
      yield* TestClock.adjust(`${Math.min(graceMillis, workMillis)} millis`)
      yield* eventLoopTurns(10)
      yield* Fiber.join(ending)
      expect(happened).toEqual(expected)
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)
  )

  it.each([
    ["the end of the lease", Effect.void, Effect.never, 2000],
    ["the outcome of interrupted work", Effect.uninterruptible(Effect.never), Effect.void, 5000]
  ] as const)("ends without an answer of the store to %s", (_, work, release, endsAfterMillis) =>
    Effect.gen(function* () {
      const loop = yield* startLoop({
        lease: { heartbeat: Effect.never, release },
        makeTurn: (start) => Effect.as(start(work), 1e9)
      })
      yield* eventLoopTurns(10)
      const ending = yield* Effect.forkChild(Fiber.interrupt(loop), { startImmediately: true })
      expect(yield* hasEndedAfter(ending, 0)).toBe(false)
      expect(yield* hasEndedAfter(ending, endsAfterMillis - 1)).toBe(false)
      expect(yield* hasEndedAfter(ending, 1)).toBe(true)
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)
  )
})

describe("makeWorkGroup", () => {
  it("counts the work under way until it ends", () =>
    Effect.gen(function* () {
      const ends = yield* Deferred.make<void>()
      const startWork: StartWork = (work) => Effect.forkChild(work, { startImmediately: true })
      const group = makeWorkGroup(2)
      yield* group.start(startWork, Deferred.await(ends))
      expect(group.free()).toBe(1)
      yield* group.start(startWork, Effect.never)
      expect(group.free()).toBe(0)
      yield* Deferred.succeed(ends, undefined)
      yield* eventLoopTurns(10)
      expect(group.free()).toBe(1)
    }).pipe(Effect.runPromise))
})

describe("runTogether", () => {
  it("waits for the work on the rows of a claim before it fails with the next claim", () =>
    Effect.gen(function* () {
      const happened: Array<string> = []
      const work = Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => happened.push("work ended"))
      )
      const failure = yield* Effect.flip(
        runTogether((start) => Effect.andThen(start(work), Effect.fail(new StoreUnavailable({ reason: "full" }))))
      )
      expect([...happened, failure.reason]).toEqual(["work ended", "full"])
    }).pipe(Effect.runPromise))
})
