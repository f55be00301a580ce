import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { ApiKey } from "../../src/domain/ApiKey.ts"
import { isInScope, isKeyLive, mintKey, mintKeyBytes, parseKey, printKey } from "../../src/domain/ApiKey.ts"

const bytes = fc.uint8Array({ minLength: mintKeyBytes, maxLength: mintKeyBytes, max: 251 })

describe("a printed key", () => {
  it("is read back into its parts", () => {
    fc.assert(
      fc.property(bytes, (random) => {
        const minted = mintKey(random)
        expect(printKey(minted)).toMatch(/^mk_[0-9a-z]{12}_[0-9a-z]{32}$/)
        expect(parseKey(printKey(minted))).toEqual(minted)
      })
    )
  })

  it("is refused with any one character changed", () => {
    fc.assert(
      fc.property(bytes, fc.nat(47), (random, place) => {
        const printed = printKey(mintKey(random))
        const other = printed[place] === "0" ? "1" : "0"
        expect(parseKey(printed.slice(0, place) + other + printed.slice(place + 1))).toBeUndefined()
      })
    )
  })

  it.each(["", "mk_", "Bearer x", "mk_aaaaaaaaaaaa_", `mk_${"a".repeat(12)}_${"a".repeat(32)}`])("%j is none", (text) =>
    expect(parseKey(text)).toBeUndefined()
  )
})

describe("a key", () => {
  const key = { revokedAt: null, expiresAt: 100 } as ApiKey

  it("works until it expires or is revoked", () => {
    expect(isKeyLive(key, 99)).toBe(true)
    expect(isKeyLive(key, 100)).toBe(false)
    expect(isKeyLive({ ...key, expiresAt: null }, 1e15)).toBe(true)
    expect(isKeyLive({ ...key, revokedAt: 1 }, 50)).toBe(false)
  })

  it("sends from its domains alone; a sub-domain is another one", () => {
    expect(isInScope(null, "example.com")).toBe(true)
    expect(isInScope(["example.com"], "example.com")).toBe(true)
    expect(isInScope(["example.com"], "mail.example.com")).toBe(false)
    expect(isInScope(["mail.example.com"], "example.com")).toBe(false)
  })
})
