import { createHmac } from "node:crypto"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { hmacSha256 } from "../../src/node/hmac.ts"

const byNode = (key: Uint8Array, text: string): string => createHmac("sha256", key).update(text).digest("base64url")

describe("hmacSha256", () => {
  it.each([
    [
      "a short key",
      Buffer.alloc(20, 0x0b),
      "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ],
    [
      "a key that is shorter than the digest",
      Buffer.from("Jefe"),
      "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ],
    [
      "a key that is longer than a block",
      Buffer.alloc(131, 0xaa),
      "Test Using Larger Than Block-Size Key - Hash Key First",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ]
  ])("gives the value of RFC 4231 for %s", (_, key, text, expected) => {
    expect(Buffer.from(hmacSha256(key, text), "base64url").toString("hex")).toBe(expected)
  })

  it("gives what Node gives, for keys and texts of every length", () => {
    const key = fc
      .tuple(fc.nat(200), fc.nat(255))
      .map(([length, first]) => new Uint8Array(length).map((_, at) => first + at))
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.nat(500).map((length) => "a€".repeat(length)),
      // The longest text that is not hashed in place, in characters of three bytes, and one more.
      fc.constantFrom(1023, 1024, 1025).map((length) => "€".repeat(length)),
      // Half of a character, which UTF-8 cannot express.
      fc.constantFrom("\ud800", "a\udc00b")
    )
    fc.assert(
      fc.property(key, fc.array(text, { minLength: 1, maxLength: 4 }), (bytes, texts) => {
        for (const one of texts) expect(hmacSha256(bytes, one)).toBe(byNode(bytes, one))
      })
    )
  })
})
