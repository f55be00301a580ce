/**
 * Tests of the results of the measurements, and of the page that shows them.
 */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { figuresPart, numberText, plotFile, withFigures } from "../src/performancePage.ts"
import type { RowResult } from "../src/results.ts"
import { goalValue, isReached, mergeResults, toResult } from "../src/results.ts"
import type { Row } from "../src/Row.ts"
import { rows } from "../src/rows.ts"

const docs = (file: string): string => fileURLToPath(new URL(`../../../docs/${file}`, import.meta.url))

const row: Row = {
  name: "sample",
  title: "A sample",
  about: "A sample of a row.",
  metrics: [{ name: "per second", unit: "sends/s", better: "higher" }],
  ours: { name: "mailkeep", run: async () => ({}) },
  peers: [{ name: "peer", run: async () => ({}) }],
  goals: [
    { metric: "per second", is: "at least", value: 200 },
    { metric: "per second", is: "at least", ratio: 1, peer: "peer" }
  ]
}

const rounds = (...values: ReadonlyArray<number>) => values.map((value) => ({ "per second": value }))

const sample = (disk: RowResult["disk"] = "as-is"): RowResult =>
  toResult(row, { disk, size: "small" }, [
    { name: "mailkeep", rounds: rounds(100, 300, 200) },
    { name: "peer", rounds: rounds(50, 600, 400) }
  ])

describe("toResult", () => {
  it("returns the median and the extremes of the rounds", () => {
    expect(sample().sides[0]).toEqual({
      name: "mailkeep",
      figures: { "per second": { median: 200, min: 100, max: 300 } }
    })
  })

  it("returns the median of the ratios of each round, and not the ratio of the medians", () => {
    // The ratios are 2, 0.5 and 0.5.
    expect(sample().sides[1]!.ratios).toEqual({ "per second": 0.5 })
  })

  it("omits a metric that a side does not measure", () => {
    const result = toResult(row, { disk: "as-is", size: "small" }, [
      { name: "mailkeep", rounds: rounds(100) },
      { name: "peer", rounds: [{}] }
    ])
    expect(result.sides[1]).toEqual({ name: "peer", figures: {}, ratios: {} })
  })
})

describe("goals", () => {
  it("compares the median with a value, and the ratio with a ratio", () => {
    const [value, ratio] = row.goals as [Row["goals"][number], Row["goals"][number]]
    expect([goalValue(sample(), value), goalValue(sample(), ratio)]).toEqual([200, 0.5])
    expect([isReached(200, value), isReached(199, value), isReached(0.5, ratio)]).toEqual([true, false, false])
  })

  it("accepts a smaller value when the goal is at most", () => {
    const goal = { metric: "p99", is: "at most", value: 50 } as const
    expect([isReached(50, goal), isReached(51, goal)]).toEqual([true, false])
  })

  it("has no value when the peer did not run", () => {
    const alone = toResult(row, { disk: "as-is", size: "small" }, [{ name: "mailkeep", rounds: rounds(100) }])
    expect(goalValue(alone, row.goals[1]!)).toBeUndefined()
  })
})

describe("mergeResults", () => {
  it("replaces the result of the same row and disk, and keeps the others in the order of the rows", () => {
    const other = { ...sample(), row: "other" }
    const again = { ...sample(), rounds: 9 }
    expect(
      mergeResults([sample(), sample("2ms"), other], [again], ["other", "sample"]).map((one) => [
        one.row,
        one.disk,
        one.rounds
      ])
    ).toEqual([
      ["other", "as-is", 3],
      ["sample", "as-is", 9],
      ["sample", "2ms", 3]
    ])
  })

  it("drops the results of rows that no longer exist", () => {
    expect(mergeResults([{ ...sample(), row: "gone" }], [], ["sample"])).toEqual([])
  })
})

describe("figuresPart", () => {
  it("shows the value, the ratio and whether each goal is reached", () => {
    const part = figuresPart([row], [sample()])
    expect(part).toContain("| as it is | per second, sends/s | **200** | 400 (0.5) |")
    expect(part).toContain("- Goal: per second at least 200 sends/s. as it is: 200, reached.")
    expect(part).toContain("- Goal: per second at least 1 times peer. as it is: 0.5, **not reached**.")
  })

  it("has no empty paragraph for a row without goals", () => {
    expect(figuresPart([{ ...row, goals: [] }], [sample()])).not.toMatch(/\n{3}/)
  })

  it("shows three significant digits, and whole numbers from 100", () => {
    expect([0.012345, 1.2345, 99.95, 12345.6].map(numberText)).toEqual(["0.0123", "1.23", "100", "12,346"])
  })
})

/** The formatter aligns tables, which changes only spaces and dashes. */
const withoutAlignment = (page: string): string => page.replaceAll(/[ -]+/g, " ")

describe("docs/performance.md", () => {
  const results = JSON.parse(readFileSync(docs("performance.json"), "utf8")) as ReadonlyArray<RowResult>
  const page = readFileSync(docs("performance.md"), "utf8")

  it("has the figures of docs/performance.json", () => {
    expect(withoutAlignment(withFigures(page, figuresPart(rows, results)))).toBe(withoutAlignment(page))
  })

  it("has a plot of each measured row", () => {
    const measured = rows.filter(({ name }) => results.some((result) => result.row === name))
    expect(measured.filter((one) => !existsSync(docs(plotFile(one))))).toEqual([])
    expect(measured.length).toBeGreaterThan(0)
  })
})
