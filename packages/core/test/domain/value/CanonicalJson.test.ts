import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Json } from "../../../src/domain/value/CanonicalJson.ts"
import { canonicalJson, checkJson } from "../../../src/domain/value/CanonicalJson.ts"

describe("canonicalJson", () => {
  it("writes the same value with sorted keys", () => {
    expect(canonicalJson({ b: [1, { d: null, c: "x" }], a: true })).toBe('{"a":true,"b":[1,{"c":"x","d":null}]}')
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(JSON.parse(canonicalJson(value as Json))).toEqual(JSON.parse(JSON.stringify(value)))
      })
    )
  })

  it.each([
    ["sorted keys", { a: { c: 1, d: 2 }, b: [{ e: 3, f: 4 }] }, '{"a":{"c":1,"d":2},"b":[{"e":3,"f":4}]}'],
    ["keys that are numbers", { 9: true, 10: false, 1: null }, '{"1":null,"10":false,"9":true}'],
    ["an unsorted object within an array", [{ b: 1, a: 2 }], '[{"a":2,"b":1}]'],
    ["an unsorted object after a sorted field", { a: 1, b: { d: 1, c: 2 } }, '{"a":1,"b":{"c":2,"d":1}}'],
    ["upper case before lower case", { a: 1, B: 2 }, '{"B":2,"a":1}']
  ])("writes %s in the order of their UTF-16 units", (_, value, text) => {
    expect(canonicalJson(value)).toBe(text)
  })

  it("writes the same text for each order of the keys", () => {
    const reversed = (value: Json): Json => {
      if (typeof value !== "object" || value === null) return value
      if (Array.isArray(value)) return value.map(reversed)
      return Object.fromEntries(
        Object.entries(value)
          .map(([key, field]) => [key, reversed(field as Json)] as const)
          .toReversed()
      )
    }
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        fc.pre(!JSON.stringify(value).includes('"__proto__"'))
        expect(canonicalJson(reversed(value as Json))).toBe(canonicalJson(value as Json))
      })
    )
  })
})

describe("checkJson", () => {
  it("measures the size of a value as JSON to the byte", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const bytesMax = new TextEncoder().encode(JSON.stringify(value)).length
        const wellFormed = !JSON.stringify(value).includes("\\u0000")
        fc.pre(!/"(?:__proto__|constructor|prototype)":/.test(JSON.stringify(value)))
        fc.pre(wellFormed && JSON.stringify(value).isWellFormed() && !/\\ud[89a-f]/.test(JSON.stringify(value)))
        expect(checkJson(value, { bytesMax, depthMax: 100 })).toBe("fits")
        expect(checkJson(value, { bytesMax: bytesMax - 1, depthMax: 100 })).toBe("too_large")
      })
    )
  })

  it.each([
    ["a value that is too large", { a: "x".repeat(100) }, "too_large"],
    ["a value that is too deep", [[[[[1]]]]], "too_large"],
    ["an undefined field", { a: undefined }, "not_json"],
    ["a function", () => 1, "not_json"],
    ["a date", new Date(), "not_json"],
    ["NaN", Number.NaN, "not_json"],
    ["half a surrogate pair", "\ud800", "not_json"],
    ["NUL", "\0", "not_json"],
    ["a reserved key", JSON.parse('{"__proto__":1}'), "reserved_key"],
    ["a nested reserved key", [{ a: [JSON.parse('{"__proto__":{}}')] }], "reserved_key"]
  ])("refuses %s", (_, value, verdict) => {
    expect(checkJson(value, { bytesMax: 50, depthMax: 4 })).toBe(verdict)
  })

  it("stops at the depth limit in a cyclic value", () => {
    const cycle: Array<unknown> = []
    cycle.push(cycle)
    expect(checkJson(cycle, { bytesMax: 1_000_000, depthMax: 100 })).toBe("too_large")
  })
})
