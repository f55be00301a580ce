import { describe, expect, it } from "vitest"
import type { MetricRow } from "../../../src/domain/observability/metricTable.ts"
import { metricTable } from "../../../src/domain/observability/metricTable.ts"

const rows = Object.entries<MetricRow>(metricTable)

describe("metricTable", () => {
  it.each(rows)("names %s by the conventions of Prometheus", (name, { kind, help }) => {
    expect(name).toMatch(/^mailkeep_[a-z]+(?:_[a-z]+)*$/)
    expect(name.endsWith("_total")).toBe(kind === "counter")
    expect(help).toMatch(/\.$/)
    expect(/\b(?:time|how long)\b/i.test(help) && kind !== "counter").toBe(name.endsWith("_seconds"))
  })

  it.each(rows.filter(([, { labels }]) => Object.keys(labels).length > 0))(
    "gives each label of %s a closed list of plain words",
    (_, { labels }) => {
      for (const [label, values] of Object.entries(labels)) {
        expect(label).toMatch(/^[a-z]+$/)
        expect(values.length).toBeGreaterThan(0)
        expect(new Set(values).size).toBe(values.length)
        for (const value of values) expect(value).toMatch(/^[a-z_]+$/)
      }
    }
  )

  it("gives every histogram growing boundaries, and only a histogram", () => {
    for (const [name, { kind, boundaries }] of rows) {
      expect([name, boundaries !== undefined]).toEqual([name, kind === "histogram"])
      expect(boundaries ?? []).toEqual((boundaries ?? []).toSorted((a, b) => a - b))
    }
  })

  it("has a fixed number of series below 100", () => {
    const seriesOf = ({ labels }: MetricRow) =>
      Object.values(labels).reduce((product, values) => product * values.length, 1)
    expect(rows.reduce((sum, [, row]) => sum + seriesOf(row), 0)).toBeLessThan(100)
  })
})
