import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { remembering } from "../src/remembering.ts"

/** A function that remembers two results of at most three characters, and the texts for which it has computed one. */
const twoResults = () => {
  const computed: Array<string> = []
  const lengthOf = (text: string) => (computed.push(text), text === "none" ? null : text.length)
  return { computed, remembered: remembering(lengthOf, { countMax: 2, lengthMax: 3 }) }
}

describe("remembering", () => {
  it.each<[what: string, texts: ReadonlyArray<string>, computed: ReadonlyArray<string>]>([
    ["one text twice", ["a", "a"], ["a"]],
    ["two texts in turn", ["a", "b", "a", "b"], ["a", "b"]],
    ["the text that was used longest ago", ["a", "b", "a", "c", "a", "b"], ["a", "b", "c", "b"]],
    ["a text that is too long", ["long", "a", "long", "a"], ["long", "a", "long"]]
  ])("computes again only what it does not remember, for %s", (_, texts, expected) => {
    const { computed, remembered } = twoResults()
    expect(texts.map(remembered)).toEqual(texts.map(({ length }) => length))
    expect(computed).toEqual(expected)
  })

  it("gives the result of the function for every sequence of texts", () => {
    const text = fc.constantFrom("", "a", "b", "cc", "ddd", "none")
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        const { remembered } = twoResults()
        expect(texts.map(remembered)).toEqual(texts.map((one) => (one === "none" ? null : one.length)))
      })
    )
  })

  it("remembers a result that is null", () => {
    const results = [null, 1]
    const remembered = remembering(() => results.shift(), { countMax: 1, lengthMax: 1 })
    expect([remembered("a"), remembered("a")]).toEqual([null, null])
  })
})
