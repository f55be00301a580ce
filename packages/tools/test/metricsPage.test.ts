/**
 * The page of the metrics, and the dashboard over them.
 */
import type { MetricRow } from "@mailkeep/core/binding"
import { metricTable } from "@mailkeep/core/binding"
import { describe, expect, it } from "vitest"
import { metricsPage, unknownSeries, unusedMetrics } from "../src/metricsPage.ts"
import { files, read } from "../src/workspace.ts"

const dashboard = "docs/operations/grafana.json"

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: ReadonlyArray<{ readonly expr: string }>
}

const { panels } = JSON.parse(read(dashboard)) as { readonly panels: ReadonlyArray<Panel> }
const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

describe("unknownSeries", () => {
  it("finds a name that no metric has, such as a histogram without its suffix", () => {
    expect(unknownSeries("rate(mailkeep_sends_total[1m])")).toEqual([])
    expect(unknownSeries("rate(mailkeep_send_total[1m])")).toEqual(["mailkeep_send_total"])
    expect(unknownSeries("mailkeep_commit_seconds")).toEqual(["mailkeep_commit_seconds"])
    expect(unknownSeries("mailkeep_commit_seconds_bucket")).toEqual([])
  })
})

describe("the page of the metrics", () => {
  it("has each metric with its labels, and every boundary of a histogram", () => {
    const page = metricsPage()
    expect(unusedMetrics(`${page}\n${page.replaceAll(/`(mailkeep_\w+)`/g, "$1_count")}`)).toEqual([])
    for (const { help, boundaries } of Object.values<MetricRow>(metricTable)) {
      expect(page).toContain(help)
      expect(page).toContain((boundaries ?? []).join(", "))
    }
  })
})

describe("the dashboard", () => {
  it("names only series that exist", () => {
    expect(expressions.length).toBeGreaterThan(20)
    expect(unknownSeries(read(dashboard))).toEqual([])
  })

  it("shows every metric", () => {
    expect(unusedMetrics(expressions.join("\n"))).toEqual([])
  })

  it("names only labels and values that their metric has", () => {
    const rows = Object.entries<MetricRow>(metricTable)
    for (const expression of expressions)
      for (const [, name, label, value] of expression.matchAll(/(mailkeep_\w+)\{[^}]*?, (\w+)="([^"]*)"\}/g)) {
        const [, row] = rows.find(([metric]) => metric === name)!
        expect(row.labels[label!]).toContain(value)
      }
    expect(expressions.join()).toContain('status="bounced"')
    const grouped = [...expressions.join().matchAll(/by \(([^)]+)\)/g)].flatMap(([, labels]) => labels!.split(", "))
    const all = new Set(["le", ...rows.flatMap(([, { labels }]) => Object.keys(labels))])
    for (const label of grouped) expect(all).toContain(label)
  })

  it("has balanced brackets in each expression", () => {
    for (const expression of expressions)
      for (const [open, close] of ["()", "{}", "[]"])
        expect(expression.split(open!).length, expression).toBe(expression.split(close!).length)
  })

  it("has panels with unique ids that do not overlap", () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)}/${y + Math.floor(n / w)}`)
    )
    expect(new Set(cells).size).toBe(cells.length)
  })
})

describe("each page of operations", () => {
  it("names only series that exist", () => {
    const pages = files("docs/operations/*.md")
    expect(pages).toContain("docs/operations/README.md")
    for (const page of pages) expect([page, unknownSeries(read(page))]).toEqual([page, []])
  })
})
