/**
 * Tests the bounds of costly work.
 */
import { Deferred, Effect, Fiber } from "effect"
import { expect, it } from "vitest"
import { boundedWorkByKey, sharedWork } from "../../src/internal/boundedWork.ts"

const bound = { atOnce: 1, waitingMax: 1 }
const overloaded = { _tag: "StoreUnavailable", reason: "overloaded" }

it("refuses work of a key above its bound, and accepts work again after some has ended", () =>
  Effect.gen(function* () {
    const shared = sharedWork({ atOnce: 1, ofKey: bound })
    const end = yield* Deferred.make<string>()
    const underWay = yield* Effect.forEach([1, 2], () => Effect.forkChild(shared("a", Deferred.await(end))))
    yield* Effect.yieldNow
    expect(yield* Effect.flip(shared("a", Effect.void))).toMatchObject(overloaded)
    yield* Deferred.succeed(end, "done")
    expect(yield* Effect.forEach(underWay, Fiber.join)).toEqual(["done", "done"])
    expect(yield* shared("a", Effect.succeed("again"))).toBe("again")
  }).pipe(Effect.runPromise))

it("lets the keys take turns, and runs no more than the shared number at a time", () =>
  Effect.gen(function* () {
    const shared = sharedWork({ atOnce: 1, ofKey: { atOnce: 1, waitingMax: 3 } })
    const ended: Array<string> = []
    const work = (key: string) =>
      shared(
        key,
        Effect.andThen(
          Effect.yieldNow,
          Effect.sync(() => ended.push(key))
        )
      )
    yield* Effect.forEach(["a", "a", "a", "a", "b"], work, { concurrency: "unbounded" })
    expect(ended).toEqual(["a", "b", "a", "a", "a"])
  }).pipe(Effect.runPromise))

it("bounds the work of each key by itself, also after an interruption", () =>
  Effect.gen(function* () {
    const bounded = boundedWorkByKey(bound)
    const underWay = yield* Effect.forEach([1, 2], () => Effect.forkChild(bounded("a", Effect.never)))
    yield* Effect.yieldNow
    expect(yield* Effect.flip(bounded("a", Effect.void))).toMatchObject(overloaded)
    expect(yield* bounded("b", Effect.succeed("free"))).toBe("free")
    yield* Fiber.interruptAll(underWay)
    expect(yield* bounded("a", Effect.succeed("free"))).toBe("free")
  }).pipe(Effect.runPromise))

it("counts the work of a key that is left after other work of the key has ended", () =>
  Effect.gen(function* () {
    const bounded = boundedWorkByKey(bound)
    const end = yield* Deferred.make<void>()
    const ended = yield* Effect.forkChild(bounded("a", Deferred.await(end)))
    const left = yield* Effect.forkChild(bounded("a", Effect.never))
    yield* Effect.yieldNow
    yield* Deferred.succeed(end, undefined)
    yield* Fiber.join(ended)
    const next = yield* Effect.forkChild(bounded("a", Effect.never))
    yield* Effect.yieldNow
    expect(yield* Effect.flip(bounded("a", Effect.void))).toMatchObject(overloaded)
    yield* Fiber.interruptAll([left, next])
  }).pipe(Effect.runPromise))
