import * as fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { inALabels, parseAddress, parseDomain } from "../../../src/domain/message/Address.ts"

describe("parseAddress", () => {
  it.each([
    ["ada@example.com", "ada@example.com", "ada@example.com"],
    ["  Ada@Example.COM ", "Ada@example.com", "ada@example.com"],
    ["o'hara+tag@example.com", "o'hara+tag@example.com", "o'hara+tag@example.com"],
    ["ada@münchen.example", "ada@xn--mnchen-3ya.example", "ada@xn--mnchen-3ya.example"],
    ["ada@xn--mnchen-3ya.example", "ada@xn--mnchen-3ya.example", "ada@xn--mnchen-3ya.example"],
    ["ada@ＥＸＡＭＰＬＥ.com", "ada@example.com", "ada@example.com"],
    ['"ada"@example.com', "ada@example.com", "ada@example.com"],
    ['"a b"@example.com', '"a b"@example.com', '"a b"@example.com'],
    ["!#$%&'*+-/=?^_`{|}~@example.com", "!#$%&'*+-/=?^_`{|}~@example.com", "!#$%&'*+-/=?^_`{|}~@example.com"],
    ["Ωmega@example.com", "Ωmega@example.com", "ωmega@example.com"]
  ])("parses the address %s", (text, address, canonical) => {
    expect(parseAddress(text)).toMatchObject({ address, canonical })
  })

  it.each([
    "",
    "ada",
    "@example.com",
    "ada@",
    "ada@example",
    "ada@@example.com",
    "ada@ex ample.com",
    "ada@.example.com",
    "ada@example..com",
    "ada@example.com.",
    "ada@-example.com",
    "ada@[127.0.0.1]",
    "ada@127.0.0.1",
    "Ada <ada@example.com>",
    "<ada@example.com>",
    "ada(comment)@example.com",
    "@relay.example:ada@example.com",
    "ada@example.com, bob@example.com",
    ".ada@example.com",
    "ada.@example.com",
    "a..da@example.com",
    "ada\r\nBcc: eve@example.com@example.com",
    "ada\u0000@example.com",
    "ada\u00ad@example.com",
    "ada@example.com\n",
    '"ada"x@example.com',
    '"a\r\nb"@example.com',
    '"a<b"@example.com',
    '"a\\>b"@example.com',
    "=?utf-8?q?=0d=0abcc:_eve=40example.com?=@example.com",
    '"ada =?utf-8?B?DQo=?="@example.com',
    '"=\\?utf-8\\?q\\?=0d=0abcc:_eve=40example.com\\?="@example.com',
    '"ada =\\?utf-8\\?B\\?DQo=\\?="@example.com',
    `${"a".repeat(65)}@example.com`,
    `${"ü".repeat(33)}@example.com`,
    `${"Ⱥ".repeat(32)}@example.com`,
    `${"Ⱥ".repeat(20)}@${"b.".repeat(103)}example`,
    `a@${"b".repeat(64)}.com`,
    `a@${"b.".repeat(126)}example`
  ])("refuses the address %j", (text) => {
    expect(parseAddress(text)).toBeUndefined()
  })

  it("parses a canonical address to itself", () => {
    fc.assert(
      fc.property(fc.oneof(fc.emailAddress(), fc.string(), fc.string({ unit: "binary" })), (text) => {
        const read = parseAddress(text)
        if (read !== undefined) {
          expect(parseAddress(read.canonical)?.canonical).toBe(read.canonical)
          expect(parseAddress(read.address)).toEqual(read)
        }
      }),
      { numRuns: 2000 }
    )
  })

  it("gives one canonical address for every case and Unicode composition", () => {
    const one = (...texts: ReadonlyArray<string>) =>
      new Set(texts.map((text) => parseAddress(text)!.canonical)).size === 1
    expect(one("Über@example.com", "über@example.com", "u\u0308ber@example.com")).toBe(true)
    expect(one("\u212aate@example.com", "kate@example.com")).toBe(true)
    expect(one("ida@example.com", "\u0131da@example.com")).toBe(false)
  })

  it("reports which mailboxes need SMTPUTF8", () => {
    expect(parseAddress("ωmega@example.com")?.utf8).toBe(true)
    expect(parseAddress("ada@münchen.example")?.utf8).toBe(false)
  })

  // A slower algorithm would exceed the timeout of the test.
  it("parses hostile input in linear time", () => {
    for (const text of [
      "a".repeat(1_000_000),
      "@".repeat(100_000),
      `${"a.".repeat(100_000)}@b.c`,
      `"${"\\".repeat(200_000)}`,
      `x${" ".repeat(1_000_000)}x`
    ])
      expect(parseAddress(text)).toBeUndefined()
  })
})

describe("parseDomain", () => {
  it.each([
    ["Example.COM", "example.com"],
    ["sub.example.com", "sub.example.com"],
    ["例え.jp", "xn--r8jz45g.jp"]
  ])("parses the domain %s", (text, domain) => expect(parseDomain(text)).toBe(domain))

  // UTS #46 and normalization take minutes for such a text.
  it.each([
    ["combining marks", "\u0301"],
    ["labels in Unicode", "é."],
    ["letters", "a"]
  ])("refuses 1 MB of %s before it parses the text", (_, unit) => {
    const before = performance.now()
    expect(parseDomain(unit.repeat(1_000_000 / unit.length))).toBeUndefined()
    expect(parseAddress(`ada@${unit.repeat(1_000_000 / unit.length)}`)).toBeUndefined()
    expect(performance.now() - before).toBeLessThan(30_000)
  })

  it("does not normalize a text of more than 1,024 UTF-16 units", () => {
    const marks = "\u0301".repeat(1024)
    const normalize = vi.spyOn(String.prototype, "normalize")
    try {
      expect(parseDomain(`a${marks}`)).toBeUndefined()
      expect(normalize).not.toHaveBeenCalled()
      expect(parseDomain(`é${marks.slice(2)}`)).toBeUndefined()
    } finally {
      normalize.mockRestore()
    }
  })

  it.each([
    "localhost",
    "example.123",
    "1.2.3.4",
    "a_b.com",
    "example.com/x",
    "http://example.com",
    "xn--zzzzzzz-.com",
    ""
  ])("refuses the domain %j", (text) => expect(parseDomain(text)).toBeUndefined())
})

describe("inALabels", () => {
  it.each([
    ["bücher", "xn--bcher-kva"],
    ["ada@Bücher.example", "ada@xn--bcher-kva.example"],
    ["jürgen@b.example", undefined],
    ["jürgen@bücher.", "jürgen@xn--bcher-kva."],
    [".bücher", ".xn--bcher-kva"],
    ["example.org", undefined],
    ["", undefined],
    ["ü".repeat(255), undefined]
  ])("converts the domain in %j", (part, converted) => {
    expect(inALabels(part)).toBe(converted)
  })
})
