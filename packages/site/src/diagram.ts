/**
 * Draws the Mermaid diagrams of the pages while the site is built, so that a reader loads a picture and no code.
 */
import { renderMermaidSVG } from "beautiful-mermaid"

/** A list in a label gets one line for each entry, or the diagram would be as wide as its longest list. */
const withLines = (code: string): string => code.replaceAll(/, /g, ",<br/>")

/** The custom properties that the renderer puts into a style sheet. */
const propertiesOf = (svg: string): string =>
  [...svg.matchAll(/^\s*(--_[\w-]+):\s*(.+);$/gm)].map(([, name, value]) => `${name}:${value}`).join(";")

/**
 * The SVG of a diagram. Its colors follow the theme of the page. It has no style sheet: that of the renderer would load a font from another
 * host, and VitePress drops style sheets inside of a page.
 */
export const diagramOf = (code: string): string => {
  const svg = renderMermaidSVG(withLines(code), { bg: "var(--vp-c-bg)", fg: "var(--vp-c-text-1)", transparent: true })
  const properties = propertiesOf(svg)
  return svg
    .replace(/<style>[\s\S]*?<\/style>\s*/, "")
    .replace(
      / style="([^"]*)"/,
      (_, style: string) => ` style="${style};${properties}" font-family="inherit" role="img"`
    )
}
