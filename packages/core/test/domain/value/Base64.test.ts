import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { base64Steps, decodeBase64 } from "../../../src/domain/value/Base64.ts"

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")

describe("decodeBase64", () => {
  it("decodes what an encoder of RFC 4648 §4 writes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200, size: "max" }), (bytes) => {
        expect(decodeBase64(toBase64(bytes))).toEqual(bytes)
      }),
      { examples: [[new Uint8Array(0)], [Uint8Array.of(0)], [Uint8Array.of(255, 254)], [Uint8Array.of(0, 16, 131)]] }
    )
  })

  it("accepts a text only when it is the one base64 text of its bytes", () => {
    const character = fc.constantFrom(..."AQg/+9=-_ \n\té😀")
    fc.assert(
      fc.property(fc.array(character, { maxLength: 12 }), (characters) => {
        const text = characters.join("")
        const decoded = decodeBase64(text)
        const isCanonical = toBase64(Buffer.from(text, "base64")) === text
        expect(decoded === undefined ? undefined : toBase64(decoded)).toBe(isCanonical ? text : undefined)
      }),
      { numRuns: 2000 }
    )
  })

  it.each([
    ["no padding", "QUI"],
    ["padding alone", "===="],
    ["padding in the middle", "QQ==QUI="],
    ["too much padding", "Q==="],
    ["a byte after the padding", "QQ==Q"],
    ["bits that are not zero before two padding characters", "QR=="],
    ["bits that are not zero before one padding character", "QUJ="],
    ["a line end", "QUJD\nREVG"],
    ["the alphabet for URLs", "-_-_"],
    ["a letter outside of ASCII", "QUé="],
    ["a data URL", "data:text/plain;base64,QUJD"]
  ])("refuses a text with %s", (_, text) => {
    expect(decodeBase64(text)).toBeUndefined()
  })
})

describe("base64Steps", () => {
  const stepBytes = 192 * 1024

  it.each([-1, 0, 1, 2, 3])("decodes a text of three steps and %i bytes in steps", (more) => {
    const bytes = Uint8Array.from({ length: 3 * stepBytes + more }, (_, n) => n * 7919)
    const steps = base64Steps(Buffer.from(toBase64(bytes)))
    let yields = 0
    let step = steps.next()
    for (; step.done !== true; step = steps.next()) yields++
    // `toEqual` compares half a million numbers one by one.
    expect(Buffer.compare(step.value!, bytes)).toBe(0)
    // The last four bytes of a text with padding are decoded after the last step.
    expect(yields).toBe(more === 3 ? 3 : 2)
  })

  it("ends at the first step with a byte that is not base64", () => {
    const bytes = Buffer.from(toBase64(new Uint8Array(3 * stepBytes)))
    bytes[1000] = 0x20
    expect(base64Steps(bytes).next()).toEqual({ done: true, value: undefined })
  })
})
