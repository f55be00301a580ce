/**
 * Tests of the limit of log lines.
 */
import { settableClock } from "@mailkeep/test-support/settableClock"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { makeLogLimit } from "../../src/port/logLimit.ts"

const run = <A>(effect: Effect.Effect<A>) => Effect.runPromise(Effect.provide(effect, TestClock.layer()))

describe("makeLogLimit", () => {
  it("lets one line per subject and period through, with the number of lines that were left out", () =>
    run(
      Effect.gen(function* () {
        const { takeLogLine } = makeLogLimit(10_000)
        const lines = [yield* takeLogLine("full"), yield* takeLogLine("full"), yield* takeLogLine("locked")]
        yield* TestClock.adjust("9 seconds")
        lines.push(yield* takeLogLine("full"))
        yield* TestClock.adjust("1 second")
        lines.push(yield* takeLogLine("full"), yield* takeLogLine("full"))
        expect(lines).toEqual([0, null, 0, null, 2, null])
      })
    ))

  it("forgets the subjects whose period has ended when it has 1,000, and no others", () =>
    run(
      Effect.gen(function* () {
        const { takeLogLine } = makeLogLimit(10_000)
        yield* takeLogLine("old")
        yield* takeLogLine("old")
        yield* TestClock.adjust("10 seconds")
        for (let n = 1; n < 1000; n++) yield* takeLogLine(`subject ${n}`)
        expect(yield* takeLogLine("one more")).toBe(0)
        expect(yield* takeLogLine("subject 1")).toBeNull()
        // The line that was left out before is no longer counted.
        expect(yield* takeLogLine("old")).toBe(0)
      })
    ))

  it("lets a line through after the period although the wall clock was set back", () =>
    run(
      Effect.gen(function* () {
        const { byClock, shiftTo } = yield* settableClock
        const { takeLogLine } = makeLogLimit(10_000)
        yield* byClock(takeLogLine("full"))
        yield* shiftTo(-3_600_000)
        yield* TestClock.adjust("10 seconds")
        expect(yield* byClock(takeLogLine("full"))).toBe(0)
      })
    ))
})
