/**
 * Draws a chart as SVG. The same chart always gives the same text.
 */
import { GridComponent, LegendComponent, TitleComponent } from "echarts/components"
import { init, use } from "echarts/core"
import { SVGRenderer } from "echarts/renderers"

use([GridComponent, LegendComponent, TitleComponent, SVGRenderer])

/** The library numbers the classes and ids of all charts of a process. */
const numbered = /\bzr\d+-c(?:ls-)?\d+\b/g

/** Numbers the classes and ids within the chart, so that a chart does not depend on those before it. */
const numberedAlone = (svg: string): string => {
  const names = new Map<string, string>()
  return svg.replaceAll(numbered, (name) => {
    const own = names.get(name) ?? `c${names.size}`
    names.set(name, own)
    return own
  })
}

/** The chart as SVG. `options` are those of ECharts. */
export const svgChart = (height: number, options: object): string => {
  const chart = init(null, null, { renderer: "svg", ssr: true, width: 720, height })
  chart.setOption({ animation: false, backgroundColor: "#ffffff", ...options })
  const svg = chart.renderToSVGString()
  chart.dispose()
  return numberedAlone(svg)
}
