/**
 * Tests to which address of the site each kind of link in the repository leads.
 */
import { describe, expect, it } from "vitest"
import { anchorOf, resolveLink } from "../src/links.ts"
import type { Page } from "../src/pages.ts"
import { pathOf } from "../src/pages.ts"

const sources = ["docs/README.md", "docs/guides/a.md", "etc/core.api.md", "examples/plain-server/README.md"]
const pages = sources.map((source): Page => ({ source, path: pathOf(source)!, title: "", section: "" }))
const existing = new Set(["packages/core/src/index.ts", "docs/operations/grafana.json"])
const targets = { pages, exists: (path: string) => existing.has(path), repository: "https://git.example/mailkeep" }

describe("resolveLink", () => {
  it.each([
    ["docs/README.md", "guides/a.md", "/guides/a.md"],
    ["docs/README.md", "guides/a.md#one-two", "/guides/a.md#one-two"],
    ["docs/guides/a.md", "../README.md", "/"],
    ["docs/guides/a.md", "../../README.md", "/"],
    ["docs/README.md", "../etc", "/API-reports/core.md"],
    ["docs/README.md", "../examples/plain-server/", "/examples/plain-server.md"],
    ["docs/guides/a.md", "#here", "#here"],
    ["docs/guides/a.md", "https://example.org/x#y", "https://example.org/x#y"],
    ["docs/guides/a.md", "mailto:ada@example.org", "mailto:ada@example.org"],
    [
      "docs/guides/a.md",
      "../operations/grafana.json",
      "https://git.example/mailkeep/blob/HEAD/docs/operations/grafana.json"
    ],
    [
      "docs/guides/a.md",
      "../../packages/core/src/index.ts",
      "https://git.example/mailkeep/blob/HEAD/packages/core/src/index.ts"
    ]
  ])("resolves in %s the link %s to %s", (source, href, address) => {
    expect(resolveLink(source, href, targets)).toBe(address)
  })

  it.each(["gone.md", "../../packages/core/src/gone.ts", "../../../outside.md", "/docs/guides/a.md"])(
    "throws for the dead link %s",
    (href) => {
      expect(() => resolveLink("docs/guides/a.md", href, targets)).toThrow(`docs/guides/a.md: the link ${href}`)
    }
  )
})

describe("anchorOf", () => {
  it.each([
    ["1. Install", "1-install"],
    ["What readReports reads", "what-readreports-reads"],
    ["Health, metrics and spans", "health-metrics-and-spans"],
    ["snake_case – and more", "snake_case--and-more"]
  ])("makes of the heading %s the anchor %s", (heading, anchor) => {
    expect(anchorOf(heading)).toBe(anchor)
  })
})
