/**
 * Draws lines over a number, such as the time or the number of records.
 */
import { LineChart } from "echarts/charts"
import { use } from "echarts/core"
import { svgChart } from "./svgChart.ts"

use([LineChart])

interface Line {
  readonly name: string
  readonly points: ReadonlyArray<readonly [number, number]>
}

interface LinePlot {
  readonly title: string
  /** What the values are, and which are better. */
  readonly subtitle: string
  readonly x: { readonly name: string; readonly scale: "value" | "log" }
  /** One chart above the other. Each has a vertical axis of its own. */
  readonly panels: ReadonlyArray<{ readonly name: string; readonly lines: ReadonlyArray<Line> }>
}

const [titleHeight, panelHeight, panelGap] = [70, 220, 60]

/** The plot as SVG. */
export const linePlot = ({ title, subtitle, x, panels }: LinePlot): string => {
  const height = titleHeight + panels.length * (panelHeight + panelGap)
  return svgChart(height, {
    title: { text: title, subtext: subtitle, left: 10, top: 6, textStyle: { fontSize: 14 } },
    legend: { right: 10, top: 8, width: 380 },
    grid: panels.map((_, n) => ({
      left: 60,
      right: 40,
      top: titleHeight + n * (panelHeight + panelGap),
      height: panelHeight - 20
    })),
    xAxis: panels.map((_, n) => ({ type: x.scale, name: x.name, nameLocation: "middle", nameGap: 28, gridIndex: n })),
    yAxis: panels.map(({ name }, n) => ({ type: "value", name, min: 0, gridIndex: n })),
    series: panels.flatMap(({ lines }, n) =>
      lines.map(({ name, points }) => ({
        type: "line",
        name,
        data: points,
        xAxisIndex: n,
        yAxisIndex: n,
        symbolSize: points.length > 30 ? 0 : 5
      }))
    )
  })
}
