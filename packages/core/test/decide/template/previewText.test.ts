import { describe, expect, it } from "vitest"
import { withPreview } from "../../../src/decide/template/previewText.ts"

const hidden = '<div style="display:none;max-height:0;overflow:hidden">P &amp; Q</div>'

describe("withPreview", () => {
  it.each([
    ["at the start when there is no body", "|<p>Hi</p>"],
    ["after the body tag", "<html><body>|Hi</body></html>"],
    ["after a body tag with attributes, in any case", "<BODY class='a > b' data-x=\"<body>\">|Hi</BODY>"],
    ["after a body tag over several lines", "<body\n  lang=en\n>|Hi"],
    ["after the body tag, not after one in a comment", "<!-- <body> --><body>|Hi"],
    ["after the body tag, not after one in a conditional comment", "<!--[if mso]><body><![endif]--><body>|Hi"],
    ["after the body tag, not after one in an attribute", '<meta content="<body>"><body>|Hi'],
    ["after the body tag, despite an apostrophe in an earlier tag", "<p it's><body>|Hi"],
    ["at the start when the name only begins with body", "|<bodyguard>Hi"],
    ["at the start when the body tag is not closed", "|<p>Hi</p><body class='a"],
    ["at the start when a comment is not closed", "|<!-- <body>"],
    ["after the body tag, despite earlier less-than signs", "1 < 2 <<body>|Hi"],
    ["at the start of an empty text", "|"]
  ])("inserts the preview text %s", (_, html) => {
    expect(withPreview(html.replace("|", ""), "P & Q")).toBe(html.replace("|", hidden))
  })

  it.each([
    ["body tags that are not closed", "<body "],
    ["comments that are not closed", "<!-- "],
    ["quotes that are not closed", '<a b="'],
    ["less-than signs", "<"],
    ["paragraphs", "<p>x</p>"]
  ])("reads 2 MiB of %s in linear time", { timeout: 60_000 }, (_, piece) => {
    const html = piece.repeat((2 * 1024 * 1024) / piece.length)
    expect(withPreview(html, "P & Q")).toBe(hidden + html)
  })
})
