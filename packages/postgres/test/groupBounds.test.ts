import type { Change } from "@mailkeep/core/adapter"
import { bytesOfChanges } from "@mailkeep/core/adapter/evaluation"
import { eventLoopTurns } from "@mailkeep/test-support/eventLoop"
import { Effect, Exit, Fiber, Metric, Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { heldGroups, put, spend } from "./heldGroups.ts"

const mebibyte = 1024 * 1024

/** A commit of a project with exactly so many bytes. */
const ofBytes = (bytes: number, projectId: string): ReadonlyArray<Change> => {
  const rest = spend(1, 9, projectId)
  const chunk = new Uint8Array(bytes - bytesOfChanges(rest))
  return [...rest, { _tag: "PutContent", projectId: projectId as never, hash: "h", chunks: [chunk] }]
}

const puts = (count: number, name: string) => Array.from({ length: count }, (_, n) => put(`${name}${n}`))

const writeKey: ReadonlyArray<Change> = [
  { _tag: "PutApiKey", key: { projectId: "prj_1", id: "key_1" } as never, replaces: 1 }
]
const readKey: ReadonlyArray<Change> = [
  { _tag: "Expect", record: { kind: "ApiKey", projectId: "prj_1" as never, id: "key_1" as never }, revision: 1 }
]

/** The name of a setting that a commit puts. */
const nameOf = ([change]: ReadonlyArray<Change>) => (change?._tag === "PutSetting" ? change.name : undefined)

/** Three groups are under way, so that the next commits wait. */
const busyGroups = Effect.gen(function* () {
  const held = yield* heldGroups
  yield* held.beginApart(puts(3, "busy"))
  return held
})

const run = <E>(test: Effect.Effect<void, E, Scope.Scope>) =>
  Effect.runPromise(Effect.scoped(Effect.provideService(test, Metric.MetricRegistry, new Map())))

const failureOf = <A, E>(begun: Effect.Effect<Fiber.Fiber<A, E>>) => Effect.flip(Effect.flatMap(begun, Fiber.join))

const overloaded = { _tag: "StoreUnavailable", reason: "overloaded" }

describe("a group", () => {
  it("has the commits of all fibers that are ready before it begins", () =>
    run(
      Effect.gen(function* () {
        const { begin, commit, sizes, endAll } = yield* heldGroups
        const first = yield* begin(put("a"))
        const second = yield* Effect.forkChild(Effect.andThen(Effect.yieldNow, commit(put("b"))), {
          startImmediately: true
        })
        yield* eventLoopTurns(10)
        expect(sizes()).toEqual([2])
        endAll()
        yield* Effect.forEach([first, second], Fiber.join)
      })
    ))

  it("has at most 256 commits", () =>
    run(
      Effect.gen(function* () {
        const { begin, end, sizes, endAll } = yield* busyGroups
        const fibers = yield* Effect.forEach(puts(513, "s"), begin)
        for (const at of [0, 1, 2]) yield* end(at, true)
        expect(sizes()).toEqual([1, 1, 1, 256, 256, 1])
        endAll()
        yield* Effect.forEach(fibers, Fiber.join)
      })
    ))

  it.each([
    ["has commits of at most 8 MiB together", 0, [2]],
    ["leaves a commit to the next group that would make it larger than 8 MiB", 1, [1, 1]]
  ])("%s", (_, more, expected) =>
    run(
      Effect.gen(function* () {
        const { begin, end, sizes, endAll } = yield* busyGroups
        const commits = [ofBytes(3 * mebibyte, "prj_1"), ofBytes(5 * mebibyte + more, "prj_2")]
        const fibers = yield* Effect.forEach(commits, begin)
        for (const at of [0, 1]) yield* end(at, true)
        expect(sizes().slice(3)).toEqual(expected)
        endAll()
        yield* Effect.forEach(fibers, Fiber.join)
      })
    )
  )

  it("has a commit of more than 8 MiB alone", () =>
    run(
      Effect.gen(function* () {
        const { begin, end, sizes, endAll } = yield* busyGroups
        const commits = [ofBytes(9 * mebibyte, "prj_1"), put("a"), put("b")]
        const fibers = yield* Effect.forEach(commits, begin)
        for (const at of [0, 1]) yield* end(at, true)
        expect(sizes().slice(3)).toEqual([1, 2])
        endAll()
        yield* Effect.forEach(fibers, Fiber.join)
      })
    ))

  it("leaves a single commit to another group, which begins at once", () =>
    run(
      Effect.gen(function* () {
        const { begin, sizes, endAll } = yield* heldGroups
        const commits = ["prj_1", "prj_2"].map((project) => ofBytes(5 * mebibyte, project))
        const fibers = yield* Effect.forEach(commits, begin)
        yield* eventLoopTurns(10)
        expect(sizes()).toEqual([1, 1])
        endAll()
        yield* Effect.forEach(fibers, Fiber.join)
      })
    ))

  it.each([
    ["passes over 1023 commits that touch a record of a group under way", 1023, 1],
    ["looks at no more than 1024 commits", 1024, 0]
  ])("%s", (_, passedOver, more) =>
    run(
      Effect.gen(function* () {
        const { begin, beginApart, end, sizes, commitsOf, endAll } = yield* heldGroups
        yield* beginApart([writeKey, ...puts(2, "busy")])
        const commits = [...Array.from({ length: passedOver }, () => readKey), put("late")]
        const fibers = yield* Effect.forEach(commits, begin)
        yield* end(2, true)
        expect(sizes().slice(3)).toEqual(more === 0 ? [] : [1])
        if (more > 0) expect(commitsOf(3).map(nameOf)).toEqual(["late"])
        endAll()
        yield* Effect.forEach(fibers, Fiber.join)
      })
    )
  )
})

describe("the queue", () => {
  it("refuses a commit when 8192 commits wait, and takes others after a group has begun", () =>
    run(
      Effect.gen(function* () {
        const { begin, end, endAll } = yield* busyGroups
        const fibers = yield* Effect.forEach(puts(8192, "s"), begin)
        expect(fibers.filter((fiber) => fiber.pollUnsafe() !== undefined)).toEqual([])
        expect(yield* failureOf(begin(put("refused")))).toMatchObject(overloaded)
        yield* end(0, true)
        fibers.push(...(yield* Effect.forEach(puts(256, "later"), begin)))
        expect(yield* failureOf(begin(put("refused")))).toMatchObject(overloaded)
        endAll()
        yield* Effect.forEach(fibers, Fiber.join)
      })
    ))

  it("refuses a commit when the commits that wait have 64 MiB, and takes others after a group has begun", () =>
    run(
      Effect.gen(function* () {
        const { begin, end, endAll } = yield* busyGroups
        const half = (projectId: string) => ofBytes(32 * mebibyte, projectId)
        const oneByte: ReadonlyArray<Change> = [
          { _tag: "PutContent", projectId: "prj_9" as never, hash: "h", chunks: [new Uint8Array(1)] }
        ]
        const fibers = yield* Effect.forEach([half("prj_1"), half("prj_2")], begin)
        expect(yield* failureOf(begin(oneByte))).toMatchObject(overloaded)
        yield* end(0, true)
        fibers.push(yield* begin(half("prj_3")))
        expect(yield* failureOf(begin(oneByte))).toMatchObject(overloaded)
        endAll()
        yield* Effect.forEach(fibers, Fiber.join)
      })
    ))

  it("takes a commit behind blocked ones of its project while many of other projects wait", () =>
    run(
      Effect.gen(function* () {
        const { begin, beginApart, end, endAll, texts } = yield* heldGroups
        const fibers = [...(yield* beginApart([spend(1, 9, "prj_1"), ...puts(2, "busy")]))]
        yield* end(0, false)
        expect(texts().slice(3)).toEqual(["prj_1: 5s"])
        fibers.push(...(yield* Effect.forEach(puts(4096, "other"), begin)))
        const behind = yield* begin(spend(1, 9, "prj_1"))
        expect(behind.pollUnsafe()).toBeUndefined()
        endAll()
        yield* Effect.forEach([...fibers, behind], Fiber.join)
      })
    ))

  it("has the bytes of a commit again that did not get its lock in a short time", () =>
    run(
      Effect.gen(function* () {
        const { begin, beginApart, end, endAll, texts } = yield* heldGroups
        const commits = [spend(1, 9, "prj_1"), spend(1, 9, "prj_2"), ofBytes(32 * mebibyte, "prj_3")]
        const fibers = [...(yield* beginApart(commits))]
        for (const at of [0, 1, 2]) yield* end(at, false)
        // Only two groups may wait long for their locks.
        expect(texts().slice(3)).toEqual(["prj_1: 5s", "prj_2: 5s"])
        expect(yield* failureOf(begin(ofBytes(32 * mebibyte + 1, "prj_4")))).toMatchObject(overloaded)
        fibers.push(yield* begin(ofBytes(32 * mebibyte, "prj_4")))
        endAll()
        yield* Effect.forEach(fibers, Fiber.join)
      })
    ))

  it("takes a commit that is larger than the queue when no other waits", () =>
    run(
      Effect.gen(function* () {
        const { begin, endAll } = yield* busyGroups
        const fiber = yield* begin(ofBytes(65 * mebibyte, "prj_1"))
        expect(fiber.pollUnsafe()).toBeUndefined()
        expect(yield* failureOf(begin(put("refused")))).toMatchObject(overloaded)
        endAll()
        yield* Fiber.join(fiber)
      })
    ))
})

describe("a close", () => {
  it.each([0, 1, 3])("ends with the last of %s commits under way, without a wait", (count) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { beginApart, end } = yield* Effect.provideService(heldGroups, Scope.Scope, scope)
      yield* beginApart(puts(count, "s"))
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      const hasEnded = Effect.map(eventLoopTurns(10), () => closing.pollUnsafe() !== undefined)
      for (let at = 0; at < count; at++) {
        expect(yield* hasEnded).toBe(false)
        yield* end(at, true)
      }
      expect(yield* hasEnded).toBe(true)
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)
  )

  it("ends with a commit that waits for a group, without a wait", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { begin, end } = yield* Effect.provideService(heldGroups, Scope.Scope, scope)
      yield* begin(put("a"))
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* eventLoopTurns(10)
      expect(closing.pollUnsafe()).toBeUndefined()
      yield* end(0, true)
      expect(closing.pollUnsafe()).toBeDefined()
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))
})

describe("counts", () => {
  it("counts the groups and the commits that were applied", () =>
    run(
      Effect.gen(function* () {
        const { begin, counts, end } = yield* busyGroups
        expect(counts()).toEqual({ groups: 0, writes: 0 })
        const fibers = yield* Effect.forEach(puts(5, "s"), begin)
        yield* end(0, true)
        yield* end(3, true)
        expect(counts()).toEqual({ groups: 2, writes: 6 })
        yield* end(1, false)
        expect(counts()).toEqual({ groups: 3, writes: 6 })
        const histogram = (yield* Metric.snapshot).find(({ id }) => id === "mailkeep_store_group_writes")
        expect(histogram?.state).toMatchObject({ count: 3, sum: 6 })
        for (const at of [2, 4]) yield* end(at, true)
        yield* Effect.forEach(fibers, Fiber.join)
        expect(counts()).toEqual({ groups: 5, writes: 8 })
      })
    ))
})
