/**
 * Makes the text of a message from its html, for programs that show no html (RFC 2046 §5.1.4). The same html always gives the same text.
 *
 * The time that html-to-text takes grows with the square of the number of tags, so html with very many tags gets no text.
 */
import type { Formatter, InlineTextBuilder, Node } from "html-to-text"
import { compile } from "html-to-text"
import { remembering } from "./remembering.ts"

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

/**
 * Characters and elements in quotes, lists and links. What is in several of them counts once for each. Html with more gets no text, because each level adds
 * a mark to each line, and html-to-text reads all lines again. Html at this bound takes about 0.5 s.
 */
const nestedUnitsMax = 1024 * 1024

const unitsIn = (node: Node): number => {
  let units = 0
  const left = [node]
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    units += 1 + (one.data?.length ?? 0)
    for (const child of one.children ?? []) left.push(child)
  }
  return units
}

/** Writes the element by another formatter, within `nestedUnitsMax`. */
const bounded =
  (format: string): Formatter =>
  (element, walk, builder, options) => {
    builder.metadata.nestedUnits += unitsIn(element)
    if (builder.metadata.nestedUnits > nestedUnitsMax) throw new RangeError("The html is nested too much.")
    builder.options.formatters[format]!(element, walk, builder, options)
  }

/**
 * html-to-text reads a whole word again for each tag in it, to look for a place where the word may be split. With the options of this file it splits no
 * word, so it need not look. Another user of html-to-text in the process may have other options.
 */
const splitNoWords: Formatter = (_element, _walk, builder) => {
  // A later version of html-to-text may have other parts. It then takes longer.
  if (builder._stackItem?.inlineTextBuilder === undefined) return
  const words = Object.getPrototypeOf(builder._stackItem.inlineTextBuilder) as InlineTextBuilder
  const { splitLongWord } = words
  words.splitLongWord = function (this: InlineTextBuilder, word) {
    return this.wrapCharacters.length === 0 && !this.forceWrapOnLimit ? [word] : splitLongWord.call(this, word)
  }
}

compile({ formatters: { splitNoWords }, selectors: [{ selector: "p", format: "splitNoWords" }] })("<p>", {
  nestedUnits: 0
})

const convert = compile({
  wordwrap: 76,
  formatters: {
    cell,
    link: bounded("anchor"),
    quote: bounded("blockquote"),
    bullets: bounded("unorderedList"),
    numbers: bounded("orderedList")
  },
  limits: { ellipsis: "", maxDepth: 200, maxInputLength: htmlLengthMax },
  selectors: [
    { selector: "blockquote", format: "quote" },
    { selector: "ul", format: "bullets" },
    { selector: "ol", format: "numbers" },
    { selector: "a", format: "link", options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
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

/** Html for which html-to-text throws gets no text. The mail can be sent without it. */
const converted = (html: string): string => {
  try {
    return convert(html, { nestedUnits: 0 })
  } catch {
    return ""
  }
}

const textWithin = (html: string): string | null => {
  if (html.length > htmlLengthMax || hasManyTags(html)) return null
  const text = converted(html).trim()
  return text === "" || text.length > htmlLengthMax ? null : text
}

/**
 * Returns the text of the html. Returns `null` when the html has no text, is longer than 2 MiB, has more than 10,000 tags, or has much text in many
 * quotes, lists or links. Returns `null` also when the text would be longer than 2 MiB, or when html-to-text cannot convert the html.
 *
 * It remembers the last texts, because the recipients of a message have the same html, and so may all messages of a newsletter. A text of 17 KB of html
 * takes 4 ms, and less than 0.2 ms when it is remembered.
 */
export const textAlternativeOf = remembering(textWithin, { countMax: 8, lengthMax: 256 * 1024 })
