import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isNestedDeeper } from "../src/server/jsonDepth.ts"

const octets = (text: string) => new TextEncoder().encode(text)

/** How many arrays and objects are open at once at the deepest place. */
const depthOf = (value: unknown): number =>
  typeof value !== "object" || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(depthOf))

describe("isNestedDeeper", () => {
  it.each([
    ["an empty array", "[]", 1],
    ["siblings", '[[],{},[{"a":[]}]]', 4],
    ["brackets in a string", '["[[[{{{"]', 1],
    ["brackets behind an escaped quote", String.raw`["\"[[["]`, 1],
    ["brackets behind an escaped backslash", String.raw`["\\",[1]]`, 2],
    ["brackets in a key", '{"[[":1}', 1]
  ])("counts the levels of %s", (_, text, depth) => {
    expect(isNestedDeeper(octets(text), depth)).toBe(false)
    expect(isNestedDeeper(octets(text), depth - 1)).toBe(true)
  })

  it("agrees with the parsed value for any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(7), (value, max) => {
        expect(isNestedDeeper(octets(JSON.stringify(value)), max)).toBe(depthOf(value) > max)
      })
    )
  })

  it("stops at the first octet that is too deep", () => {
    let looked = 0
    const text = new Proxy(octets("[".repeat(1000)), {
      get: (target, property) => {
        if (property !== "length") looked++
        return Reflect.get(target, property, target) as unknown
      }
    })
    expect(isNestedDeeper(text, 64)).toBe(true)
    expect(looked).toBe(65)
  })
})
