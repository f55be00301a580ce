import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { fillMillisMax, fillsMax, makePageFiller } from "../../../src/internal/store/filledPage.ts"
import { StoreUnavailable } from "../../../src/port/MailStore.ts"

const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(Effect.provide(effect, TestClock.layer()))

/** Reads the numbers after `after` up to 99. Each read examines ten numbers, takes `readMillis`, and finds the multiples of `step`. */
const makeListing = (step: number, readMillis = 0) => {
  const reads: Array<readonly [after: number | null, limit: number]> = []
  return {
    reads,
    read: (after: number | null, limit: number) =>
      Effect.suspend(() => {
        reads.push([after, limit])
        const first = after === null ? 0 : after + 1
        const examined = Array.from({ length: Math.min(10, 100 - first) }, (_, n) => first + n)
        const matches = examined.filter((n) => n % step === 0)
        const items = matches.slice(0, limit)
        const last = matches.length > limit ? items.at(-1)! : examined.at(-1)!
        const part = { items, next: last === 99 ? null : last }
        return readMillis === 0 ? Effect.succeed(part) : Effect.as(Effect.sleep(readMillis), part)
      })
  }
}

const firstPage = (limit: number): { readonly after: number | null; readonly limit: number } => ({ after: null, limit })

describe("makePageFiller", () => {
  it("reads on until the page is full, and asks each time only for the rest of the page", () =>
    run(
      Effect.gen(function* () {
        const { read, reads } = makeListing(20)
        expect(yield* makePageFiller()("prj_a", firstPage(3), read)).toEqual({ items: [0, 20, 40], next: 49 })
        expect(reads.map(([, limit]) => limit)).toEqual([3, 2, 2, 1, 1])
        expect(reads.map(([after]) => after)).toEqual([null, 9, 19, 29, 39])
      })
    ))

  it("reads once when the first read fills the page", () =>
    run(
      Effect.gen(function* () {
        const { read, reads } = makeListing(1)
        expect(yield* makePageFiller()("prj_a", { after: 4, limit: 2 }, read)).toEqual({ items: [5, 6], next: 6 })
        expect(reads).toEqual([[4, 2]])
      })
    ))

  it("ends at the end of the listing", () =>
    run(
      Effect.gen(function* () {
        const { read } = makeListing(50)
        expect(yield* makePageFiller()("prj_a", firstPage(5), read)).toEqual({ items: [0, 50], next: null })
      })
    ))

  it("begins no read after the time limit, and returns the position of the last one", () =>
    run(
      Effect.gen(function* () {
        const { read, reads } = makeListing(1000, fillMillisMax / 4)
        const page = yield* Effect.forkChild(makePageFiller()("prj_a", firstPage(5), read))
        yield* TestClock.adjust(fillMillisMax)
        expect(yield* Fiber.join(page)).toEqual({ items: [0], next: 39 })
        expect(reads).toHaveLength(4)
      })
    ))

  it("continues where the page before ended, so that all pages together list each match once", () =>
    run(
      Effect.gen(function* () {
        const { read } = makeListing(7, fillMillisMax / 2)
        const fillPage = makePageFiller()
        const found: Array<number> = []
        let after: number | null = null
        do {
          const page: Fiber.Fiber<{ items: ReadonlyArray<number>; next: number | null }, StoreUnavailable> =
            yield* Effect.forkChild(fillPage("prj_a", { after, limit: 4 }, read))
          yield* TestClock.adjust(2 * fillMillisMax)
          const { items, next } = yield* Fiber.join(page)
          found.push(...items)
          after = next
        } while (after !== null)
        expect(found).toEqual([0, 7, 14, 21, 28, 35, 42, 49, 56, 63, 70, 77, 84, 91, 98])
      })
    ))

  it("ends a page after its first read when other pages of the project read on, and only then", () =>
    run(
      Effect.gen(function* () {
        const fillPage = makePageFiller()
        const { read } = makeListing(1000, 100)
        const page = (projectId: string) => Effect.forkChild(fillPage(projectId, firstPage(2), read))
        const others = yield* Effect.forEach(Array.from({ length: fillsMax }), () => page("prj_a"))
        yield* TestClock.adjust(150)
        const [same, other] = [yield* page("prj_a"), yield* page("prj_b")]
        yield* TestClock.adjust(100)
        expect(yield* Fiber.join(same)).toEqual({ items: [0], next: 9 })
        yield* TestClock.adjust(fillMillisMax)
        for (const fiber of [...others, other]) expect(yield* Fiber.join(fiber)).toEqual({ items: [0], next: null })
      })
    ))

  it("returns what it has found when the store is overloaded", () =>
    run(
      Effect.gen(function* () {
        const { read } = makeListing(1000)
        const overloadedLater = (after: number | null, limit: number) =>
          after === 19 ? Effect.fail(new StoreUnavailable({ reason: "overloaded" })) : read(after, limit)
        expect(yield* makePageFiller()("prj_a", firstPage(2), overloadedLater)).toEqual({ items: [0], next: 19 })
      })
    ))

  it("fails when the first read fails, or a later one for another reason", () =>
    run(
      Effect.gen(function* () {
        const { read } = makeListing(1000)
        const failing = (at: number | null, reason: "overloaded" | "closed") => (after: number | null, limit: number) =>
          after === at ? Effect.fail(new StoreUnavailable({ reason })) : read(after, limit)
        const fillPage = makePageFiller()
        for (const [at, reason] of [
          [null, "overloaded"],
          [19, "closed"]
        ] as const)
          expect(yield* Effect.flip(fillPage("prj_a", firstPage(2), failing(at, reason)))).toMatchObject({ reason })
      })
    ))

  it("lets other fibers run between two reads that do not wait", () =>
    run(
      Effect.gen(function* () {
        const { read, reads } = makeListing(1000)
        const signal = yield* Deferred.make<void>()
        const page = yield* Effect.forkChild(
          makePageFiller()("prj_a", firstPage(2), (after, limit) =>
            Effect.tap(read(after, limit), () => (after === null ? Deferred.succeed(signal, undefined) : Effect.void))
          )
        )
        yield* Deferred.await(signal)
        expect(reads.length).toBeLessThan(10)
        yield* Fiber.join(page)
        expect(reads).toHaveLength(10)
      })
    ))
})
