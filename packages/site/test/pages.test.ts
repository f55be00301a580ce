/**
 * Tests which files become pages of the site, in which order, and with which titles.
 */
import { describe, expect, it } from "vitest"
import { homePage, markdownFiles, pagesAmong, pathOf, readSource, titleOf } from "../src/pages.ts"
import { sidebarOf } from "../src/sidebar.ts"

const texts: Readonly<Record<string, string>> = {
  [homePage]: "# Documentation\n\n[b](guides/b.md) and [a](guides/a.md), [the API](../etc), [words](glossary.md).\n",
  "docs/guides/a.md": "# A\n",
  "docs/guides/b.md": "# `B` of *all*\n",
  "docs/guides/unlinked.md": "# Unlinked\n",
  "docs/glossary.md": "# Glossary\n",
  "etc/core.api.md": "# API of core\n",
  "packages/core/README.md": "# core\n",
  "packages/core/CHANGELOG.md": "no title"
}
const pages = pagesAmong(Object.keys(texts), (source) => texts[source]!)

describe("pathOf", () => {
  it.each([
    ["docs/README.md", "index.md"],
    ["docs/operations/README.md", "operations/index.md"],
    ["docs/guides/a.md", "guides/a.md"],
    ["packages/core/README.md", "packages/core.md"],
    ["examples/plain-server/README.md", "examples/plain-server.md"],
    ["etc/core.api.md", "API-reports/core.md"],
    ["SECURITY.md", "project/security.md"],
    ["README.md", undefined],
    ["packages/core/CHANGELOG.md", undefined],
    ["packages/core/test/README.md", undefined]
  ])("gives %s the path %s", (source, path) => {
    expect(pathOf(source)).toBe(path)
  })
})

describe("titleOf", () => {
  it("takes the first heading outside of code, without marks", () => {
    expect(titleOf("x.md", "```sh\n# no\n```\n\n# The `title`\n")).toBe("The title")
  })

  it("throws when a page has no title", () => {
    expect(() => titleOf("x.md", "## Small\n")).toThrow("x.md: has no heading of the first level")
  })
})

describe("pagesAmong", () => {
  it("orders the pages as the home page links to them, and puts the others last", () => {
    expect(pages.map(({ path }) => path)).toEqual([
      "index.md",
      "guides/b.md",
      "guides/a.md",
      "API-reports/core.md",
      "glossary.md",
      "guides/unlinked.md",
      "packages/core.md"
    ])
  })

  it("finds each guide, decision and README of the repository", () => {
    const all = pagesAmong(markdownFiles(), readSource)
    const sources = all.map(({ source }) => source)
    expect(sources[0]).toBe(homePage)
    expect(sources).toEqual(expect.arrayContaining(["docs/decisions/0001-core-decides.md", "packages/core/README.md"]))
    expect(new Set(all.map(({ path }) => path)).size).toBe(all.length)
  })
})

describe("sidebarOf", () => {
  it("has a group for each folder in the order of the pages, and the pages without a folder first", () => {
    const groups = sidebarOf(pages, "Mailkeep")
    expect(groups.map(({ text }) => text)).toEqual(["Mailkeep", "Guides", "API reports", "Packages"])
    expect(groups[0]?.items).toEqual([
      { text: "Documentation", link: "/" },
      { text: "Glossary", link: "/glossary.md" }
    ])
    expect(groups[1]?.items?.map(({ text }) => text)).toEqual(["B of all", "A", "Unlinked"])
  })

  it("closes a group of more than 12 pages", () => {
    const many = Array.from({ length: 13 }, (_, n) => ({
      source: `${n}`,
      path: `x/${n}.md`,
      title: `${n}`,
      section: "x"
    }))
    expect(sidebarOf(many, "M")[1]?.collapsed).toBe(true)
    expect(sidebarOf(many.slice(1), "M")[1]?.collapsed).toBe(false)
  })
})
