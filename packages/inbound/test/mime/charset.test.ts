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
    ["", [0x80], "€"],
    ["us-ascii", [0x61, 0xc3, 0xa4], "aä"],
    ["US-ASCII", [0xe4], "ä"],
    ["ANSI_X3.4-1968", [0xc3, 0xa4], "ä"],
    ["cp932", [0x82, 0xb1, 0x87, 0x40], "こ①"],
    ["x-ms932", [0x82, 0xb1], "こ"],
    ["CP949", [0xbe, 0xc8], "안"],
    ["cp936", [0xc4, 0xe3], "你"],
    ["windows-950", [0xa7, 0x41], "你"],
    ["cp874", [0xca], "ส"],
    ["iso-2022-jp-2", [0x1b, 0x24, 0x42, 0x24, 0x33, 0x1b, 0x28, 0x42], "こ"],
    ["cp850", [0xe4], "ä"]
  ])("decodes %j with the bytes %j", (charset, bytes, text) => {
    expect(decodeCharset(Uint8Array.from(bytes), charset)).toBe(text)
  })
})
