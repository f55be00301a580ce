/**
 * Tests of replies.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { formatReply } from "../../src/listener/Reply.ts"
import { protocolReply } from "../../src/listener/protocolReplies.ts"

const reply = (lines: readonly [string, ...Array<string>]) => ({
  code: 250,
  enhancedCode: "2.0.0",
  lines,
  closes: false
})

describe("formatReply", () => {
  it("writes the code and the enhanced code on each line", () => {
    expect(formatReply(reply(["one", "two"]))).toBe("250-2.0.0 one\r\n250 2.0.0 two\r\n")
    expect(formatReply(protocolReply("sendData"))).toBe("354 End the message with <CRLF>.<CRLF>\r\n")
  })

  it("writes one line of printable ASCII and at most 512 bytes for any text", () => {
    const long = fc.tuple(fc.string({ unit: "binary" }), fc.nat(200)).map(([piece, times]) => piece.repeat(times))
    fc.assert(
      fc.property(long, (text) => {
        const written = formatReply(reply([text]))
        expect(written).toMatch(/^250 2\.0\.0 [\x20-\x7e]*\r\n$/)
        expect(Buffer.byteLength(written)).toBeLessThanOrEqual(512)
      })
    )
  })
})
