import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { ApiKey } from "../../src/domain/ApiKey.ts"
import { isInScope, isKeyLive, mintKey, mintKeyBytes, parseKey, printKey } from "../../src/domain/ApiKey.ts"

const bytes = fc.uint8Array({ minLength: mintKeyBytes, maxLength: mintKeyBytes, max: 251 })

describe("printKey and parseKey", () => {
  it("parses a printed API key to its parts", () => {
    fc.assert(
      fc.property(bytes, (random) => {
        const minted = mintKey(random)
        expect(printKey(minted)).toMatch(/^mk_[0-9a-z]{12}_[0-9a-z]{32}$/)
        expect(parseKey(printKey(minted))).toEqual(minted)
      })
    )
  })

  it("refuses a printed API key with one changed character", () => {
    fc.assert(
      fc.property(bytes, fc.nat(47), (random, index) => {
        const printed = printKey(mintKey(random))
        const other = printed[index] === "0" ? "1" : "0"
        expect(parseKey(printed.slice(0, index) + other + printed.slice(index + 1))).toBeUndefined()
      })
    )
  })

  it.each(["", "mk_", "Bearer x", "mk_aaaaaaaaaaaa_", `mk_${"a".repeat(12)}_${"a".repeat(32)}`])(
    "refuses %j as an API key",
    (text) => expect(parseKey(text)).toBeUndefined()
  )
})

describe("isKeyLive and isInScope", () => {
  const key = { revokedAt: null, expiresAt: 100 } as ApiKey

  it("accepts an API key until it expires or is revoked", () => {
    expect(isKeyLive(key, 99)).toBe(true)
    expect(isKeyLive(key, 100)).toBe(false)
    expect(isKeyLive({ ...key, expiresAt: null }, 1e15)).toBe(true)
    expect(isKeyLive({ ...key, revokedAt: 1 }, 50)).toBe(false)
  })

  it("limits an API key to its exact domains, without their subdomains", () => {
    expect(isInScope(null, "example.com")).toBe(true)
    expect(isInScope(["example.com"], "example.com")).toBe(true)
    expect(isInScope(["example.com"], "mail.example.com")).toBe(false)
    expect(isInScope(["mail.example.com"], "example.com")).toBe(false)
  })
})
