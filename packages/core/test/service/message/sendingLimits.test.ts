/**
 * Sends at the limits of a plan.
 */
import { expectBalanced, project, send, start, stores, summaries, withTestMail } from "@mailkeep/test-support"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { dayMillis, hourMillis } from "../../../src/domain/value/Instant.ts"
import { Sending } from "../../../src/index.ts"
import { at, many } from "./sendOptions.ts"

describe.each(stores)("plan limits, over $name", (store) => {
  it("refuses a whole send when the plan permits only a part of it", () =>
    withTestMail(store, { plan: { dailySends: 3 } })(
      Effect.gen(function* () {
        yield* send("a", { to: many(2) })
        expect(yield* Effect.flip(send("b", { to: many(2) }))).toMatchObject({ code: "daily_sending_limit_exceeded" })
        yield* send("c", { to: many(1) })
        yield* TestClock.setTime(start + dayMillis)
        yield* send("d", { to: many(3) })
        yield* expectBalanced
      })
    ))

  it("counts a scheduled send on its scheduled day", () =>
    withTestMail(store, { plan: { dailySends: 1 } })(
      Effect.gen(function* () {
        yield* send("tomorrow", at(start + dayMillis))
        yield* send("today")
        expect(yield* Effect.flip(send("also tomorrow".replaceAll(" ", "-"), at(start + dayMillis + 1)))).toMatchObject(
          {
            code: "daily_sending_limit_exceeded"
          }
        )
      })
    ))

  it("refuses an immediate send over the allowance, and accepts a scheduled send", () =>
    withTestMail(store, { plan: { sendingAllowance: 1 } })(
      Effect.gen(function* () {
        yield* send("a")
        expect(yield* Effect.flip(send("b"))).toMatchObject({
          code: "sending_allowance_exceeded",
          kind: "too_many_requests"
        })
        yield* send("c", at(start + hourMillis))
      })
    ))

  it("limits the recipients of scheduled messages", () =>
    withTestMail(store, { plan: { scheduledRecipients: 2 } })(
      Effect.gen(function* () {
        const result = yield* send("a", { to: many(2), ...at(start + hourMillis) })
        expect(yield* Effect.flip(send("b", at(start + hourMillis)))).toMatchObject({
          code: "scheduled_recipient_limit_exceeded"
        })
        yield* (yield* Sending).cancel(project, result.messageId)
        yield* send("c", at(start + hourMillis))
        yield* expectBalanced
      })
    ))

  it.each(["dailySends", "sendingAllowance"] as const)(
    "accepts one of several concurrent sends when the limit %s is 1",
    (limit) =>
      withTestMail(store, { plan: { [limit]: 1 } })(
        Effect.gen(function* () {
          const answers = yield* Effect.all(
            many(8).map((to, i) => Effect.result(send(`k${i}`, { to }))),
            { concurrency: "unbounded" }
          )
          expect(answers.filter(Result.isSuccess)).toHaveLength(1)
          yield* expectBalanced
        })
      )
  )

  it("counts usage when no limit is set", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* send("a", { to: many(5) })
        yield* send("b", { to: many(2), ...at(start + hourMillis) })
        expect(yield* summaries).toHaveLength(7)
        yield* expectBalanced
      })
    ))
})
