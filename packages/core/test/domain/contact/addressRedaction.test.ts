/**
 * Which texts contain an address, and what is left of them.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { erasedAddress, makeAddressRedaction } from "../../../src/domain/contact/addressRedaction.ts"

const ada = makeAddressRedaction("ada@example.org")

describe("makeAddressRedaction", () => {
  it.each([
    ["ada@example.org", "E"],
    ["ADA@Example.ORG", "E"],
    ["Ada <ada@example.org>, bob@example.org", "Ada <E>, bob@example.org"],
    ['<a href="mailto:ada@example.org?cc=x">', '<a href="mailto:E?cc=x">'],
    ["https://x.example/?email=ada%40example.org&a=1", "https://x.example/?email=E&a=1"],
    ["https://x.example/?next=%3Fto%3Dada%40example.org", "https://x.example/?next=%3Fto%3DE"],
    ["Write to ada@example.org.", "Write to E."],
    ["ada@example.org,ada@example.org", "E,E"],
    ["welcome:ada@example.org:1", "welcome:E:1"]
  ])("replaces the address in %j", (text, left) => {
    expect(ada.isIn(text)).toBe(true)
    expect(ada.redact(text)).toBe(left.replaceAll("E", erasedAddress))
  })

  it.each([
    "zada@example.org",
    "x.ada@example.org",
    "ada+1@example.org",
    "ada@example.organic",
    "ada@example.org.uk",
    "ada@example-org",
    "adaXexample.org",
    "éada@example.org",
    "e\u0301ada@example.org",
    "ada@example.org\u0301",
    ""
  ])("keeps %j, which is another text", (text) => {
    expect(ada.isIn(text)).toBe(false)
    expect(ada.redact(text)).toBe(text)
  })

  it("finds an address with an escaped local part in HTML and in a URL", () => {
    const odd = makeAddressRedaction("o'b&c+d@example.org")
    expect(odd.redact("<p>o&#39;b&amp;c+d@example.org</p>")).toBe(`<p>${erasedAddress}</p>`)
    expect(odd.redact("?to=o'b%26c%2Bd%40example.org")).toBe(`?to=${erasedAddress}`)
    expect(odd.redact(`?${String(new URLSearchParams({ to: "o'b&c+d@example.org" }))}`)).toBe(`?to=${erasedAddress}`)
  })

  it.each([
    [
      "every character of a URL",
      (text: string) => text.replaceAll(/./gsu, (one) => `%${one.charCodeAt(0).toString(16)}`)
    ],
    [
      "every character as a decimal number of HTML",
      (text: string) => text.replaceAll(/./gsu, (one) => `&#${one.charCodeAt(0)};`)
    ],
    [
      "every character as a hexadecimal number of HTML",
      (text: string) => text.replaceAll(/./gsu, (one) => `&#X00${one.charCodeAt(0).toString(16)};`)
    ],
    ["only the at sign", (text: string) => text.replace("@", "&#64;")],
    ["only the at sign, without a semicolon", (text: string) => text.replace("@", "&#64")],
    [
      "every character as a number of HTML without a semicolon",
      (text: string) => text.replaceAll(/./gsu, (one) => `&#${one.charCodeAt(0)}`)
    ],
    ["only the at sign, by its name", (text: string) => text.replace("@", "&commat;")],
    [
      "the at sign and the dots by their names",
      (text: string) => text.replace("@", "&commat;").replaceAll(".", "&period;")
    ]
  ])("finds an address with escapes of %s", (_, escaped) => {
    expect(ada.redact(`<a href="${escaped("ada@example.org")}">`)).toBe(`<a href="${erasedAddress}">`)
  })

  it.each(["ada@b&#252;cher.example", "ada@b&#xFC;cher.example", "ada@b&uuml;cher.example"])(
    "finds a domain whose letters are escaped in HTML: %s",
    (text) => {
      const idn = makeAddressRedaction("ada@xn--bcher-kva.example")
      expect(idn.redact(`<p>${text}</p>`)).toBe(`<p>${erasedAddress}</p>`)
    }
  )

  it.each([
    ["o'b&c+d_e@example.org", "o&apos;b&amp;c&plus;d&lowbar;e&commat;example&period;org"],
    ["jürgen@example.org", "J&uuml;rgen@example.org"],
    ["rené.groß@example.org", "Ren&Eacute;.Gro&szlig;@example.org"],
    ["čapek@example.org", "&ccaron;apek@example.org"],
    ["søren@example.org", "s&oslash;ren@example.org"]
  ])("finds %s whose characters are escaped by their names in HTML", (address, text) => {
    expect(makeAddressRedaction(address).redact(`<b>${text}</b>`)).toBe(`<b>${erasedAddress}</b>`)
  })

  it.each(["'", "/", "`", "=", "&"])("ends soon in a text with many escapes of %s that is no address", (character) => {
    const escapes: Readonly<Record<string, string>> = {
      "'": "&#39;",
      "/": "&#x2F;",
      "`": "&#x60;",
      "=": "&#x3D;",
      "&": "&amp;"
    }
    const many = makeAddressRedaction(`${character.repeat(60)}@example.org`)
    // With two ways to read an escape, the search would not end in a lifetime.
    expect(many.isIn(escapes[character]!.repeat(500))).toBe(false)
    expect(many.isIn(`${escapes[character]!.repeat(60)}@example.org`)).toBe(true)
  })

  it("finds no address behind the number of another character", () => {
    expect(ada.isIn("ada&#640example.org")).toBe(false)
    // The digit e belongs to the number, as in a browser.
    expect(ada.isIn("ada&#x40example.org")).toBe(false)
    expect(ada.isIn("ada&#x40;example.org")).toBe(true)
    // A letter follows, so this is the address of another person.
    expect(makeAddressRedaction("ada@x.co").isIn("ada@x.c&#111;m")).toBe(false)
    expect(makeAddressRedaction("ada@x.co").isIn("ada@x.c&#111m")).toBe(false)
    expect(makeAddressRedaction("ada@x.example").isIn("ada&#x40x.example")).toBe(true)
  })

  it("finds no address behind the name of another character", () => {
    expect(ada.isIn("ada&comma;example.org")).toBe(false)
    expect(makeAddressRedaction("jürgen@example.org").isIn("j&ugrave;rgen@example.org")).toBe(false)
  })

  it("finds a domain in A-labels and in Unicode", () => {
    const idn = makeAddressRedaction("ada@xn--bcher-kva.example")
    expect(idn.redact("ada@bücher.example, ada@xn--bcher-kva.example")).toBe(`${erasedAddress}, ${erasedAddress}`)
    expect(idn.isAddress("Ada@BÜCHER.example")).toBe(true)
  })

  it.each(["NFC", "NFD"] as const)("finds an address whose letters are spelled in %s", (form) => {
    const spelled = makeAddressRedaction("jürgen.é@xn--bcher-kva.example")
    const text = "Jürgen.É@bücher.example".normalize(form)
    expect(spelled.redact(`Write to ${text}.`)).toBe(`Write to ${erasedAddress}.`)
    expect(spelled.redact(`?to=${encodeURIComponent(text.toLowerCase())}`)).toBe(`?to=${erasedAddress}`)
    expect(spelled.redact({ to: [text], metadata: { [text]: text } })).toEqual({
      to: [erasedAddress],
      metadata: { [erasedAddress]: erasedAddress }
    })
  })

  it("finds an address with one letter in NFC and one in NFD, and one behind a symbol with a variation selector", () => {
    const spelled = makeAddressRedaction("éé@example.org")
    expect(spelled.redact("\u2709\ufe0f\u00e9e\u0301@example.org")).toBe(`\u2709\ufe0f${erasedAddress}`)
  })

  it("replaces in nested fields and their names, and keeps other values and bytes", () => {
    const bytes = Uint8Array.from([1])
    const value = { a: ["ada@example.org", 1, null, true], "ada@example.org": { b: "x ada@example.org" }, bytes }
    expect(ada.redact(value)).toEqual({
      a: [erasedAddress, 1, null, true],
      [erasedAddress]: { b: `x ${erasedAddress}` },
      bytes
    })
    expect(ada.isIn({ "ada@example.org": 1 })).toBe(true)
    expect(ada.isIn({ to: ["bob@example.org", "ada@example.org"] })).toBe(true)
    expect(ada.isIn({ a: [null, { b: 2 }] })).toBe(false)
  })

  it("keeps the address of another person whose local part ends with the address", () => {
    const brien = makeAddressRedaction("brien@x.example")
    const others = {
      recipient: "o'brien@x.example",
      address: "o'brien@x.example",
      to: ["O'Brien@x.example", "sales/brien@x.example"],
      data: { contact: { email: "o'brien@x.example", userId: "o'brien@x.example" } }
    }
    expect(brien.isIn(others)).toBe(false)
    expect(brien.redact(others)).toEqual(others)
    expect(brien.redact({ to: ["o'brien@x.example", "Brien@x.example"], text: "'brien@x.example'" })).toEqual({
      to: ["o'brien@x.example", erasedAddress],
      text: `'${erasedAddress}'`
    })
    expect(brien.redact({ userId: "user brien@x.example", metadata: { key: "of/brien@x.example" } })).toEqual({
      userId: `user ${erasedAddress}`,
      metadata: { key: `of/${erasedAddress}` }
    })
  })

  it.each([
    ["ada@example.org.pdf", "E.pdf"],
    ["Invoice for ADA@example.org.csv.gz", "Invoice for E.csv.gz"],
    ["ada@example.org", "E"],
    ["ada@example.org.uk.pdf", "ada@example.org.uk.pdf"],
    ["mary-ada@example.org.pdf", "mary-ada@example.org.pdf"]
  ])("replaces the address in the file name %j, and not in a longer address", (filename, left) => {
    expect(ada.redact({ filename })).toEqual({ filename: left.replace("E", erasedAddress) })
    expect(ada.isIn({ filename })).toBe(filename !== left)
  })

  it.each([
    ["welcome-ada@example.org", "welcome-E"],
    ["ada@example.org_2", "E_2"],
    ["order.7_ADA@example.org-1", "order.7_E-1"],
    ["invoice-ada@example.org.pdf", "invoice-E.pdf"],
    ["zada@example.org", "zada@example.org"],
    ["ada@example.org.uk", "ada@example.org.uk"]
  ])("replaces the address in %j where a punctuation mark joins it to a word", (text, left) => {
    expect(ada.redactJoined(text)).toBe(left.replace("E", erasedAddress))
  })

  it("leaves no text in which it finds the address, and changes nothing else", () => {
    const piece = fc.constantFrom(
      "ada@example.org",
      "ADA@EXAMPLE.ORG",
      "ada%40example.org",
      "z",
      "%3D",
      ".",
      "@",
      "<",
      " "
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join("")
        const left = ada.redact(text)
        expect(ada.isIn(left)).toBe(false)
        expect(left === text).toBe(!ada.isIn(text))
      })
    )
  })
})
