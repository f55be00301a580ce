/**
 * Makes the text of a message from its html, for programs that show no html (RFC 2046 §5.1.4). The same html always gives the same text.
 *
 * The time that html-to-text takes grows with the square of the number of tags, so html with very many tags gets no text.
 */
import type { Formatter } from "html-to-text"
import { compile } from "html-to-text"

/** Html that is longer, in UTF-16 units, gets no text. */
const htmlLengthMax = 2 * 1024 * 1024

/** Html with more tags gets no text. Html at both bounds takes up to 0.4 s; 100 KB of it take 0.1 s. A newsletter has fewer than 3,000 tags. */
const tagsMax = 10_000

const headings = ["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } }))

/** Writes the content of a cell between spaces. Without them, the cells `2` and `10.00` of one row become `210.00`, when the html has no space there. */
const cell: Formatter = (element, walk, builder) => {
  builder.addInline(" ")
  walk(element.children, builder)
  builder.addInline(" ")
}

const convert = compile({
  wordwrap: 76,
  formatters: { cell },
  limits: { ellipsis: "", maxDepth: 200, maxInputLength: htmlLengthMax },
  selectors: [
    { selector: "a", options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
    ...["head", "title", "img", "template"].map((selector) => ({ selector, format: "skip" })),
    // Each row begins a new line.
    { selector: "tr", format: "block", options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    ...["td", "th"].map((selector) => ({ selector, format: "cell" })),
    ...headings
  ]
})

const hasManyTags = (html: string): boolean => {
  let tags = 0
  for (let at = html.indexOf("<"); at !== -1; at = html.indexOf("<", at + 1)) {
    tags++
    if (tags > tagsMax) return true
  }
  return false
}

/** Returns the text of the html, or `null` when the html has no text, is longer than 2 MiB or has more than 10,000 tags. */
export const textAlternativeOf = (html: string): string | null => {
  if (html.length > htmlLengthMax || hasManyTags(html)) return null
  const text = convert(html).trim()
  return text === "" ? null : text
}
