import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parseSendOptions } from "../../../src/domain/message/SendOptions.ts"
import { canonicalSend, parseSend } from "../../../src/domain/message/SendRequest.ts"

const minimal = { from: "hello@example.com", to: "ada@example.com", subject: "Hi", text: "Hello" }

const issuesOf = (input: unknown) => {
  const parsed = parseSend(input, "api")
  return Result.isFailure(parsed) ? parsed.failure.map(({ path, code }) => `${path.join(".")} ${code}`) : []
}

const many = (count: number) => Array.from({ length: count }, (_, i) => `r${i}@example.com`)

describe("parseSend, for a valid send", () => {
  it.each([
    ["the required fields alone", {}],
    ["html alone", { text: undefined, html: "<p>" }],
    ["a template in place of the content", { subject: undefined, text: undefined, templateId: "tpl_1" }],
    [
      "a template with 1 MiB of names and values",
      {
        templateId: "tpl_1",
        templateVariables: Object.fromEntries(["a", "b", "c", "d"].map((key) => [key, "x".repeat(256 * 1024 - 1)]))
      }
    ],
    ["a template beside the content", { templateId: "tpl_1", templateVariables: { name: "Ada", n: 1, on: true } }],
    ["cc and bcc with one recipient", { cc: ["b@example.com"], bcc: "c@example.com" }],
    ["an empty cc with many recipients", { to: many(2), cc: [] }],
    ["50 addresses", { to: many(50) }],
    ["50 addresses with cc", { to: many(1), cc: many(49) }],
    ["a subject of 500 characters outside the basic plane", { subject: "😀".repeat(500) }],
    ["metadata of exactly 4 KiB", { metadata: { a: "x".repeat(4088) } }],
    ["a metadata key of 40 characters outside the basic plane", { metadata: { ["😀".repeat(40)]: 1 } }],
    ["metadata of any JSON", { metadata: { a: [1, { b: null }] } }],
    ["a text of 2 MiB", { text: "x".repeat(2 * 1024 * 1024) }]
  ])("allows a send with %s", (_, change) => {
    const body = Object.fromEntries(
      Object.entries({ ...minimal, ...change }).filter(([, value]) => value !== undefined)
    )
    expect(issuesOf(body)).toEqual([])
  })
})

describe("the metadata of a valid send", () => {
  it.each(["embedded", "api"] as const)("is a copy, because a program may change its objects later: %s", (source) => {
    const metadata: Record<string, unknown> = { order: { items: ["a"], none: null }, n: -0.5 }
    const parsed = Result.getOrThrow(parseSend({ ...minimal, metadata }, source))
    const order = metadata["order"] as { items: Array<unknown> }
    order.items.push(5n, "x".repeat(5000))
    Object.assign(order, { self: order })
    expect(parsed.metadata).toEqual({ order: { items: ["a"], none: null }, n: -0.5 })
  })
})

describe("parseSend, for an invalid send", () => {
  it.each<[string, unknown, ReadonlyArray<string>]>([
    ["no field", {}, ["from required", "to required", "subject required", "html required"]],
    ["an array in place of an object", [], [" invalid_type"]],
    ["null in place of an object", null, [" invalid_type"]],
    ["an unknown field", { ...minimal, subjct: "x" }, ["subjct unknown_field"]],
    ["a display name in from", { ...minimal, from: "Me <hello@example.com>" }, ["from invalid_value"]],
    ["no recipient", { ...minimal, to: [] }, ["to too_short"]],
    ["101 recipients", { ...minimal, to: many(101) }, ["to too_many_items"]],
    ["51 recipients", { ...minimal, to: many(51) }, ["to too_many_recipients"]],
    ["51 recipients with cc", { ...minimal, to: many(1), cc: many(50) }, ["to too_many_recipients"]],
    ["the same address 51 times", { ...minimal, to: Array(51).fill("a@example.com") }, ["to too_many_recipients"]],
    ["cc beside two recipients", { ...minimal, to: many(2), cc: "c@example.com" }, ["cc not_allowed_here"]],
    ["bcc beside two recipients", { ...minimal, to: many(2), bcc: ["c@example.com"] }, ["bcc not_allowed_here"]],
    ["a wrong address among many", { ...minimal, to: ["a@example.com", "b"] }, ["to.1 invalid_value"]],
    ["a number for to", { ...minimal, to: 1 }, ["to invalid_type"]],
    ["an empty subject", { ...minimal, subject: "" }, ["subject too_short"]],
    ["a long subject", { ...minimal, subject: "x".repeat(501) }, ["subject too_long"]],
    ["a header in the subject", { ...minimal, subject: "Hi\r\nBcc: x@example.com" }, ["subject invalid_value"]],
    ["a line separator in fromName", { ...minimal, fromName: "a\u2028b" }, ["fromName invalid_value"]],
    ["an empty fromName", { ...minimal, fromName: "" }, ["fromName too_short"]],
    ["a long fromName", { ...minimal, fromName: "x".repeat(101) }, ["fromName too_long"]],
    ["a wrong replyTo", { ...minimal, replyTo: "x" }, ["replyTo invalid_value"]],
    ["null for an optional field", { ...minimal, html: null }, ["html invalid_type"]],
    ["NUL in the text", { ...minimal, text: "a\0b" }, ["text invalid_value"]],
    ["half a surrogate pair", { ...minimal, text: "\ud800" }, ["text invalid_value"]],
    ["more than 2 MiB", { ...minimal, text: "ü".repeat(1024 * 1024 + 1) }, ["text too_long"]],
    ["variables without a template", { ...minimal, templateVariables: {} }, ["templateVariables not_allowed_here"]],
    [
      "a variable that is an object",
      { ...minimal, templateId: "t", templateVariables: { a: {} } },
      ["templateVariables.a invalid_type"]
    ],
    [
      "51 metadata keys",
      { ...minimal, metadata: Object.fromEntries(many(51).map((key) => [key, 1])) },
      ["metadata too_many_items"]
    ],
    ["a long metadata key", { ...minimal, metadata: { ["k".repeat(41)]: 1 } }, ["metadata too_long"]],
    ["a long list with a wrong last item", { ...minimal, to: [...many(100), "bad"] }, ["to too_many_items"]],
    [
      "a flood of wrong items",
      { ...minimal, to: Array(100_000).fill(1) },
      ["to too_many_items", ...Array.from({ length: 100 }, (_, i) => `to.${i} invalid_type`)]
    ],
    ["null for cc beside two recipients", { ...minimal, to: many(2), cc: null }, ["cc invalid_type"]],
    ["metadata of one byte more than 4 KiB", { ...minimal, metadata: { a: "x".repeat(4089) } }, ["metadata too_large"]],
    ["NUL in metadata", { ...minimal, metadata: { a: "\0" } }, ["metadata invalid_value"]],
    [
      "a reserved metadata key within a list",
      { ...minimal, metadata: JSON.parse('{"a":[{"b":{"__proto__":{}}}]}') },
      ["metadata invalid_value"]
    ],
    [
      "a reserved metadata key within an object",
      { ...minimal, metadata: { a: { constructor: 1 } } },
      ["metadata invalid_value"]
    ],
    [
      "a reserved template variable",
      { from: minimal.from, to: minimal.to, templateId: "t", templateVariables: JSON.parse('{"__proto__":1}') },
      ["templateVariables invalid_value"]
    ],
    ["a reserved metadata key", { ...minimal, metadata: JSON.parse('{"__proto__":1}') }, ["metadata invalid_value"]],
    ["more than 4 KiB of metadata", { ...minimal, metadata: { a: "ü".repeat(2100) } }, ["metadata too_large"]],
    ["metadata that is an array", { ...minimal, metadata: [] }, ["metadata invalid_type"]],
    ["a time without an offset", { ...minimal, scheduledAt: "2026-12-01T10:00:00" }, ["scheduledAt invalid_value"]],
    ["a day that does not exist", { ...minimal, scheduledAt: "2026-02-30T10:00:00Z" }, ["scheduledAt invalid_value"]],
    [
      "a template's value of one byte more than 256 KiB",
      { ...minimal, templateId: "t", templateVariables: { a: "ü".repeat(128 * 1024) + "x" } },
      ["templateVariables.a too_long"]
    ],
    [
      "NUL in a template's value",
      { ...minimal, templateId: "t", templateVariables: { a: "\0" } },
      ["templateVariables.a invalid_value"]
    ],
    [
      "more than 1 MiB of a template's names and values",
      {
        ...minimal,
        templateId: "t",
        templateVariables: Object.fromEntries(["a", "b", "c", "d"].map((key) => [key, "x".repeat(256 * 1024)]))
      },
      ["templateVariables too_large"]
    ],
    [
      "several issues at once",
      { from: "x", to: many(2), cc: "y", html: 1 },
      ["from invalid_value", "html invalid_type", "cc invalid_value", "subject required", "cc not_allowed_here"]
    ]
  ])("refuses a send with %s", (_, body, issues) => {
    expect([...issuesOf(body)].toSorted()).toEqual([...issues].toSorted())
  })

  it("returns a bounded number of issues, however many fields or entries a send has", () => {
    const flood = Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`f${i}`, 1]))
    for (const body of [
      flood,
      { ...minimal, to: "x".padEnd(1_000_000) + "x" },
      { ...minimal, metadata: flood, templateVariables: flood }
    ])
      expect(issuesOf(body).length).toBeLessThan(2000)
  })

  it("throws no error for any send, and repeats no value of the request in an issue", () => {
    const canary = "c4n4ry"
    const value = fc.anything({
      key: fc.oneof(fc.constantFrom(...Object.keys(minimal), "__proto__", "cc", "metadata"), fc.string())
    })
    fc.assert(
      fc.property(value, (input) => {
        for (const source of ["api", "embedded"] as const) {
          parseSend(input, source)
          const parsed = parseSend({ ...minimal, subject: `${canary}\n`, text: input, scheduledAt: input }, source)
          expect(Result.isFailure(parsed) && JSON.stringify(parsed.failure)).not.toContain(canary)
        }
      })
    )
  })
})

describe("canonicalSend", () => {
  const noOptions = Result.getOrThrow(parseSendOptions({}))
  const canonical = (body: unknown) => canonicalSend(Result.getOrThrow(parseSend(body, "api")), noOptions)

  it("gives equal requests one canonical form, whatever the key order, address list or time zone", () => {
    const scheduled = { ...minimal, scheduledAt: "2026-12-24T18:00:00+01:00", metadata: { b: 1, a: 2 } }
    const reordered = {
      metadata: { a: 2, b: 1 },
      text: "Hello",
      scheduledAt: "2026-12-24T17:00:00Z",
      subject: "Hi",
      cc: [],
      to: ["ada@EXAMPLE.com"],
      from: "hello@example.com"
    }
    expect(canonical(scheduled)).toBe(canonical(reordered))
  })

  it("gives another canonical form when a name, a type, an id, a disposition or the hash of a file differs, or the order", () => {
    const send = Result.getOrThrow(parseSend(minimal, "api"))
    const file = {
      filename: "a.pdf",
      contentType: "application/pdf",
      contentId: null,
      disposition: "attachment" as const,
      size: 3,
      hash: "h1"
    }
    const other = { ...file, filename: "b.pdf" }
    const variants = [
      [],
      [file],
      [other],
      [{ ...file, contentType: "text/plain" }],
      [{ ...file, contentId: "logo" }],
      [{ ...file, disposition: "inline" as const }],
      [{ ...file, hash: "h2" }],
      [file, other],
      [other, file]
    ]
    const canonicals = variants.map((files) => canonicalSend(send, noOptions, files))
    expect(new Set(canonicals).size).toBe(variants.length)
    expect(canonicals[0]).toBe(canonicalSend(send, noOptions))
    expect(canonicals[0]).not.toContain("attachments")
  })

  it("gives another canonical form when any field differs", () => {
    const variants = [
      minimal,
      { ...minimal, subject: "Ho" },
      { ...minimal, text: "Hello!" },
      { ...minimal, html: "<p>" },
      { ...minimal, fromName: "Me" },
      { ...minimal, replyTo: "me@example.com" },
      { ...minimal, metadata: { a: 1 } },
      { ...minimal, cc: "b@example.com" },
      { ...minimal, bcc: "b@example.com" },
      { ...minimal, scheduledAt: "2026-12-24T17:00:00Z" },
      { ...minimal, templateId: "t" }
    ]
    expect(new Set(variants.map(canonical)).size).toBe(variants.length)
  })
})
