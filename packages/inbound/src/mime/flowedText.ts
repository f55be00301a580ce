/**
 * Reads text whose lines are flowed: a space at the end of a line says that its paragraph continues on the next line. Source: RFC 3676 §4.
 */

/** The line before a signature. It never flows. Source: RFC 3676 §4.3. */
const signatureLine = "-- "

/**
 * Returns the text with each paragraph on one line. Its lines end with `\n`. `deletesSpace`: the space at the end of a line is not part of the text, as in
 * a language without spaces. Copies only what stays, because a hostile text has millions of lines.
 */
export const joinFlowedLines = (text: string, deletesSpace: boolean): string => {
  const kept: Array<string> = []
  let keptFrom = 0
  const drop = (from: number, to: number) => {
    kept.push(text.slice(keptFrom, from))
    keptFrom = to
  }
  let before = { flows: false, depth: 0 }
  for (let start = 0, end = 0; start <= text.length; start = end + 1) {
    end = text.indexOf("\n", start)
    if (end < 0) end = text.length
    let content = start
    while (text[content] === ">") content++
    const depth = content - start
    // A sender adds a space to a line that begins with a space, `>` or `From `. Source: RFC 3676 §4.4.
    if (text[content] === " ") content++
    const isSignature = end - content === signatureLine.length && text.startsWith(signatureLine, content)
    if (before.flows && before.depth === depth && !isSignature) drop(deletesSpace ? start - 2 : start - 1, content)
    else if (depth === 0 && content > start) drop(start, content)
    before = { flows: end > content && text[end - 1] === " " && !isSignature, depth }
  }
  return kept.join("") + text.slice(keptFrom)
}
