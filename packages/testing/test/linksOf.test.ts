/**
 * The links of a captured mail.
 */
import { describe, expect, it } from "vitest"
import { linksOf } from "../src/linksOf.ts"

describe("linksOf", () => {
  it.each([
    ['<a href="https://a.example/x?y=1&amp;z=2">go</a>', ["https://a.example/x?y=1&z=2"]],
    ["<A class=b HREF='https://a.example/'>go</A>", ["https://a.example/"]],
    ["<a href=https://a.example/x>go</a>", ["https://a.example/x"]],
    ['<area data-x="1" href="https://map.example/">', ["https://map.example/"]],
    ['<a title="a > b" href="https://a.example/">go</a>', ["https://a.example/"]],
    ['<a data-href="https://no.example/" href="myapp://open/1">go</a>', ["myapp://open/1"]],
    ['<a href="mailto:hi@a.example">write</a>', ["mailto:hi@a.example"]],
    ['<a href="#top">up</a><a href="/relative">x</a><a name="here">y</a>', []],
    ['<!-- <a href="https://hidden.example/">x</a> --><a href="https://a.example/">go</a>', ["https://a.example/"]],
    ['<abbr href="https://no.example/">x</abbr><img src="https://img.example/x.png">', []],
    ['<a href="https://a.example/&#x41;&#66;&unknown;">go</a>', ["https://a.example/AB&unknown;"]],
    ["<a href=", []]
  ])("finds the links of the html %s", (html, links) => {
    expect(linksOf(html, null)).toStrictEqual(links)
  })

  it.each([
    ["Go to https://a.example/x.", ["https://a.example/x"]],
    ["(see https://a.example/x_(y))", ["https://a.example/x_(y)"]],
    ["<https://a.example/x>, http://b.example?q=1!", ["https://a.example/x", "http://b.example?q=1"]],
    ["xhttps://a.example ftp://b.example", []],
    ["", []]
  ])("finds the links of the text %s", (text, links) => {
    expect(linksOf(null, text)).toStrictEqual(links)
  })

  it("lists the links of the html first, and each once", () => {
    const html = '<a href="https://b.example/">b</a><a href="https://a.example/">a</a>'
    const text = "https://a.example/ https://c.example/"
    expect(linksOf(html, text)).toStrictEqual(["https://b.example/", "https://a.example/", "https://c.example/"])
  })

  it.each([
    ['<a href="', 200_000],
    ["<a ", 200_000],
    ["<!--", 200_000],
    ["<a x='", 200_000],
    ["https://", 200_000],
    ["https://a.example/)", 100_000]
  ])("takes bounded time for many repetitions of %j", (piece, times) => {
    const hostile = piece.repeat(times)
    const before = performance.now()
    linksOf(hostile, hostile)
    expect(performance.now() - before).toBeLessThan(3000)
  })
})
