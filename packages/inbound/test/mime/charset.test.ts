/**
 * Tests of the decoder of charsets.
 */
import { describe, expect, it } from "vitest"
import { decodeCharset } from "../../src/mime/charset.ts"

describe("decodeCharset", () => {
  it.each([
    ["iso-8859-1", [0xe4], "ä"],
    ["utf-8", [0xc3, 0xa4], "ä"],
    ["utf-8", [0xe4], "\ufffd"],
    ["x-unknown", [0xc3, 0xa4], "ä"],
    ["x-unknown", [0xe4], "ä"],
    ["", [0x80], "€"]
  ])("decodes %j with the octets %j", (charset, octets, text) => {
    expect(decodeCharset(Uint8Array.from(octets), charset)).toBe(text)
  })
})
