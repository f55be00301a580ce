/**
 * Tests a plan source that fails by a bug: the log says for which project, and what is wrong.
 */
import { project, send, start, stopped, stores, withTestMail } from "@mailkeep/test-support"
import { eventLoopTurns } from "@mailkeep/test-support/eventLoop"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Dispatcher, PlanSource } from "../../../src/index.ts"
import { at } from "./sendOptions.ts"

/** A scheduled message becomes due while the function of the product fails. Returns the lines about the plan source. */
const linesOf = (failing: () => object) => {
  let isFailing = false
  const lines: Array<unknown> = []
  const log = Logger.layer([Logger.make(({ message }) => void lines.push(message))])
  return withTestMail(stores[0], { plans: PlanSource.layerFromPromises(() => (isFailing ? failing() : {})) })(
    Effect.gen(function* () {
      yield* send("k", at(start + 1000))
      isFailing = true
      const running = yield* Effect.forkChild(Effect.flatMap(Dispatcher, ({ run }) => run))
      yield* TestClock.adjust("2 seconds")
      yield* eventLoopTurns(100)
      yield* stopped(running)
      return lines.filter((line) => Array.isArray(line) && line[0] === "The plan source failed.")
    }).pipe(Effect.provide(log))
  )
}

class NoDatabase extends Error {}

describe("a plan source that fails by a bug", () => {
  it("logs the project and the error of a function that throws, without its message", async () => {
    const lines = await linesOf(() => {
      throw new NoDatabase("ada@example.org")
    })
    expect(lines).toEqual([
      [
        "The plan source failed.",
        {
          projectId: project,
          error: "NoDatabase",
          at: expect.arrayContaining([expect.stringContaining("failedPlanSource")])
        }
      ]
    ])
    expect(JSON.stringify(lines)).not.toContain("ada@example.org")
  })

  it("logs the project and what is wrong with limits that are not valid", async () => {
    expect(await linesOf(() => ({ dailySend: 1 }))).toMatchObject([
      ["The plan source failed.", { projectId: project, problem: expect.stringContaining("plan.dailySend") }]
    ])
  })
})
