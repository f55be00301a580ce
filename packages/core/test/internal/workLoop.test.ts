import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { StoreUnavailable } from "../../src/index.ts"
import { undeterred } from "../../src/internal/workLoop.ts"

/** Runs a loop for `seconds`, and returns its log lines and the number of its turns. */
const run = (seconds: number, turn: (n: number) => Effect.Effect<void, StoreUnavailable>) => {
  const lines: Array<unknown> = []
  let turns = 0
  const logger = Logger.make(({ message }) => void lines.push(message))
  return Effect.gen(function* () {
    const loop = yield* Effect.forkChild(
      undeterred(
        "The dispatcher",
        Effect.suspend(() => turn(turns++))
      )
    )
    yield* TestClock.adjust(`${seconds} seconds`)
    yield* Fiber.interrupt(loop)
    return { lines, turns }
  }).pipe(Effect.provide([TestClock.layer(), Logger.layer([logger])]), Effect.runPromise)
}

describe("a worker loop whose store fails", () => {
  it("logs one line every 10 s with the number of failed turns", async () => {
    const { lines, turns } = await run(60, () => Effect.fail(new StoreUnavailable({ reason: "full" })))
    expect(turns).toBe(61)
    expect(lines).toEqual([
      ["The dispatcher waits for the store.", { reason: "full" }],
      ...Array.from({ length: 5 }, () => ["The dispatcher waits for the store.", { reason: "full", failures: 10 }])
    ])
  })

  it("logs each reason separately, also a defect", async () => {
    const { lines } = await run(9, (n) =>
      n % 3 === 0
        ? Effect.die(new TypeError("a mistake"))
        : Effect.fail(new StoreUnavailable({ reason: n % 3 === 1 ? "full" : "locked" }))
    )
    expect(lines).toEqual([
      ["The dispatcher failed and continues.", { reason: "TypeError" }],
      ["The dispatcher waits for the store.", { reason: "full" }],
      ["The dispatcher waits for the store.", { reason: "locked" }]
    ])
  })
})
