import { inHouse, project, stores } from "@mailkeep/proving"
import { Deferred, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { EventSinkShape, PushOutcome } from "../../src/index.ts"
import { Webhooks } from "../../src/index.ts"

/** A sink whose answers are held back until `answer`; counts the pushes under way and the most of them at once. */
const heldBack = Effect.map(Deferred.make<PushOutcome>(), (answered) => {
  let underWay = 0
  let most = 0
  const sink: EventSinkShape = {
    capabilities: { carriesHeaders: true },
    push: () =>
      Effect.acquireUseRelease(
        Effect.sync(() => (most = Math.max(most, ++underWay))),
        () => Deferred.await(answered),
        () => Effect.sync(() => underWay--)
      )
  }
  return { sink, most: () => most, answer: Deferred.succeed(answered, { _tag: "Taken", status: 200 } as const) }
})

const created = (projectId: string, count: number) =>
  Effect.flatMap(Webhooks, (webhooks) =>
    Effect.forEach(
      Array.from({ length: count }, (_, n) => n),
      (n) => Effect.map(webhooks.create(projectId, { url: `https://hooks.example.net/${n}` }), ({ webhook }) => webhook)
    )
  )

/** Starts a test of each webhook so often at once, answers them, and gives the results. */
const tested = (
  targets: ReadonlyArray<{ readonly projectId: string; readonly id: string }>,
  times: number,
  answer: Effect.Effect<unknown>
) =>
  Effect.gen(function* () {
    const webhooks = yield* Webhooks
    const all = targets.flatMap((target) => Array.from({ length: times }, () => target))
    const running = yield* Effect.forkChild(
      Effect.forEach(all, ({ projectId, id }) => Effect.result(webhooks.test(projectId, id)), {
        concurrency: "unbounded"
      })
    )
    for (let turn = 0; turn < 50; turn++)
      yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
    yield* answer
    const results = yield* Fiber.join(running)
    return {
      taken: results.filter(Result.isSuccess).length,
      refused: results.flatMap((result) => (Result.isFailure(result) ? [result.failure] : []))
    }
  })

describe.each(stores)("tests of webhooks, over $name", (store) => {
  const cases = [
    ["1,000 of one webhook run 1", { prj_a: 1 }, 1000, 1],
    ["10 of each webhook of a project run 4", { prj_a: 10 }, 10, 4],
    ["those of ten projects run 16", Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`prj_${n}`, 5])), 2, 16]
  ] as const
  it.each(cases)("at once: %s, and refuse the others for 15 s at most", async (_, projects, times, atOnce) => {
    const { sink, most, answer } = await Effect.runPromise(heldBack)
    await inHouse(store, { sink })(
      Effect.gen(function* () {
        const targets = yield* Effect.forEach(Object.entries(projects), ([id, count]) => created(id, count))
        const { taken, refused } = yield* tested(targets.flat(), times, answer)
        expect([taken, most()]).toEqual([atOnce, atOnce])
        for (const failure of refused)
          expect(failure).toMatchObject({ _tag: "RateLimited", scope: "project", retryAfterSeconds: 15 })
        // Those under way have ended, so the next one may run.
        const [first] = targets.flat()
        expect(yield* (yield* Webhooks).test(first!.projectId, first!.id)).toMatchObject({ _tag: "Taken" })
      })
    )
  })

  it("end after 15 s when the endpoint never answers, and tell how long to wait meanwhile", async () => {
    const sink: EventSinkShape = { capabilities: { carriesHeaders: true }, push: () => Effect.never }
    await inHouse(store, { sink })(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const [{ id } = { id: "" }] = yield* created(project, 1)
        const hanging = yield* Effect.forkChild(webhooks.test(project, id), { startImmediately: true })
        for (let turn = 0; turn < 20; turn++)
          yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
        yield* TestClock.adjust("11500 millis")
        expect(yield* Effect.flip(webhooks.test(project, id))).toMatchObject({ retryAfterSeconds: 4 })
        yield* TestClock.adjust("3500 millis")
        expect(yield* Fiber.join(hanging)).toEqual({ _tag: "Lost", error: "timeout" })
      })
    )
  })
})
