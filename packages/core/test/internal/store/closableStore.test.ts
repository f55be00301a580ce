import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { Change } from "../../../src/domain/store/Change.ts"
import { closableStore } from "../../../src/internal/store/closableStore.ts"
import type { MailStoreShape } from "../../../src/port/MailStore.ts"
import { MailStore, StoreUnavailable } from "../../../src/port/MailStore.ts"
import { message } from "../../decide/fixtures.ts"

const changes: ReadonlyArray<Change> = [{ _tag: "InsertMessage", message: message() }]

/** A store whose reads take 20 ms, or as long as `delay` says, that says how often it was read, and that `move` moves away. */
const openStore = Effect.gen(function* () {
  let reads = 0
  let millis = 20
  let failure: StoreUnavailable | null = null
  let movedTo: string | null = null
  const source = {
    commit: () => Effect.void,
    read: () =>
      Effect.suspend(() => {
        reads++
        const answer = failure === null ? Effect.succeed([movedTo, []]) : Effect.fail(failure)
        return Effect.delay(answer, millis)
      })
  } as unknown as MailStoreShape
  const opening = Layer.build(Layer.provide(closableStore, Layer.succeed(MailStore, source)))
  const [opened] = yield* Effect.all([opening, TestClock.adjust("20 millis")], { concurrency: "unbounded" })
  return {
    store: Context.get(opened, MailStore),
    reads: () => reads,
    delay: (by: number) => void (millis = by),
    fail: (by: StoreUnavailable | null) => void (failure = by),
    move: () => void (movedTo = "elsewhere")
  }
})

/** Begins two writes: the first reads whether the records have moved, and the second waits for it. */
const begunTogether = (store: MailStoreShape) =>
  Effect.gen(function* () {
    const first = yield* Effect.forkChild(store.commit(changes))
    yield* Effect.yieldNow
    const second = yield* Effect.forkChild(store.commit(changes))
    yield* Effect.yieldNow
    return { first, second }
  })

/** Commits ten times at once, and lets some time pass. Returns how many commits were kept. */
const commitTogether = (store: MailStoreShape, millis = 20) =>
  Effect.gen(function* () {
    let kept = 0
    const commit = Effect.tap(Effect.exit(store.commit(changes)), ({ _tag }) =>
      Effect.sync(() => void (kept += _tag === "Success" ? 1 : 0))
    )
    yield* Effect.all([...Array.from({ length: 10 }, () => commit), TestClock.adjust(millis)], {
      concurrency: "unbounded",
      discard: true
    })
    return kept
  })

const withOpenStore = (test: (opened: Effect.Success<typeof openStore>) => Effect.Effect<void, StoreUnavailable>) =>
  Effect.flatMap(openStore, test).pipe(Effect.provide(TestClock.layer()), Effect.scoped, Effect.runPromise)

describe("closableStore", () => {
  it("reads once for all writers of half a second", () =>
    withOpenStore(({ store, reads }) =>
      Effect.gen(function* () {
        for (let n = 0; n < 24; n++) expect(yield* commitTogether(store)).toBe(10)
        expect(reads()).toBe(1)
        yield* commitTogether(store)
        expect(reads()).toBe(2)
      })
    ))

  it("refuses all writes from one second after the records have moved", () =>
    withOpenStore(({ store, move }) =>
      Effect.gen(function* () {
        move()
        yield* TestClock.adjust("1 second")
        expect(yield* commitTogether(store)).toBe(0)
        expect(yield* commitTogether(store)).toBe(0)
      })
    ))

  it("refuses the other writes too when one of them has read that the records have moved", () =>
    withOpenStore(({ store, move }) =>
      Effect.gen(function* () {
        move()
        yield* TestClock.adjust("500 millis")
        // The one that reads is refused. The others continue with what was read before.
        expect(yield* commitTogether(store)).toBe(9)
        expect(yield* commitTogether(store)).toBe(0)
      })
    ))

  it("reads once for the writes that begin at once after an idle second", () =>
    withOpenStore(({ store, reads }) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("1 second")
        expect(yield* commitTogether(store)).toBe(10)
        expect(reads()).toBe(2)
      })
    ))

  it("reads for each of these writes when the answer was a second old before it came", () =>
    withOpenStore(({ store, reads, delay }) =>
      Effect.gen(function* () {
        delay(1000)
        yield* TestClock.adjust("1 second")
        expect(yield* commitTogether(store, 3000)).toBe(10)
        expect(reads()).toBe(11)
      })
    ))

  it("refuses these writes when the one that reads finds that the records have moved, and when it cannot read", () =>
    withOpenStore(({ store, reads, fail, move }) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("1 second")
        fail(new StoreUnavailable({ reason: "locked" }))
        expect(yield* commitTogether(store)).toBe(0)
        fail(null)
        expect(yield* commitTogether(store)).toBe(10)
        move()
        yield* TestClock.adjust("1 second")
        expect(yield* commitTogether(store)).toBe(0)
        expect(reads()).toBe(4)
      })
    ))

  it("ends a write at once that is interrupted while it waits for the one that reads", () =>
    withOpenStore(({ store }) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("1 second")
        const { first, second } = yield* begunTogether(store)
        yield* Fiber.interrupt(second)
        expect(first.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust("20 millis")
        expect(first.pollUnsafe()).toMatchObject({ _tag: "Success" })
      })
    ))

  it("lets the other writes read when the one that reads is interrupted", () =>
    withOpenStore(({ store }) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("1 second")
        const { first, second } = yield* begunTogether(store)
        yield* Fiber.interrupt(first)
        yield* TestClock.adjust("20 millis")
        expect(second.pollUnsafe()).toMatchObject({ _tag: "Success" })
      })
    ))
})
