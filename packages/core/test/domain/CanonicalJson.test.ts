import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Json } from "../../src/domain/CanonicalJson.ts"
import { canonicalJson, jsonOctets } from "../../src/domain/CanonicalJson.ts"

const bounds = { octetsMax: 1_000_000, depthMax: 100 }

describe("canonicalJson", () => {
  it("says the same value, with its keys sorted", () => {
    expect(canonicalJson({ b: [1, { d: null, c: "x" }], a: true })).toBe('{"a":true,"b":[1,{"c":"x","d":null}]}')
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(JSON.parse(canonicalJson(value as Json))).toEqual(JSON.parse(JSON.stringify(value)))
      })
    )
  })
})

describe("jsonOctets", () => {
  it("is never less than what the value weighs as JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const octets = jsonOctets(value, bounds)
        const weight = new TextEncoder().encode(JSON.stringify(value)).length
        // An empty list or object is counted with the comma it does not have.
        if (octets !== undefined) expect(octets).toBeGreaterThanOrEqual(weight - 1)
      })
    )
  })

  it.each([
    ["too long", { a: "x".repeat(100) }],
    ["too deep", [[[[[1]]]]]],
    ["no JSON", { a: undefined }],
    ["a function", () => 1],
    ["a date", new Date()],
    ["not a number", Number.NaN],
    ["half a surrogate pair", "\ud800"],
    ["NUL", "\0"]
  ])("refuses what is %s", (_, value) => {
    expect(jsonOctets(value, { octetsMax: 50, depthMax: 4 })).toBeUndefined()
  })

  it("looks at a cycle no deeper than its bound", () => {
    const cycle: Array<unknown> = []
    cycle.push(cycle)
    expect(jsonOctets(cycle, bounds)).toBeUndefined()
  })
})
