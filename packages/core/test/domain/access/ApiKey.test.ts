import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  isInScope,
  isApiKeyLive,
  mintApiKey,
  mintApiKeyBytes,
  parseApiKey,
  formatApiKey
} from "../../../src/domain/access/ApiKey.ts"

/** The random characters of a public id and of a secret, without its checksum. */
const mintedCharacters = 12 + 26

const bytes = fc.uint8Array({ minLength: mintApiKeyBytes, maxLength: mintApiKeyBytes, max: 251 })

describe("formatApiKey and parseApiKey", () => {
  it("parses a complete API key to its parts", () => {
    fc.assert(
      fc.property(bytes, (random) => {
        const minted = mintApiKey(random)
        expect(formatApiKey(minted)).toMatch(/^mk_[0-9a-z]{12}_[0-9a-z]{32}$/)
        expect(parseApiKey(formatApiKey(minted))).toEqual(minted)
      })
    )
  })

  it("refuses an API key with one changed character", () => {
    fc.assert(
      fc.property(bytes, fc.nat(47), (random, index) => {
        const complete = formatApiKey(mintApiKey(random))
        const other = complete[index] === "0" ? "1" : "0"
        expect(parseApiKey(complete.slice(0, index) + other + complete.slice(index + 1))).toBeUndefined()
      })
    )
  })

  it("skips the random bytes that would add a bias, and makes no shorter key when too few are left", () => {
    const random = new Uint8Array(mintApiKeyBytes).fill(255)
    random.fill(7, -mintedCharacters)
    expect(formatApiKey(mintApiKey(random))).toMatch(/^mk_7{12}_7{26}[0-9a-z]{6}$/)
    expect(() => mintApiKey(random.fill(252, -1))).toThrow("too few usable random bytes")
  })

  it.each(["", "mk_", "Bearer x", "mk_aaaaaaaaaaaa_", `mk_${"a".repeat(12)}_${"a".repeat(32)}`])(
    "refuses %j as an API key",
    (text) => expect(parseApiKey(text)).toBeUndefined()
  )
})

describe("isApiKeyLive and isInScope", () => {
  const apiKey = { revokedAt: null, expiresAt: 100 }

  it("keeps an API key live until it expires or is revoked", () => {
    expect(isApiKeyLive(apiKey, 99)).toBe(true)
    expect(isApiKeyLive(apiKey, 100)).toBe(false)
    expect(isApiKeyLive({ ...apiKey, expiresAt: null }, 1e15)).toBe(true)
    expect(isApiKeyLive({ ...apiKey, revokedAt: 1 }, 50)).toBe(false)
  })

  it("limits an API key to its exact domains, without their subdomains", () => {
    expect(isInScope(null, "example.com")).toBe(true)
    expect(isInScope(["example.com"], "example.com")).toBe(true)
    expect(isInScope(["example.com"], "mail.example.com")).toBe(false)
    expect(isInScope(["mail.example.com"], "example.com")).toBe(false)
  })
})
