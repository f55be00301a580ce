import { describe, expect, it } from "vitest"
import { addressesIn, addressOfField, isSameAddress } from "../../src/reports/addresses.ts"

describe("addressOfField", () => {
  it.each([
    ["rfc822; ada@example.org", "ada@example.org"],
    ["RFC822;<ada@example.org>", "ada@example.org"],
    [" <ada@example.org> ", "ada@example.org"],
    ['rfc822; "a..b"@example.org', '"a..b"@example.org'],
    ["rfc822; o'hara@[192.0.2.1]", "o'hara@[192.0.2.1]"],
    ["utf-8; \\x{4E2D}a@example.org", "中a@example.org"],
    ["rfc822; ada@mailhost", "ada@mailhost"]
  ])("reads the address in %j", (value, address) => {
    expect(addressOfField(value)).toBe(address)
  })

  it.each([
    null,
    "",
    "rfc822; ada",
    "rfc822; |/usr/bin/filter ada@example.org",
    "rfc822; /var/mail/ada",
    "rfc822; ada@example.org, bob@example.org",
    "ada@",
    "utf-8; \\x{0}a@example.org",
    `rfc822; ${"a".repeat(400)}@example.org`,
    `rfc822; ${"a".repeat(120)}@${"b".repeat(220)}`
  ])("finds no address in %j", (value) => {
    expect(addressOfField(value)).toBeNull()
  })
})

describe("addressesIn", () => {
  it("returns each address once, in the order of the text", () => {
    const text = "Mail to <Bob@example.org>, 'ada@example.org' and bob@EXAMPLE.org failed."
    expect(addressesIn(text, 10)).toEqual(["Bob@example.org", "ada@example.org"])
  })

  it("returns at most as many as asked for", () => {
    expect(addressesIn("a@x.example b@x.example c@x.example", 2)).toEqual(["a@x.example", "b@x.example"])
  })
})

describe("isSameAddress", () => {
  it("ignores the case of an address", () => {
    expect(isSameAddress("Ada@Example.org", "ada@example.ORG")).toBe(true)
    expect(isSameAddress("ada@example.org", "ada@example.com")).toBe(false)
  })
})
