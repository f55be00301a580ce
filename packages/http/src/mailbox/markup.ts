/**
 * HTML as a value. A template escapes every text that it contains, so that nothing of a mail becomes markup.
 */

/** Text that is HTML. */
export interface Markup {
  readonly html: string
}

/** What a template may contain. A text is escaped; `null` adds nothing. */
export type Content = Markup | string | number | null | ReadonlyArray<Content>

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** The text as HTML, for an element and for an attribute in quotation marks. A null character becomes U+FFFD, as in a browser. */
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character]!).replaceAll("\0", "\ufffd")

const htmlOf = (content: Content): string => {
  if (content === null) return ""
  if (typeof content === "string") return escapeHtml(content)
  if (typeof content === "number") return String(content)
  return "html" in content ? content.html : content.map(htmlOf).join("")
}

/** A template of HTML. Attributes with a value need quotation marks. */
export const markup = (strings: TemplateStringsArray, ...contents: ReadonlyArray<Content>): Markup => ({
  html: strings.reduce((before, after, at) => `${before}${htmlOf(contents[at - 1] ?? null)}${after}`)
})
