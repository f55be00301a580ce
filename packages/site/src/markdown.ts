/**
 * How the Markdown of the repository becomes the HTML of the site. Links are resolved, diagrams are drawn, and a text is never taken for a
 * component or an expression of Vue.
 */
import type { MarkdownRenderer } from "vitepress"
import { diagramOf } from "./diagram.ts"
import type { LinkTargets } from "./links.ts"
import { resolveLink } from "./links.ts"

interface Environment {
  /** The file of the page. VitePress sets `realPath` when the page has another path on the site. */
  readonly path: string
  readonly realPath?: string
}

const withoutComments = (html: string): string => html.replaceAll(/<!--[\s\S]*?-->/g, "")

const withoutTags = (html: string): string =>
  html.replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("{{", "&#123;&#123;")

const escaped = (text: string): string => withoutTags(text.replaceAll("&", "&amp;"))

/** Of HTML, pages have comments, line breaks and folded parts. Everything else is meant as text. */
const allowedHtml = (html: string): string =>
  withoutComments(html)
    .split(/(<br ?\/?>|<\/?(?:details|summary)>)/)
    .map((part, n) => (n % 2 === 1 ? part : withoutTags(part)))
    .join("")

/** Adds the rules to a renderer. `sourceOf` gives the path of a file from the root of the repository. */
export const useRules = (md: MarkdownRenderer, targets: LinkTargets, sourceOf: (file: string) => string): void => {
  md.core.ruler.push("repository-links", ({ tokens, env }) => {
    const { path, realPath = path } = env as Environment
    for (const { children } of tokens)
      for (const token of children ?? []) {
        const href = token.type === "link_open" ? token.attrGet("href") : null
        if (href !== null) token.attrSet("href", resolveLink(sourceOf(realPath), href, targets))
      }
  })
  md.renderer.rules.text = (tokens, index) => escaped(tokens[index]!.content)
  md.renderer.rules.code_inline = (tokens, index) => `<code v-pre>${escaped(tokens[index]!.content)}</code>`
  md.renderer.rules.html_inline = (tokens, index) => allowedHtml(tokens[index]!.content)
  md.renderer.rules.html_block = (tokens, index) => allowedHtml(tokens[index]!.content)
  const fence = md.renderer.rules.fence!
  md.renderer.rules.fence = (...all) => {
    const token = all[0][all[1]]!
    if (token.info.trim() === "mermaid")
      return `<div v-pre class="diagram" style="overflow-x: auto">${diagramOf(token.content)}</div>`
    const { path, realPath = path } = all[3] as Environment
    // The words behind the language are for the check of the examples. The declarations of a whole package are long, so they get no colors.
    token.info = sourceOf(realPath).startsWith("etc/") ? "text" : (token.info.trim().split(/\s/)[0] ?? "")
    return fence(...all)
  }
}
