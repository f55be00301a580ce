import { allSteps } from "@mailkeep/core/binding"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { LongString } from "../src/server/jsonStrings.ts"
import { jsonScan } from "../src/server/jsonBounds.ts"
import { escapedStringEnd, parseJson, plainStringEnds, stepBytes, withoutEscapes } from "../src/server/jsonStrings.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const long = 64 * 1024

const parseBytes = (text: Uint8Array, read: Parameters<typeof parseJson>[2]) =>
  parseJson(text, allSteps(jsonScan(text)).longStrings, read)

/** Parses a text and puts each long string back as text. Returns the paths of the long strings too. */
const parse = (text: string) => {
  const paths: Array<string> = []
  const value = parseBytes(bytes(text), (string: LongString, path) => {
    paths.push(path.join("."))
    return string.text()
  })
  return { value, paths }
}

/** A function that finds the ends of the strings of a text, one after another. */
const stringEnds = (text: Uint8Array) => {
  const plainEndOf = plainStringEnds(text)
  return (from: number) => plainEndOf(from) ?? allSteps(escapedStringEnd(text, from))
}

describe("the end of a string", () => {
  it.each([
    ['abc"', 3],
    [String.raw`a\"b"`, 4],
    [String.raw`a\\"`, 3],
    [String.raw`\\\""x"`, 4],
    ["abc", 3],
    [String.raw`abc\"`, 5],
    ["abc\\", 4],
    ["", 0]
  ])("finds the end of a string in %s", (text, end) => {
    expect(stringEnds(bytes(text))(0)).toBe(end)
  })

  it("finds the ends of the strings of any JSON, one after another", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom("a", '"', "\\", "é", "\n", "/") })), (strings) => {
        const text = bytes(JSON.stringify(strings))
        const endOf = stringEnds(text)
        const found: Array<string> = []
        for (let at = text.indexOf(0x22); at >= 0; at = text.indexOf(0x22, at)) {
          const end = endOf(at + 1)
          found.push(JSON.parse(new TextDecoder().decode(text.subarray(at, end + 1))) as string)
          at = end + 1
        }
        expect(found).toEqual(strings)
      })
    )
  })

  it.each([
    ["an escape at the end of a step", `${"x".repeat(stepBytes - 1)}${String.raw`\"`}x"`],
    ["an escape at the beginning of a step", `${"x".repeat(stepBytes)}${String.raw`\"`}x"`],
    ["its end at the beginning of a step", `${String.raw`\n`}${"x".repeat(stepBytes - 2)}"`]
  ])("finds the end of a string with %s", (_, text) => {
    expect(stringEnds(bytes(text))(0)).toBe(text.length - 1)
  })

  it.each([
    ["escapes before a far quote", String.raw`\/`.repeat(2_000_000)],
    ["escaped quotes", String.raw`\"`.repeat(2_000_000)]
  ])("finds the end of a string in linear time with %s", (_, text) => {
    const whole = bytes(`${text}"`)
    const begun = performance.now()
    expect(stringEnds(whole)(0)).toBe(text.length)
    // With a quadratic search this takes hours.
    expect(performance.now() - begun).toBeLessThan(60_000)
  })
})

describe("withoutEscapes", () => {
  const plain = (text: string) => {
    const found = allSteps(withoutEscapes(bytes(text)))
    return found === undefined ? undefined : new TextDecoder().decode(found)
  }

  it.each([
    [String.raw`AB\/C\u002B\u002b=\u003D`, "AB/C++=="],
    ["", ""],
    ["AB+/", "AB+/"]
  ])("reads %s as base64", (text, expected) => {
    expect(plain(text)).toBe(expected)
  })

  it.each([
    String.raw`\n`,
    String.raw`\"`,
    String.raw`\u00e9`,
    String.raw`\u0g2B`,
    String.raw`\u00`,
    "\\",
    String.raw`\u012B`
  ])("refuses %s, which base64 cannot have", (text) => {
    expect(plain(`AAAA${text}`)).toBeUndefined()
  })

  it("reads a text of several steps", () => {
    const text = String.raw`AB\/`.repeat(stepBytes)
    expect(plain(text)).toBe("AB/".repeat(stepBytes))
  })
})

describe("parseJson", () => {
  it("parses what JSON.parse parses, with every long string as text", () => {
    const unit = fc.constantFrom("x", "é", "🎉", '"', "\\", "\u0001")
    const leaf = fc.oneof(
      fc.jsonValue({ maxDepth: 1 }),
      unit.map((one) => one.repeat(long)),
      fc.constant("y".repeat(long - 1))
    )
    const value = fc.letrec((tie) => ({
      node: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie("node")), fc.dictionary(fc.string(), tie("node")))
    })).node
    fc.assert(
      fc.property(value, (given) => {
        const text = JSON.stringify(given)
        expect(parse(text).value).toEqual(JSON.parse(text))
      }),
      { numRuns: 50 }
    )
  })

  it("gives the path of each long string, and none of a short one or of a key", () => {
    const text = JSON.stringify({
      attachments: [{ content: "a".repeat(long) }, { content: "b" }],
      html: "c".repeat(long),
      ["k".repeat(long)]: 1
    })
    expect(parse(text).paths).toEqual(["attachments.0.content", "html"])
    expect(parse(text).value).toEqual(JSON.parse(text))
  })

  it("gives the bytes of a long string, and says whether it has escapes", () => {
    const seen: Array<readonly [number, boolean]> = []
    const text = `["${"a".repeat(long)}","${String.raw`\/`.repeat(long)}"]`
    parseBytes(bytes(text), ({ bytes: content, hasEscapes }) => seen.push([content.length, hasEscapes]))
    expect(seen).toEqual([
      [long, false],
      [2 * long, true]
    ])
  })

  it("keeps a key that would change the prototype of an object", () => {
    const { value } = parse(`{"__proto__":{"a":"${"x".repeat(long)}"}}`)
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(Object.keys(value as object)).toEqual(["__proto__"])
  })

  it.each([
    ["a control character in a long string", `["${"x".repeat(long)}\n"]`],
    ["a wrong escape in a long string", String.raw`["${"x".repeat(long)}\q"]`],
    ["a long string without an end", `["${"x".repeat(long)}`],
    ["a second value after a long string", `"${"x".repeat(long)}" 1`],
    ["a long string without a comma before it", `[1 "${"x".repeat(long)}"]`]
  ])("refuses %s", (_, text) => {
    expect(() => parse(text)).toThrow()
  })

  it("refuses a long string that is not UTF-8", () => {
    const text = bytes(`["${"x".repeat(long)}"]`)
    text[100] = 0xff
    expect(() => parseBytes(text, (string) => string.text())).toThrow()
  })
})
