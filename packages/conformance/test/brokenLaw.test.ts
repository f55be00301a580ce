/**
 * Tests what the report of a broken law shows to the author of the adapter.
 */
import { StoreUnavailable } from "@mailkeep/core/adapter"
import { Context, Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Law } from "../src/index.ts"
import { runConformance } from "../src/index.ts"
import { same } from "../src/expectation.ts"

const detailOf = async (check: Law<never>["check"]) => {
  const law: Law<never> = { id: "a/b", statement: "It holds.", why: "decisions/0001-core-decides.md", check }
  const { laws } = await Effect.runPromise(
    runConformance(
      "mine",
      {
        port: "store",
        capabilities: [],
        laws: [law],
        open: () => Effect.succeed({ capabilities: {}, context: Context.empty() as Context.Context<never> })
      },
      {}
    )
  )
  return laws[0]?.detail
}

describe("the report of a broken law", () => {
  it("says where two answers differ first, before it shows them whole", async () => {
    const expected = {
      items: [
        { id: "con_1", at: 5 },
        { id: "con_2", at: 7 }
      ],
      total: 2
    }
    const actual = {
      items: [
        { id: "con_1", at: 5 },
        { id: "con_2", at: 0 }
      ],
      total: 2
    }
    expect(await detailOf(same("the page", actual, expected))).toMatch(
      /^the page, at items\[1\]\.at: expected 7, got 0\. The whole: expected \{.*\}, got \{.*\}$/
    )
  })

  it.each([
    [{ a: null }, {}, "the answer, at a: expected null, got no such field"],
    [{}, { a: undefined }, "the answer, at a: expected no such field, got undefined"],
    [[1, 2], [1], "the answer, at length: expected 2, got 1"],
    [{ a: [1] }, { a: { 0: 1 } }, "the answer, at a: expected [ 1 ], got { '0': 1 }"]
  ])("says where %j and %j differ", async (expected, actual, start) => {
    expect(await detailOf(same("the answer", actual, expected))).toContain(start)
  })

  it("shows values that are no records without a place", async () => {
    expect(await detailOf(same("the answer", 1, null))).toBe("the answer: expected null, got 1")
  })

  it("shows the cause of a failure, which has the words of the driver", async () => {
    const cause = new Error("SQLITE_ERROR: near ORDER", { cause: new Error("socket closed") })
    expect(await detailOf(Effect.fail(new StoreUnavailable({ reason: "full", cause })))).toMatch(
      /^expected no failure, got StoreUnavailable: .+ \(cause: Error: SQLITE_ERROR: near ORDER \(cause: Error: socket closed\)\)$/
    )
  })
})
