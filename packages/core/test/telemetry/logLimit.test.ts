/**
 * Tests of the limit of log lines.
 */
import { settableClock } from "@mailkeep/test-support/settableClock"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { LoggedFailures } from "../../src/telemetry/logLimit.ts"
import { makeLogLimit } from "../../src/telemetry/logLimit.ts"

const run = <A>(effect: Effect.Effect<A>) => Effect.runPromise(Effect.provide(effect, TestClock.layer()))

/** A limit of 10 s, whose `take` returns the fields of the line, or `null` when it is left out. */
const limit = () => {
  const { logLine } = makeLogLimit(10_000)
  const take = (subject: string) =>
    Effect.gen(function* () {
      let fields: LoggedFailures | null = null
      yield* logLine(subject, (counted) => Effect.sync(() => void (fields = counted)))
      return fields
    })
  return { take }
}

describe("makeLogLimit", () => {
  it("lets one line per subject and period through, with the number of failures since the last one", () =>
    run(
      Effect.gen(function* () {
        const { take } = limit()
        const lines = [yield* take("full"), yield* take("full"), yield* take("locked")]
        yield* TestClock.adjust("9 seconds")
        lines.push(yield* take("full"))
        yield* TestClock.adjust("1 second")
        lines.push(yield* take("full"), yield* take("full"))
        expect(lines).toEqual([{}, null, {}, null, { failures: 3 }, null])
      })
    ))

  it("forgets the subjects whose period has ended when it has 1,000, and no others", () =>
    run(
      Effect.gen(function* () {
        const { take } = limit()
        yield* take("old")
        yield* take("old")
        yield* TestClock.adjust("10 seconds")
        for (let n = 1; n < 1000; n++) yield* take(`subject ${n}`)
        expect(yield* take("one more")).toEqual({})
        expect(yield* take("subject 1")).toBeNull()
        // The line that was left out before is no longer counted.
        expect(yield* take("old")).toEqual({})
      })
    ))

  it("lets a line through after the period although the wall clock was set back", () =>
    run(
      Effect.gen(function* () {
        const { byClock, shiftTo } = yield* settableClock
        const { take } = limit()
        yield* byClock(take("full"))
        yield* shiftTo(-3_600_000)
        yield* TestClock.adjust("10 seconds")
        expect(yield* byClock(take("full"))).toEqual({})
      })
    ))
})
