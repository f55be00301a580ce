/**
 * The plot of one row: the first metric of each side, on each disk. For a row with a curve, every metric over the number of records.
 */
import { BarChart } from "echarts/charts"
import { use } from "echarts/core"
import type { Row } from "./Row.ts"
import { linePlot } from "./linePlot.ts"
import { numberText } from "./performancePage.ts"
import type { RowResult } from "./results.ts"
import { svgChart } from "./svgChart.ts"

use([BarChart])

const diskNames = { "as-is": "disk as it is", "2ms": "sync + 2 ms", "20ms": "sync + 20 ms" } as const
const colors = { "as-is": "#3b6ea5", "2ms": "#d08a2e", "20ms": "#8c4a6b" } as const

const curvePlot = ({ title, metrics, curve }: Row & Required<Pick<Row, "curve">>, { sides, size }: RowResult): string =>
  linePlot({
    title,
    subtitle: `${metrics[0].unit}; ${metrics[0].better} is better`,
    x: { name: curve.records, scale: "log" },
    panels: [
      {
        name: metrics[0].unit,
        lines: metrics.map(({ name }) => ({
          name,
          points: sides
            .flatMap((side) => {
              const value = side.figures[name]?.median
              return value === undefined ? [] : [[curve.countOf(side.name, size), value] as const]
            })
            .toSorted(([a], [b]) => a - b)
        }))
      }
    ]
  })

/** The plot as SVG. */
export const plotOf = (row: Row, results: ReadonlyArray<RowResult>): string => {
  const {
    title,
    curve,
    metrics: [metric]
  } = row
  if (curve !== undefined) return curvePlot({ ...row, curve }, results[0]!)
  const names = [...new Set(results.flatMap(({ sides }) => sides.map(({ name }) => name)))].toReversed()
  const height = 90 + names.length * (14 + 18 * results.length)
  return svgChart(height, {
    title: {
      text: title,
      subtext: `${metric.unit}; ${metric.better} is better`,
      left: 10,
      top: 6,
      textStyle: { fontSize: 14 }
    },
    legend: { right: 10, top: 8 },
    grid: { left: 10, right: 70, top: 60, bottom: 6 },
    xAxis: { type: "value", splitNumber: 4 },
    yAxis: { type: "category", data: names },
    series: results.map(({ disk, sides }) => ({
      type: "bar",
      name: diskNames[disk],
      color: colors[disk],
      barMaxWidth: 16,
      label: {
        show: true,
        position: "right",
        formatter: ({ value }: { readonly value: unknown }) => numberText(value as number)
      },
      data: names.map((name) => sides.find((side) => side.name === name)?.figures[metric.name]?.median ?? null)
    }))
  })
}
