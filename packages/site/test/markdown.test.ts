/**
 * Tests that a text of a page is shown unchanged, although the page becomes a component of Vue.
 */
import { createMarkdownRenderer } from "vitepress"
import { expect, it } from "vitest"
import { anchorOf } from "../src/links.ts"
import { useRules } from "../src/markdown.ts"

const targets = { pages: [], exists: (path: string) => path === "packages/x.ts", repository: "https://git.example/m" }
const renderer = await createMarkdownRenderer(".", {
  anchor: { slugify: anchorOf },
  config: (md) => useRules(md, targets, (file) => file)
})
const render = (text: string, path = "docs/x.md"): string => renderer.render(text, { path })

it.each([
  ["an expression", "Dear {{who}}, hello", "Dear &#123;&#123;who}}, hello"],
  ["an expression in code", "`{{{who}}}`", "<code v-pre>&#123;&#123;{who}}}</code>"],
  ["a tag", "An Array<string> here", "An Array&lt;string&gt; here"],
  ["a line break", "one<br>two", "one<br>two"],
  ["a script", "<script>go()</script>", "&lt;script&gt;go()&lt;/script&gt;"]
])("shows %s as text", (_, text, html) => {
  expect(render(text)).toContain(html)
})

it("gives a heading its anchor, and no other text", () => {
  const html = render("# Files & more")
  expect(html).toContain('id="files--more"')
  expect(html.replaceAll(/<[^>]*>|&ZeroWidthSpace;/g, "").trim()).toBe("Files &amp; more")
})

it("leaves out the comments of a page", () => {
  expect(render("<!-- file: x.ts -->\n\ntext")).not.toContain("file:")
})

it("resolves the links of a page, and throws for a dead link", () => {
  expect(render("[x](../packages/x.ts)")).toContain('href="https://git.example/m/blob/HEAD/packages/x.ts"')
  expect(() => render("[x](../packages/gone.ts)")).toThrow("does not exist")
})

it("draws a diagram, and shows other code by its language alone", () => {
  expect(render("```mermaid\nflowchart LR\n  a --> b\n```")).toContain("<svg ")
  expect(render("```ts no-run It needs a relay.\nconst a = 1\n```")).toContain("language-ts")
  expect(render("```ts\nconst a = 1\n```", "etc/x.api.md")).toContain("language-text")
})
