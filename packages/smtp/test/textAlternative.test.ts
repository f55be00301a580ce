import { describe, expect, it } from "vitest"
import { textAlternativeOf } from "../src/textAlternative.ts"

describe("textAlternativeOf", () => {
  it.each([
    ["<p>Hi <b>Ada</b></p><p>Bye", "Hi Ada\n\nBye"],
    ["<style>a{}</style><script>x()</script><title>t</title>Hi", "Hi"],
    ["<h1>Grüße</h1><ul><li>a<li>b</ul>", "Grüße\n\n * a\n * b"],
    [
      "<a href='https://x.example/'>https://x.example/</a> <a href='https://y.example/'>here</a>",
      "https://x.example/ here [https://y.example/]"
    ],
    ["<img src=x alt=logo>Hi", "Hi"],
    ["<table><tr><th>Pieces</th><th>Price</th></tr><tr><td>2</td><td>10.00</td></tr></table>", "Pieces Price\n2 10.00"],
    [
      "<table><tr><td><p>Left</p></td><td><table><tr><td>a</td><td>b</td></tr></table></td></tr></table>",
      "Left\n\na b"
    ],
    [`<p>${"word ".repeat(20)}`, `${"word ".repeat(15).trim()}\n${"word ".repeat(5).trim()}`]
  ])("makes the text of %j", (html, text) => {
    expect(textAlternativeOf(html)).toBe(text)
  })

  it.each([
    ["has no text", "<img src=x>"],
    ["is empty", ""],
    ["is longer than 2 MiB", "a".repeat(2 * 1024 * 1024 + 1)],
    ["has more than 10,000 tags", "<b>".repeat(10_001)]
  ])("returns nothing for html that %s", (_, html) => {
    expect(textAlternativeOf(html)).toBeNull()
  })

  it("leaves out what is nested deeper than 200 elements, and does not overflow", () => {
    expect(textAlternativeOf(`top${"<div>".repeat(9_000)}deep`)).toBe("top")
  })

  const mebibyte = 1024 * 1024
  it.each([
    ["lines in quotes", `${"<blockquote>".repeat(30)}<pre>${"a\n".repeat(mebibyte / 4)}`],
    ["words in lists", `${"<ul><li>".repeat(60)}${"a ".repeat(mebibyte / 4)}`],
    ["lines in numbered lists", `${"<ol start=1e18><li>".repeat(60)}<pre>${"a\n".repeat(mebibyte / 4)}`],
    ["line breaks in quotes", `${"<blockquote>".repeat(190)}${"a<br>".repeat(9000)}`],
    ["words in links", `${"<a href=x>".repeat(190)}${"a ".repeat(mebibyte / 4)}`],
    ["long text in one quote", `<blockquote>${"a ".repeat(mebibyte / 2)}`],
    ["lines behind long numbers", `<ol start=1e18><li><pre>${"a\n".repeat(mebibyte / 2 - 5)}`]
  ])("returns nothing for %s that would make a text of many times the size", (_, html) => {
    expect(textAlternativeOf(html)).toBeNull()
  })

  it("makes the text of a long word with many tags in bounded time", () => {
    const part = "a".repeat(200)
    const begin = performance.now()
    expect(textAlternativeOf(`${part}<img>`.repeat(9_000))).toBe(part.repeat(9_000))
    expect(performance.now() - begin).toBeLessThan(2000)
  })

  it("makes the text of quotes and lists as mails have them", () => {
    const quoted = `${"<blockquote>".repeat(10)}${"word ".repeat(10_000)}`
    expect(textAlternativeOf(quoted)).toMatch(/^(?:> ){10}word/)
    expect(textAlternativeOf("<ol type=a start=3><li>x<li>y</ol>")).toBe("c. x\n d. y")
  })

  it("returns nothing for html that html-to-text cannot convert", () => {
    expect(textAlternativeOf("<ol type=i start=10000><li>x</ol>")).toBeNull()
  })

  it("gives the same text each time", () => {
    const html = "<table><tr><td>a<td>b</table><ol><li>x</ol>"
    expect(textAlternativeOf(html)).toBe(textAlternativeOf(html))
  })
})
