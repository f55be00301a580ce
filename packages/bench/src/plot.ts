/**
 * The plot of one row: the first metric of each side, on each disk.
 */
import { BarChart } from "echarts/charts"
import { GridComponent, LegendComponent, TitleComponent } from "echarts/components"
import { init, use } from "echarts/core"
import { SVGRenderer } from "echarts/renderers"
import type { Row } from "./Row.ts"
import { numberText } from "./performancePage.ts"
import type { RowResult } from "./results.ts"

use([BarChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer])

const diskNames = { "as-is": "disk as it is", "2ms": "sync + 2 ms" } as const
const colors = { "as-is": "#3b6ea5", "2ms": "#d08a2e" } as const

/** The plot as SVG. */
export const plotOf = ({ title, metrics: [metric] }: Row, results: ReadonlyArray<RowResult>): string => {
  const names = [...new Set(results.flatMap(({ sides }) => sides.map(({ name }) => name)))].toReversed()
  const height = 90 + names.length * (14 + 18 * results.length)
  const chart = init(null, null, { renderer: "svg", ssr: true, width: 720, height })
  chart.setOption({
    animation: false,
    backgroundColor: "#ffffff",
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
  const svg = chart.renderToSVGString()
  chart.dispose()
  return svg
}
