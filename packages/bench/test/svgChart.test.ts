import { describe, expect, it } from "vitest"
import { linePlot } from "../src/linePlot.ts"

const plot = (title: string) =>
  linePlot({
    title,
    subtitle: "ms; lower is better",
    x: { name: "deliveries", scale: "value" },
    panels: [
      {
        name: "ms",
        lines: [
          {
            name: "claim",
            points: [
              [0, 1],
              [1, 2]
            ]
          }
        ]
      }
    ]
  })

describe("svgChart", () => {
  it("draws the same chart as the same text, also after another chart", () => {
    const first = plot("Claims")
    plot("Others")
    expect(plot("Claims")).toBe(first)
    expect(first).toContain('class="c0"')
  })
})
