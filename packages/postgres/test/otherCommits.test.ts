/**
 * When a process asks for the commits of others. The clock of a test and a number of the test replace the time and the server.
 */
import { Effect, Latch, Stream } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { makeOtherCommits } from "../src/internal/otherCommits.ts"
import { noStep } from "../src/internal/write/commitTransactions.ts"

/** Waits until everything that is due has ended. Nothing here waits for a server. */
const settle = Effect.promise(async () => {
  for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve))
})

const stepMillis = 10

interface Reader {
  readonly hint: Latch.Latch
  /** Another process commits. */
  readonly commit: Effect.Effect<void>
  /** The server is replaced by one that lacks so many of the last commits. */
  readonly loseCommits: (count: number) => Effect.Effect<void>
  readonly pollCount: () => number
  readonly emissionCount: () => number
  /** Moves the clock over so many polls. Returns the milliseconds before each. */
  readonly intervals: (count: number) => Effect.Effect<ReadonlyArray<number>>
}

/** A process that reads the stream. */
const withReader = <A>(use: (reader: Reader) => Effect.Effect<A>): Promise<A> =>
  Effect.runPromise(
    Effect.gen(function* () {
      let [commits, polls, emissions] = [0, 0, 0]
      const hint = yield* Latch.make()
      const others = () => {
        polls++
        return Promise.resolve(commits)
      }
      const stream = yield* makeOtherCommits({ take: noStep, others }, hint)
      yield* Effect.forkScoped(Stream.runForEach(stream, () => Effect.sync(() => void emissions++)))
      yield* settle
      const interval = Effect.gen(function* () {
        const before = polls
        let millis = 0
        for (; polls === before && millis < 5000; millis += stepMillis) {
          yield* TestClock.adjust(stepMillis)
          yield* settle
        }
        return millis
      })
      return yield* use({
        hint,
        commit: Effect.sync(() => void commits++),
        loseCommits: (count) => Effect.sync(() => void (commits -= count)),
        pollCount: () => polls,
        emissionCount: () => emissions,
        intervals: (count) => Effect.forEach(Array.from({ length: count }), () => interval)
      })
    }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))
  )

describe("makeOtherCommits", () => {
  it("asks more and more seldom while no other process commits, down to once in a second", async () => {
    const idle = await withReader(({ intervals }) => intervals(7))
    expect(idle).toEqual([100, 200, 400, 800, 1000, 1000, 1000])
  })

  it("asks soon after a commit of another process, and then more and more seldom again", async () => {
    const result = await withReader(({ commit, emissionCount, intervals }) =>
      Effect.gen(function* () {
        yield* intervals(6)
        yield* commit
        const found = yield* intervals(1)
        const emittedOnce = emissionCount()
        // A pause of 50 ms follows each emission.
        const after = yield* intervals(6)
        return { found, emittedOnce, after }
      })
    )
    expect(result).toEqual({ found: [1000], emittedOnce: 1, after: [150, 250, 450, 850, 1050, 1000] })
  })

  it("emits again for 1.7 s, because a slow disk or standby can delay a commit whose number was taken", async () => {
    const emitted = await withReader(({ commit, emissionCount, intervals }) =>
      Effect.gen(function* () {
        yield* commit
        const counts: Array<number> = []
        for (let polls = 0; polls < 8; polls++) {
          yield* intervals(1)
          counts.push(emissionCount())
        }
        return counts
      })
    )
    expect(emitted).toEqual([1, 2, 3, 4, 5, 5, 5, 5])
  })

  it("asks and emits at most every 150 ms while another process commits all the time", async () => {
    const result = await withReader(({ commit, emissionCount, intervals }) =>
      Effect.gen(function* () {
        const busy = yield* Effect.forEach(Array.from({ length: 5 }), () => Effect.andThen(commit, intervals(1)))
        return { busy: busy.flat(), emitted: emissionCount() }
      })
    )
    expect(result).toEqual({ busy: [100, 150, 150, 150, 150], emitted: 5 })
  })

  it("asks at once after a notification, although no time passes", async () => {
    const result = await withReader(({ commit, emissionCount, hint, intervals, pollCount }) =>
      Effect.gen(function* () {
        yield* intervals(6)
        const before = pollCount()
        yield* commit
        yield* hint.open
        yield* settle
        return { polls: pollCount() - before, emitted: emissionCount() }
      })
    )
    expect(result).toEqual({ polls: 1, emitted: 1 })
  })

  it("emits after a commit although the server was replaced by one that lacks many commits", async () => {
    const result = await withReader(({ commit, emissionCount, intervals, loseCommits }) =>
      Effect.gen(function* () {
        for (let commits = 0; commits < 1000; commits++) yield* commit
        yield* intervals(3)
        yield* loseCommits(500)
        yield* intervals(3)
        const before = emissionCount()
        yield* commit
        yield* intervals(1)
        return emissionCount() - before
      })
    )
    expect(result).toBe(1)
  })

  it("does not emit while the count is lower for a moment, because this process takes numbers", async () => {
    const result = await withReader(({ commit, emissionCount, intervals, loseCommits }) =>
      Effect.gen(function* () {
        yield* commit
        yield* intervals(6)
        const before = emissionCount()
        yield* loseCommits(1)
        yield* intervals(1)
        yield* commit
        yield* intervals(1)
        return emissionCount() - before
      })
    )
    expect(result).toBe(0)
  })
})
