import { allSteps } from "@mailkeep/core/binding"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { jsonScan, jsonValuesMax } from "../src/server/jsonBounds.ts"
import { stepBytes } from "../src/server/jsonStrings.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

/** The largest number of arrays and objects that are open at once. */
const depthOf = (value: unknown): number =>
  typeof value !== "object" || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(depthOf))

/** The bound that a text exceeds. */
const faultOf = (...given: Parameters<typeof jsonScan>) => allSteps(jsonScan(...given)).fault

describe("jsonScan", () => {
  it.each([
    ["an empty array", "[]", 1],
    ["siblings", '[[],{},[{"a":[]}]]', 4],
    ["brackets in a string", '["[[[{{{"]', 1],
    ["brackets behind an escaped quote", String.raw`["\"[[["]`, 1],
    ["brackets behind an escaped backslash", String.raw`["\\",[1]]`, 2],
    ["brackets in a key", '{"[[":1}', 1]
  ])("counts the levels of %s", (_, text, depth) => {
    expect(faultOf(bytes(text), depth)).toBeUndefined()
    expect(faultOf(bytes(text), depth - 1)).toBe("too_deep")
  })

  it("pauses after each step of a long text, so that other requests run", () => {
    const scan = jsonScan(bytes(`[${"0".repeat(3 * stepBytes)}]`))
    let steps = 0
    while (scan.next().done !== true) steps++
    expect(steps).toBe(3)
  })

  it("agrees with the parsed value on the depth of any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(7), (value, max) => {
        expect(faultOf(bytes(JSON.stringify(value)), max) === "too_deep").toBe(depthOf(value) > max)
      })
    )
  })

  it("counts the keys and values of arrays and objects, and ignores those in strings", () => {
    const text = bytes('{"a,b:c":[1,2,{"d":",,::"}]}')
    expect(faultOf(text, 9, 4)).toBeUndefined()
    expect(faultOf(text, 9, 3)).toBe("too_many_items")
    expect(faultOf(bytes(JSON.stringify(Array.from({ length: jsonValuesMax + 2 }, () => 1))))).toBe("too_many_items")
  })

  it.each([
    ["too deep", "[".repeat(1000), 65],
    ["a value too many", ",".repeat(200_000), jsonValuesMax + 1]
  ])("stops at the first byte that is %s", (_, hostile, expected) => {
    let looked = 0
    const text = new Proxy(bytes(hostile), {
      get: (target, property) => {
        if (property !== "length") looked++
        return Reflect.get(target, property, target) as unknown
      }
    })
    expect(faultOf(text)).toBeDefined()
    expect(looked).toBe(expected)
  })
})
