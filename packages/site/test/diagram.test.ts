/**
 * Tests the pictures of diagrams: whole, without a style sheet, and with the colors of the page.
 */
import { describe, expect, it } from "vitest"
import { diagramOf } from "../src/diagram.ts"
import { foreignRequests } from "../src/ownHost.ts"
import { readSource } from "../src/pages.ts"

const svg = diagramOf(
  "stateDiagram-v2\n  [*] --> queued: SendAccepted\n  queued --> failed: SendExpired, MessageTooLarge\n"
)

describe("diagramOf", () => {
  it("draws each state and each label, and a list of labels in lines", () => {
    for (const text of ["queued", "failed", "SendAccepted", "SendExpired,", "MessageTooLarge"])
      expect(svg).toContain(`>${text}<`)
  })

  it("has no style sheet, loads nothing from another host, and takes the colors of the page", () => {
    expect(svg).not.toContain("<style")
    expect(foreignRequests("x.html", svg)).toEqual([])
    expect(svg).toContain("--bg:var(--vp-c-bg)")
    const used = new Set([...svg.matchAll(/var\((--_[\w-]+)\)/g)].map(([, name]) => name!))
    expect(used.size).toBeGreaterThan(0)
    for (const name of used) expect(svg).toContain(`${name}:`)
  })

  it("draws every diagram of the reference pages and of the architecture", () => {
    const codes = ["docs/reference/delivery-states.md", "docs/architecture.md"].flatMap((file) =>
      [...readSource(file).matchAll(/^```mermaid\n([\s\S]*?)^```/gm)].map(([, code]) => code!)
    )
    expect(codes.length).toBeGreaterThan(1)
    for (const code of codes) expect(diagramOf(code)).toMatch(/^<svg [\s\S]*<\/svg>\s*$/)
  })
})
