import { settableClock } from "@mailkeep/test-support/settableClock"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { MailStoreShape } from "../../../src/port/MailStore.ts"
import { hourMillis } from "../../../src/domain/value/Instant.ts"
import type { QueryOf } from "../../../src/domain/store/Query.ts"
import { evaluateContactScan } from "../../../src/domain/store/queryReference.ts"
import { noContactFilters } from "../../../src/domain/contact/ContactPredicate.ts"
import type { ContactBatch } from "../../../src/internal/contact/contactScan.ts"
import { firstBatch, makeContactScanner, scanMillisMax } from "../../../src/internal/contact/contactScan.ts"
import { contact } from "../../decide/fixtures.ts"

const filters = { ...noContactFilters, search: "ad" }

const contactAt = (n: number, firstName: string) => {
  const email = `c${n}@x.example`
  return contact({
    projectId: "prj_a",
    id: `con_${String(n).padStart(4, "0")}`,
    email,
    address: email,
    firstName,
    lastName: "",
    createdAt: n
  })
}

/** A store that answers only scans. */
const scanStore = (
  answer: (query: QueryOf<"ContactScan">) => Effect.Effect<ReturnType<typeof evaluateContactScan>>
): MailStoreShape =>
  ({ read: ([query]: [QueryOf<"ContactScan">]) => Effect.map(answer(query), (piece) => [piece]) }) as never

/** A store whose scans never end. Each piece of a scan takes `pieceMillis`. */
const endless = (pieceMillis: number) =>
  scanStore(() =>
    Effect.as(Effect.sleep(pieceMillis), { items: [], matches: 0, next: { createdAt: 1, id: "con_0001" } })
  )

/** The ids of all contacts in batches, and the limits of each batch. */
const batches = Effect.fnUntraced(function* (store: MailStoreShape) {
  const { batch } = makeContactScanner(store)
  const found: Array<string> = []
  const limits: Array<readonly [limit: number, scanLimit: number]> = []
  let next: ContactBatch | null = firstBatch
  do {
    limits.push([next.limit, next.scanLimit])
    const read: readonly [ReadonlyArray<{ readonly id: string }>, ContactBatch | null] = yield* batch(
      "prj_a",
      filters,
      next
    )
    found.push(...read[0].map(({ id }) => id))
    next = read[1]
  } while (next !== null)
  return { found, limits }
})

const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(Effect.provide(effect, TestClock.layer()))

describe("makeContactScanner", () => {
  it("finds the same page and total for every size of the pieces", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("Ada", "Bob"), { maxLength: 30 }),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 5 }),
        async (names, scanLimit, page, limit) => {
          const contacts = names.map((name, n) => contactAt(n, name))
          const store = scanStore((query) => Effect.succeed(evaluateContactScan(contacts, { ...query, scanLimit })))
          const found = await run(makeContactScanner(store).page("prj_a", filters, { page, limit }))
          const matching = contacts.filter(({ firstName }) => firstName === "Ada").toReversed()
          expect(found).toEqual({
            items: matching.slice((page - 1) * limit, page * limit),
            total: matching.length,
            page,
            limit
          })
        }
      )
    ))

  it("continues after the last listed contact when a store finds more matches than a batch lists", () => {
    const contacts = Array.from({ length: 4100 }, (_, n) => contactAt(n, "Ada"))
    // A store with an index of texts: each piece is the whole rest.
    const store = scanStore((query) => Effect.succeed(evaluateContactScan(contacts, { ...query, scanLimit: 10_000 })))
    return run(
      Effect.gen(function* () {
        const { found } = yield* batches(store)
        expect(found).toEqual(contacts.map(({ id }) => id).toReversed())
      })
    )
  })

  it.each([
    [
      "many small contacts",
      1,
      0,
      [
        [100, 2000],
        [200, 200],
        [400, 400],
        [800, 800],
        [1600, 1600],
        [2000, 2000]
      ]
    ],
    [
      "contacts with the longest properties",
      1,
      200,
      [
        [100, 2000],
        [55, 55],
        [55, 55]
      ]
    ],
    [
      "few of the contacts",
      1000,
      0,
      [
        [100, 2000],
        [200, 2000],
        [400, 2000]
      ]
    ]
  ])("reads as many contacts at once as their size and number allow when it finds %s", (_, each, size, expected) => {
    const properties = Object.fromEntries(Array.from({ length: size }, (_, n) => [`prop_${n}`, "x".repeat(500)]))
    const contacts = Array.from({ length: 6000 }, (_, n) => ({
      ...contactAt(n, n % each === 0 ? "Ada" : "Bob"),
      properties
    }))
    const store = scanStore((query) => Effect.succeed(evaluateContactScan(contacts, query)))
    return run(
      Effect.gen(function* () {
        const { found, limits } = yield* batches(store)
        expect(found).toHaveLength(6000 / each)
        expect(limits.slice(0, expected.length)).toEqual(expected)
      })
    )
  })

  it("fails with ContactFilterTooSlow when the scan takes longer than the time limit", () =>
    run(
      Effect.gen(function* () {
        const scanner = makeContactScanner(endless(100))
        const asked = yield* Effect.forkChild(Effect.flip(scanner.page("prj_a", filters, { page: 1, limit: 10 })))
        yield* TestClock.adjust(scanMillisMax)
        expect(yield* Fiber.join(asked)).toMatchObject({
          _tag: "ContactFilterTooSlow",
          kind: "unavailable",
          message: expect.stringContaining("5 seconds") as string
        })
      })
    ))

  it("finishes a scan during which the wall clock is set forward", () =>
    run(
      Effect.gen(function* () {
        const { byClock, shiftTo } = yield* settableClock
        const positions = [{ createdAt: 1, id: "con_0001" }, null]
        const store = scanStore(() =>
          Effect.map(shiftTo(hourMillis), () => ({ items: [], matches: 0, next: positions.shift()! }))
        )
        const { page } = makeContactScanner(store)
        expect(yield* byClock(page("prj_a", filters, { page: 1, limit: 10 }))).toMatchObject({ total: 0 })
        expect(positions).toEqual([])
      })
    ))

  it("includes the wait for other scans of the project in the time limit", () =>
    run(
      Effect.gen(function* () {
        let pieces = 0
        const scanner = makeContactScanner(
          scanStore(() =>
            Effect.suspend(() => {
              pieces++
              return Effect.as(Effect.sleep(scanMillisMax), { items: [], matches: 0, next: null })
            })
          )
        )
        const page = scanner.page("prj_a", filters, { page: 1, limit: 10 })
        const [first, second] = [yield* Effect.forkChild(page), yield* Effect.forkChild(Effect.flip(page))]
        yield* TestClock.adjust(scanMillisMax)
        expect(yield* Fiber.join(first)).toMatchObject({ total: 0 })
        expect(yield* Fiber.join(second)).toMatchObject({ _tag: "ContactFilterTooSlow" })
        expect(pieces).toBe(1)
      })
    ))

  it("refuses more than eight concurrent scans of one project, and runs a scan of another project", () =>
    run(
      Effect.gen(function* () {
        const scanner = makeContactScanner(endless(100))
        const page = (projectId: string) => Effect.result(scanner.page(projectId, filters, { page: 1, limit: 10 }))
        const asked = yield* Effect.forEach(Array.from({ length: 8 }), () => Effect.forkChild(page("prj_a")))
        yield* TestClock.adjust(1)
        expect(yield* page("prj_a")).toMatchObject({ failure: { _tag: "StoreUnavailable", reason: "overloaded" } })
        const other = yield* Effect.forkChild(page("prj_b"))
        yield* TestClock.adjust(1)
        expect(other.pollUnsafe()).toBeUndefined()
        yield* Fiber.interruptAll([...asked, other])
        const again = yield* Effect.forkChild(page("prj_a"))
        yield* TestClock.adjust(1)
        expect(again.pollUnsafe()).toBeUndefined()
        yield* Fiber.interrupt(again)
      })
    ))
})
