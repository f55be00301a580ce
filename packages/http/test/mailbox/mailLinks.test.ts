/**
 * The links of a mail in the development mailbox.
 */
import { describe, expect, it } from "vitest"
import { linksOf } from "../../src/mailbox/mailLinks.ts"

describe("linksOf", () => {
  it("leaves out the punctuation behind the links of a text", () => {
    const text = "See https://a.example/x?y!z?! (or http://b.example/c)."
    expect(linksOf({ html: null, text })).toEqual(["https://a.example/x?y!z", "http://b.example/c"])
  })

  it.each([
    ["https://a.example/", "!", "x"],
    ["", "https://a.example/)", ""],
    ["", '<a href="', ""],
    ["<a href", " ", "x"]
  ])("takes bounded time for %j and many repetitions of %j", (begin, piece, end) => {
    const hostile = `${begin}${piece.repeat(200_000)}${end}`
    const before = performance.now()
    linksOf({ html: hostile, text: hostile })
    expect(performance.now() - before).toBeLessThan(3000)
  })
})
