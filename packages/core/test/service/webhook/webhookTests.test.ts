import { withTestMail, project, stores } from "@mailkeep/test-support"
import { eventLoopTurns } from "@mailkeep/test-support/eventLoop"
import { Deferred, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { EventSinkShape } from "../../../src/port/EventSink.ts"
import type { SinkOutcome } from "../../../src/domain/event/EventDelivery.ts"
import { Webhooks } from "../../../src/index.ts"

/** A sink that answers after `answer`. `most` is the highest number of concurrent event deliveries. */
const delayedSink = Effect.map(Deferred.make<SinkOutcome>(), (ended) => {
  let underWay = 0
  let most = 0
  const sink: EventSinkShape = {
    capabilities: { carriesHeaders: true },
    send: () =>
      Effect.acquireUseRelease(
        Effect.sync(() => (most = Math.max(most, ++underWay))),
        () => Deferred.await(ended),
        () => Effect.sync(() => underWay--)
      )
  }
  return { sink, most: () => most, answer: Deferred.succeed(ended, { _tag: "Accepted", status: 200 } as const) }
})

const created = (projectId: string, count: number) =>
  Effect.flatMap(Webhooks, (webhooks) =>
    Effect.forEach(
      Array.from({ length: count }, (_, n) => n),
      (n) =>
        Effect.map(webhooks.create(projectId, { url: `https://hooks.example.net/${n}` }), ({ webhook: { id } }) => ({
          projectId,
          id
        }))
    )
  )

/** Starts `times` concurrent tests of each webhook, answers them, and returns the results. */
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
    yield* eventLoopTurns(50)
    yield* answer
    const results = yield* Fiber.join(running)
    return {
      taken: results.filter(Result.isSuccess).length,
      refused: results.flatMap((result) => (Result.isFailure(result) ? [result.failure] : []))
    }
  })

describe.each(stores)("tests of webhooks, over $name", (store) => {
  const cases = [
    ["1 of 1,000 for one webhook", { prj_a: 1 }, 1000, 1],
    ["4 of 100 for ten webhooks of a project", { prj_a: 10 }, 10, 4],
    ["16 of 100 for ten projects", Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`prj_${n}`, 5])), 2, 16]
  ] as const
  it.each(cases)(
    "limits concurrent webhook tests to %s, and refuses the others for at most 15 s",
    async (_, projects, times, atOnce) => {
      const { sink, most, answer } = await Effect.runPromise(delayedSink)
      await withTestMail(store, { sink })(
        Effect.gen(function* () {
          const targets = yield* Effect.forEach(Object.entries(projects), ([id, count]) => created(id, count))
          const { taken, refused } = yield* tested(targets.flat(), times, answer)
          expect([taken, most()]).toEqual([atOnce, atOnce])
          for (const failure of refused)
            expect(failure).toMatchObject({ _tag: "RateLimited", scope: "project", retryAfterSeconds: 15 })
          // The running tests have ended, so the next test may run.
          const [first] = targets.flat()
          expect(yield* (yield* Webhooks).test(first!.projectId, first!.id)).toMatchObject({ delivered: true })
        })
      )
    }
  )

  it("ends a webhook test after 15 s without an answer, and reports the remaining wait meanwhile", async () => {
    const sink: EventSinkShape = { capabilities: { carriesHeaders: true }, send: () => Effect.never }
    await withTestMail(store, { sink })(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const [{ id } = { id: "" }] = yield* created(project, 1)
        const hanging = yield* Effect.forkChild(webhooks.test(project, id), { startImmediately: true })
        yield* eventLoopTurns()
        yield* TestClock.adjust("11500 millis")
        expect(yield* Effect.flip(webhooks.test(project, id))).toMatchObject({ retryAfterSeconds: 4 })
        yield* TestClock.adjust("3500 millis")
        expect(yield* Fiber.join(hanging)).toEqual({ delivered: false, statusCode: null, error: "timeout" })
      })
    )
  })
})
