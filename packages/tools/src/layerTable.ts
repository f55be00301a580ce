/**
 * The table of layers in the architecture page, from `layers.ts`.
 */
import { layerNames, restrictionsOf, rulesOf } from "./layers.ts"
import { alignedTable } from "./markdown.ts"
import { read } from "./workspace.ts"

const page = "docs/architecture.md"
const marked = /(<!-- layers: generated from \S+ -->\n)[\s\S]*?(\n<!-- end of layers -->)/

const rows = layerNames.map((layer) => [
  `\`${layer}\``,
  rulesOf(layer).is,
  rulesOf(layer)
    .imports.map((name) => `\`${name}\``)
    .join(", ") || "nothing",
  restrictionsOf(layer)
    .map(({ says }) => says)
    .join("; ")
])

/** The architecture page with the current table. */
export const architecturePage = (): string => {
  const text = read(page)
  if (!marked.test(text)) throw new Error(`${page} has no place for the table of layers`)
  const table = alignedTable(["Layer", "Contains", "May import", "Restrictions"], rows)
  return text.replace(marked, (_, start: string, end: string) => `${start}\n${table}\n${end}`)
}
