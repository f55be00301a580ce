import type { Change } from "@mailkeep/core/adapter"
import { eventLoopTurns } from "@mailkeep/test-support/eventLoop"
import { Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { countersOf } from "../src/internal/write/blockedCommits.ts"
import { heldGroups, put, spend } from "./heldGroups.ts"

describe("commit", () => {
  it("lets a commit that removes a contact hold up only commits of its project that need an address without a contact", () =>
    Effect.gen(function* () {
      const { begin, endAll, texts } = yield* heldGroups
      const remove: ReadonlyArray<Change> = [
        { _tag: "RemoveContact", projectId: "prj_1" as never, id: "con_1" as never, revision: 1 }
      ]
      const expectNone = (projectId: string): ReadonlyArray<Change> => [
        ...spend(1, 9, projectId),
        {
          _tag: "Expect",
          record: { kind: "ContactAddress", projectId: projectId as never, address: "ada@example.org" },
          revision: null
        }
      ]
      const fibers = [yield* begin(remove)]
      yield* eventLoopTurns(10)
      fibers.push(yield* begin(expectNone("prj_1")), yield* begin(expectNone("prj_2")))
      yield* eventLoopTurns(10)
      expect(texts()).toEqual(["none: 1s", "prj_2: 1s"])
      endAll()
      yield* Effect.forEach(fibers, Fiber.join)
      expect(texts().slice(2)).toEqual(["prj_1: 1s"])
    }).pipe(Effect.scoped, Effect.runPromise))

  it("lets commits that wait long for their locks wait in groups of one project, behind which only commits to its counters wait", () =>
    Effect.gen(function* () {
      const { begin, end, texts } = yield* heldGroups
      const fibers = [yield* begin(spend(1, 9)), yield* begin(spend(1, 9, "prj_2")), yield* begin(spend(2, 9))]
      fibers.push(yield* begin(put("a")), yield* begin(put("b")))
      yield* eventLoopTurns(10)
      yield* end(0, false)
      fibers.push(yield* begin(spend(1, 9)), yield* begin(put("c")))
      yield* eventLoopTurns(10)
      // Only the first project is still blocked.
      yield* end(1, false)
      for (const at of [2, 3, 4, 5, 6, 7]) yield* end(at, true)
      yield* Effect.forEach(fibers, Fiber.join)
      expect(texts()).toEqual([
        "prj_1 prj_2 prj_1 none none: 1s",
        "prj_1 prj_1: 1s",
        "prj_2: 1s",
        "none: 1s",
        "prj_1 prj_1: 5s",
        "none: 1s",
        "none: 1s",
        "prj_1: 1s"
      ])
    }).pipe(Effect.scoped, Effect.runPromise))

  it("lets only one group wait long for the counters of a project, and each other commit alone", () =>
    Effect.gen(function* () {
      const { begin, end, texts } = yield* heldGroups
      const fibers: Array<Fiber.Fiber<void, unknown>> = []
      for (const changes of [spend(1, 9), spend(2, 9), put("a")]) {
        fibers.push(yield* begin(changes))
        yield* eventLoopTurns(10)
      }
      for (const at of [0, 1, 2]) yield* end(at, false)
      expect(texts().slice(3)).toEqual(["prj_1: 5s", "none: 5s"])
      for (const at of [4, 3, 5]) yield* end(at, true)
      yield* Effect.forEach(fibers, Fiber.join)
      expect(texts().slice(5)).toEqual(["prj_1: 5s"])
    }).pipe(Effect.scoped, Effect.runPromise))

  it("lets commits of other projects wait for no group that waits long, and new ones of a blocked project behind the blocked ones", () =>
    Effect.gen(function* () {
      const { begin, end, texts } = yield* heldGroups
      const projects = ["prj_1", "prj_2", "prj_3", "prj_4"]
      const fibers = yield* Effect.forEach(projects, (project) => begin(spend(1, 9, project)))
      yield* eventLoopTurns(10)
      // Three projects are blocked, and two groups may wait long.
      for (const at of [0, 1, 2, 3]) yield* end(at, false)
      yield* end(6, true)
      fibers.push(yield* begin(spend(1, 9, "prj_3")), yield* begin(spend(1, 9, "prj_5")))
      yield* eventLoopTurns(10)
      for (const at of [7, 4, 8, 9, 5]) yield* end(at, true)
      yield* Effect.forEach(fibers, Fiber.join)
      expect(texts()).toEqual([
        "prj_1 prj_2 prj_3 prj_4: 1s",
        "prj_1: 1s",
        "prj_2: 1s",
        "prj_3: 1s",
        "prj_1: 5s",
        "prj_2: 5s",
        "prj_4: 1s",
        "prj_5: 1s",
        "prj_3: 5s",
        "prj_3: 1s"
      ])
    }).pipe(Effect.scoped, Effect.runPromise))

  it("leaves as many places of the queue free as the commits have that wait behind blocked ones of their project", () =>
    Effect.gen(function* () {
      const { begin, end, endAll, texts } = yield* heldGroups
      yield* begin(spend(1, 9))
      yield* eventLoopTurns(10)
      yield* end(0, false)
      const waiting = yield* Effect.replicateEffect(begin(spend(1, 9)), 4096)
      expect(waiting.every((fiber) => fiber.pollUnsafe() === undefined)).toBe(true)
      const refused = yield* begin(spend(1, 9))
      expect(refused.pollUnsafe()).toBeDefined()
      expect(yield* Effect.flip(Fiber.join(refused))).toMatchObject({ reason: "overloaded" })
      yield* begin(spend(1, 9, "prj_2"))
      yield* eventLoopTurns(10)
      expect(texts()).toEqual(["prj_1: 1s", "prj_1: 5s", "prj_2: 1s"])
      const ofOther = yield* Effect.replicateEffect(begin(spend(1, 9, "prj_2")), 3000)
      expect(ofOther.every((fiber) => fiber.pollUnsafe() === undefined)).toBe(true)
      endAll()
      yield* Effect.forEach([...waiting, ...ofOther], Fiber.join)
    }).pipe(Effect.scoped, Effect.runPromise))

  it("leaves as many bytes of the queue free as the commits have that wait behind blocked ones of their project", () =>
    Effect.gen(function* () {
      const { begin, end, endAll } = yield* heldGroups
      const large = (projectId: string): ReadonlyArray<Change> => [
        ...spend(1, 9, projectId),
        { _tag: "PutContent", projectId: projectId as never, hash: "h", chunks: [new Uint8Array(24 * 1024 * 1024)] }
      ]
      yield* begin(spend(1, 9))
      yield* eventLoopTurns(10)
      yield* end(0, false)
      const waiting = yield* begin(large("prj_1"))
      const refused = yield* begin(large("prj_1"))
      expect(refused.pollUnsafe()).toBeDefined()
      expect(yield* Effect.flip(Fiber.join(refused))).toMatchObject({ reason: "overloaded" })
      const ofOther = yield* begin(large("prj_2"))
      endAll()
      yield* Effect.forEach([waiting, ofOther], Fiber.join)
    }).pipe(Effect.scoped, Effect.runPromise))
})

describe("countersOf", () => {
  it.each<[string, ReadonlyArray<Change>, string | null]>([
    ["the project of a commit that adds to counters", [...put("a"), ...spend(1, 9)], "prj_1"],
    [
      "null for a commit that adds to none",
      [{ _tag: "DistributeEvent", projectId: "prj_1" as never, id: "e" as never }],
      null
    ]
  ])("returns %s", (_, changes, projectId) => {
    expect(countersOf(changes)).toBe(projectId)
  })
})
