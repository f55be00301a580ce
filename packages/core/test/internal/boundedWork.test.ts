/**
 * Tests the bounds of costly work.
 */
import { Deferred, Effect, Fiber } from "effect"
import { expect, it } from "vitest"
import { boundedWork, boundedWorkByKey } from "../../src/internal/boundedWork.ts"

const bound = { atOnce: 1, waitingMax: 1 }
const overloaded = { _tag: "StoreUnavailable", reason: "overloaded" }

it("refuses work above the bound, and accepts work again after some has ended", () =>
  Effect.gen(function* () {
    const bounded = boundedWork(bound)
    const end = yield* Deferred.make<string>()
    const underWay = yield* Effect.forEach([1, 2], () => Effect.forkChild(bounded(Deferred.await(end))))
    yield* Effect.yieldNow
    expect(yield* Effect.flip(bounded(Effect.void))).toMatchObject(overloaded)
    yield* Deferred.succeed(end, "done")
    expect(yield* Effect.forEach(underWay, Fiber.join)).toEqual(["done", "done"])
    expect(yield* bounded(Effect.succeed("again"))).toBe("again")
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
