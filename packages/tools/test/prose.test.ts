import { describe, expect, it } from "vitest"
import { complaintsAbout, proseOfCode, proseOfMarkdown } from "../src/prose.ts"

const text = (words: string) => complaintsAbout({ line: 1, text: words, kind: "text" })
const title = (words: string) => complaintsAbout({ line: 1, text: words, kind: "title" })

describe("complaintsAbout", () => {
  it("refuses a word that has a plainer one and names that one", () => {
    expect(text("The subscriber is told of the event.")).toEqual(['"told": write reported, sent'])
    expect(text("The subscriber gets the event.")).toEqual([])
  })

  it("allows such a word where it is code", () => {
    expect(text("Calls `told` once.")).toEqual([])
  })

  it("refuses a sentence of more than 30 words and allows one of 30", () => {
    const words = (count: number) => `${Array.from({ length: count }, () => "word").join(" ")}.`
    expect(text(words(30))).toEqual([])
    expect(text(words(31))).toEqual([expect.stringMatching(/^a sentence of 31 words: /)])
    expect(text(`${words(20)} Then ${words(20)}`)).toEqual([])
  })

  it("refuses the title of a test that does not begin with a verb", () => {
    expect(title("a full disk")).toEqual([expect.stringMatching(/begins with a verb/)])
    expect(title("refuses a commit when the disk is full")).toEqual([])
    expect(title("%s is refused")).toEqual([])
  })
})

describe("proseOfCode", () => {
  const source = [
    "/**",
    " * Sends mail.",
    " */",
    'export const message = "The store is closed."',
    'const sql = "SELECT id FROM mailkeep_contacts"',
    'it.each([1])("sends %s messages", () => {})',
    "const place = `The ${message} failed again.`"
  ].join("\n")

  it("finds comments, titles of tests and sentences in strings, each with its line", () => {
    expect(proseOfCode("a.test.ts", source)).toEqual([
      { line: 1, text: "Sends mail.", kind: "text" },
      { line: 4, text: "The store is closed.", kind: "text" },
      { line: 6, text: "sends %s messages", kind: "title" },
      { line: 7, text: "The … failed again.", kind: "text" }
    ])
  })
})

describe("proseOfMarkdown", () => {
  it("finds headings, paragraphs, list items and cells, and leaves code out", () => {
    const page = "# Title\n\nOne line\nand another.\n\n```ts\nconst a = 1\n```\n\n- first\n- second\n\n| a | b |\n"
    expect(proseOfMarkdown(page).map(({ line, text: words }) => [line, words.trim()])).toEqual([
      [1, "# Title"],
      [3, "One line\nand another."],
      [10, "- first"],
      [11, "- second"],
      [13, "a"],
      [13, "b"]
    ])
  })
})
