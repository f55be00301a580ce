/**
 * Tests of the decoder of base64.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decodeBase64, isBase64Byte } from "../../src/mime/base64.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const decoded = (text: string) => new TextDecoder().decode(decodeBase64(bytes(text)))

describe("decodeBase64", () => {
  it("decodes every content that was encoded with line ends", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400, size: "max" }), (content) => {
        const encoded = Buffer.from(content).toString("base64").replace(/.{76}/g, "$&\r\n")
        expect(decodeBase64(bytes(encoded))).toEqual(content)
      })
    )
  })

  it.each([
    ["one encoded text after another", "QQ==QUI=", "AAB"],
    ["bytes outside of the alphabet", "Q-Q\u0000=!=", "A"],
    ["a missing end", "QUJDR", "ABC"],
    ["nothing", "", ""]
  ])("decodes a base64 text with %s", (_, encoded, text) => {
    expect(decoded(encoded)).toBe(text)
  })
})

describe("isBase64Byte", () => {
  it("accepts the 64 characters of the alphabet and no padding", () => {
    const accepted = Array.from({ length: 256 }, (_, byte) => byte).filter(isBase64Byte)
    expect(accepted).toHaveLength(64)
    expect(accepted).not.toContain("=".charCodeAt(0))
  })
})
