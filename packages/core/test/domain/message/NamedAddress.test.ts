import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parseNamedAddress } from "../../../src/domain/message/NamedAddress.ts"

describe("parseNamedAddress", () => {
  it.each([
    ["Shop <shop@acme.example>", "Shop", "shop@acme.example"],
    ["  Ada   Lovelace  <ada@example.org>  ", "Ada Lovelace", "ada@example.org"],
    ["Acme Inc. <a@example.org>", "Acme Inc.", "a@example.org"],
    ["Zoë Müller<zoe@example.org>", "Zoë Müller", "zoe@example.org"],
    ['"Lovelace, Ada" <ada@example.org>', "Lovelace, Ada", "ada@example.org"],
    ['"say \\"hi\\" \\\\" <ada@example.org>', 'say "hi" \\', "ada@example.org"],
    ['"Ada" "L." Byron <ada@example.org>', "Ada L. Byron", "ada@example.org"],
    ['"a <b> c" <ada@example.org>', "a <b> c", "ada@example.org"],
    ['Ada <"a b"@example.org>', "Ada", '"a b"@example.org'],
    ["Shop <shop@ACME.example>", "Shop", "shop@acme.example"],
    ["<ada@example.org>", null, "ada@example.org"],
    ['"" <ada@example.org>', null, "ada@example.org"]
  ])("parses the address with a name %j", (text, name, address) => {
    expect(parseNamedAddress(text)).toEqual({ name, address })
  })

  it.each([
    "ada@example.org",
    "Ada <nonsense>",
    "Ada <ada@example.org",
    "Ada ada@example.org>",
    "Ada <ada@example.org> Lovelace",
    "Ada <ada@example.org>, Bob <bob@example.org>",
    "Lovelace, Ada <ada@example.org>",
    "Ada (Countess) <ada@example.org>",
    '"Ada <ada@example.org>',
    'Ada <"a<b"@example.org>',
    "Ada\r\nBcc: eve@example.org <ada@example.org>",
    '"Ada\n" <ada@example.org>',
    `${"x".repeat(2048)} <ada@example.org>`,
    ""
  ])("refuses the address with a name %j", (text) => {
    expect(parseNamedAddress(text)).toBeUndefined()
  })

  it("returns a quoted name as it was before quoting", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
        const name = text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, "").trim()
        const quoted = `"${name.replaceAll(/["\\]/g, "\\$&")}" <ada@example.org>`
        expect(parseNamedAddress(quoted)).toEqual({ name: name === "" ? null : name, address: "ada@example.org" })
      })
    )
  })

  it("parses hostile text in linear time", () => {
    const started = performance.now()
    for (const part of ['"', "\\", '"\\', "<", "a ", '"a" ', "("])
      for (const text of [part.repeat(1000), `${part.repeat(1000)}<a@example.org>`, `"${part.repeat(1000)}" <a@b`])
        parseNamedAddress(text)
    expect(performance.now() - started).toBeLessThan(30_000)
  })
})
