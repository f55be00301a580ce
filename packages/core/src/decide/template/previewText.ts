/**
 * Inserts a preview text into HTML. Mail programs show it next to the subject; the message itself hides it. Source: decision 0027.
 */
import { escapeHtml } from "../../domain/template/Mustache.ts"

/** Returns the index after the tag that starts at `from`, or -1. A `>` in a quoted attribute value does not end the tag. */
const tagEnd = (html: string, from: number): number => {
  let quote = ""
  let afterEquals = false
  for (let index = from; index < html.length; index++) {
    const character = html[index]!
    if (quote !== "") {
      if (character === quote) quote = ""
    } else if (character === ">") return index + 1
    else if (afterEquals && (character === '"' || character === "'")) quote = character
    if (!/\s/.test(character)) afterEquals = character === "="
  }
  return -1
}

const bodyTag = /^<body[\s/>]$/i

/** Returns the index after the opening `<body>` tag, or 0 if there is none. Skips comments and reads each character once. */
const bodyStart = (html: string): number => {
  let start = html.indexOf("<")
  while (start !== -1) {
    const isComment = html.startsWith("<!--", start)
    const isTag = /[a-z/]/i.test(html.charAt(start + 1))
    const commentEnd = isComment ? html.indexOf("-->", start + 4) : 0
    const end = isComment ? (commentEnd === -1 ? -1 : commentEnd + 3) : isTag ? tagEnd(html, start + 1) : start + 1
    if (end === -1) return 0
    if (bodyTag.test(html.slice(start, start + 6))) return end
    start = html.indexOf("<", end)
  }
  return 0
}

/** Inserts the escaped, hidden preview text at the start of the HTML body. Takes linear time. */
export const withPreview = (html: string, preview: string): string => {
  const at = bodyStart(html)
  const hidden = `<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(preview)}</div>`
  return html.slice(0, at) + hidden + html.slice(at)
}
