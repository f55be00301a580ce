import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { StoreUnavailable } from "../../../src/index.ts"
import { retryWhileBusy } from "../../../src/internal/contact/retryWhileBusy.ts"

/** Runs a call for a minute whose tries end as `outcomeOf` says for each try, from 1. */
const run = (outcomeOf: (attempt: number) => Effect.Effect<string, StoreUnavailable>) => {
  let tries = 0
  return Effect.gen(function* () {
    const running = yield* Effect.forkChild(retryWhileBusy(Effect.suspend(() => outcomeOf(++tries))))
    yield* TestClock.adjust("1 minute")
    return { tries, exit: running.pollUnsafe() }
  }).pipe(
    Effect.tap(({ exit }) => (exit === undefined ? Effect.die("still retries after a minute") : Effect.void)),
    Effect.provide(TestClock.layer()),
    Effect.runPromise
  )
}

const unavailable = (reason: StoreUnavailable["reason"]) => Effect.fail(new StoreUnavailable({ reason }))

describe("retryWhileBusy", () => {
  it("tries again while the store is busy", async () => {
    const { tries, exit } = await run((attempt) => (attempt < 4 ? unavailable("overloaded") : Effect.succeed("done")))
    expect(tries).toBe(4)
    expect(exit).toMatchObject({ _tag: "Success", value: "done" })
  })

  it("fails when the store stays busy for 30 seconds", async () => {
    const { tries, exit } = await run(() => unavailable("locked"))
    expect(tries).toBeGreaterThan(20)
    expect(tries).toBeLessThan(60)
    expect(exit).toMatchObject({ _tag: "Failure" })
  })

  it.each(["full", "closed", "moved"] as const)(
    "fails at once when the store is unavailable for the reason %s",
    async (reason) => {
      const { tries, exit } = await run(() => unavailable(reason))
      expect(tries).toBe(1)
      expect(exit).toMatchObject({ _tag: "Failure" })
    }
  )
})
