import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type { SendInput } from "../../../src/domain/message/SendInput.ts"
import { parseSendOptions } from "../../../src/domain/message/SendOptions.ts"
import { canonicalSend, parseSend } from "../../../src/domain/message/SendRequest.ts"

const minimal: SendInput = { from: "shop@acme.example", to: "ada@example.org", subject: "Hi", text: "Hello" }
const noOptions = Result.getOrThrow(parseSendOptions({}))

const canonical = (input: SendInput, source: "api" | "embedded" = "embedded") =>
  canonicalSend(Result.getOrThrow(parseSend(input, source)), noOptions)

const issuesOf = (input: unknown, source: "api" | "smtp" | "embedded" = "embedded") => {
  const parsed = parseSend(input, source)
  return Result.isFailure(parsed) ? parsed.failure.map(({ path, code }) => `${path.join(".")} ${code}`) : []
}

const instant = Date.UTC(2026, 11, 24, 17)
const time = "2026-12-24T18:00:00+01:00"

const messagesOf = (input: object) => {
  const parsed = parseSend({ ...minimal, ...input }, "embedded")
  return Result.isFailure(parsed) ? parsed.failure.map(({ path, message }) => `${path.join(".")} ${message}`) : []
}

const quotes =
  'must have a name with a comma or another special character in quotes, as in "Acme, Inc." <hi@acme.example>'
const example = "must be an address such as ada@example.com or Ada <ada@example.com>"

describe("the message about an address of a program", () => {
  it.each<[string, object, string]>([
    [
      "a comma in the name of the sender",
      { from: "Acme, Inc. <hi@acme.example>" },
      `from ${quotes}, or the name in fromName`
    ],
    ["brackets in the name of a recipient", { to: "Ada (Countess) <ada@example.org>" }, `to ${quotes}`],
    [
      "a quotation mark in the middle of a name",
      { to: ["b@example.org", 'Ada "A <ada@example.org>'] },
      `to.1 ${quotes}`
    ],
    ["a comma in the name of replyTo", { replyTo: "Help, desk <help@acme.example>" }, `replyTo ${quotes}`],
    [
      "two addresses in one text",
      { to: "a@example.org, b@example.org" },
      "to must be one address; write several as an array"
    ],
    [
      "two addresses with names in one entry",
      { to: "a@example.org", cc: ["Ada <a@example.org>, b@example.org"] },
      "cc.0 must be one address; write several as an array"
    ],
    ["two senders", { from: "a@acme.example,b@acme.example" }, "from must be one address"],
    ["no address after a name", { to: "Ada, B <nobody>" }, `to ${example}`],
    ["a line break in a name", { from: "Acme,\nInc. <hi@acme.example>" }, `from ${example}`],
    ["no address", { to: "nobody" }, `to ${example}`],
    ["no address between two commas", { to: "a@example.org,, b@example.org" }, `to ${example}`],
    ["a very long name", { to: `${",".repeat(2048)} <a@example.org>` }, `to ${example}`]
  ])("says what to write instead of %s", (_, input, message) => {
    expect(messagesOf(input)).toStrictEqual([message])
  })

  it("names the option that allows cc and bcc with several addresses in to", () => {
    const message = "is allowed only with one address in to, or with the option shownRecipients"
    const to = ["a@example.org", "b@example.org"]
    expect(messagesOf({ to, cc: "c@example.org", bcc: ["d@example.org"] })).toStrictEqual([
      `cc ${message}`,
      `bcc ${message}`
    ])
  })

  it("stays the one of the interface for an API key", () => {
    const parsed = parseSend({ ...minimal, from: "Acme, Inc. <hi@acme.example>" }, "api")
    expect(Result.isFailure(parsed) && parsed.failure.map(({ message }) => message)).not.toContain(quotes)
  })
})

describe("parseSend, for the input of a program", () => {
  it.each<[string, Partial<SendInput>, Partial<SendInput>]>([
    ["the name in from", { from: "Shop <shop@acme.example>" }, { fromName: "Shop" }],
    ["a name beside fromName", { from: "Shop <shop@acme.example>", fromName: "The shop" }, { fromName: "The shop" }],
    [
      "the names of recipients",
      { to: ["Ada <ada@example.org>", "b@example.org"] },
      { to: ["ada@example.org", "b@example.org"] }
    ],
    [
      "a name in cc and bcc",
      { cc: "C <c@example.org>", bcc: ["B <b@example.org>"] },
      { cc: "c@example.org", bcc: "b@example.org" }
    ],
    ["a name in replyTo", { replyTo: '"Help, desk" <help@acme.example>' }, { replyTo: "help@acme.example" }],
    ["a Date", { scheduledAt: new Date(instant) }, { scheduledAt: time }],
    ["milliseconds", { scheduledAt: instant }, { scheduledAt: time }],
    ["fields that are undefined", { cc: undefined, html: undefined, scheduledAt: undefined, metadata: undefined }, {}],
    [
      "a class instance whose fields are the metadata",
      { metadata: Object.assign(Object.create({}), { order: 7 }) },
      { metadata: { order: 7 } }
    ],
    ["metadata that is undefined", { metadata: { order: 7, coupon: undefined } }, { metadata: { order: 7 } }],
    [
      "a template variable that is undefined",
      { templateId: "tpl_1", templateVariables: { name: "Ada", city: undefined } },
      { templateId: "tpl_1", templateVariables: { name: "Ada" } }
    ]
  ])("allows a send of a program with %s", (_, change, wire) => {
    expect(canonical({ ...minimal, ...change })).toBe(canonical({ ...minimal, ...wire }, "api"))
  })

  it.each<[string, unknown, ReadonlyArray<string>]>([
    ["a map as the metadata", { ...minimal, metadata: new Map([["order", 7]]) }, ["metadata invalid_type"]],
    ["bytes as the metadata", { ...minimal, metadata: new Uint8Array([7]) }, ["metadata invalid_type"]],
    [
      "an instance without fields as the metadata",
      { ...minimal, metadata: new (class {})() },
      ["metadata invalid_type"]
    ],
    ["a promise as the metadata", { ...minimal, metadata: Promise.resolve({ order: 7 }) }, ["metadata invalid_type"]],
    [
      "URL parameters as the template variables",
      { ...minimal, templateId: "tpl_1", templateVariables: new URLSearchParams("name=Ada") },
      ["templateVariables invalid_type"]
    ],
    ["a name without an address", { ...minimal, to: "Ada" }, ["to invalid_value"]],
    [
      "a name with a comma and no quotes",
      { ...minimal, to: ["Lovelace, Ada <ada@example.org>", "b@example.org"] },
      ["to.0 invalid_value"]
    ],
    [
      "a name of 101 characters in from",
      { ...minimal, from: `${"x".repeat(101)} <a@acme.example>` },
      ["from too_long"]
    ],
    ["a Date that is invalid", { ...minimal, scheduledAt: new Date(Number.NaN) }, ["scheduledAt invalid_value"]],
    ["a time with a fraction of a millisecond", { ...minimal, scheduledAt: 0.5 }, ["scheduledAt invalid_value"]],
    ["a time after the year 9999", { ...minimal, scheduledAt: 9e15 }, ["scheduledAt invalid_value"]],
    ["null for a time", { ...minimal, scheduledAt: null }, ["scheduledAt invalid_value"]],
    ["101 recipients with names", { ...minimal, to: Array(101).fill("A <a@example.org>") }, ["to too_many_items"]],
    [
      "several issues at once",
      { to: "x", scheduledAt: {} },
      ["from required", "html required", "scheduledAt invalid_value", "subject required", "to invalid_value"]
    ],
    ["an array in place of an object", [], [" invalid_type"]]
  ])("refuses a send of a program with %s", (_, input, issues) => {
    expect([...issuesOf(input)].toSorted()).toEqual(issues)
  })

  it("says in an issue that an address may have a name", () => {
    const parsed = parseSend({ ...minimal, to: "x" }, "embedded")
    expect(Result.isFailure(parsed) && parsed.failure[0]!.message).toContain("Ada <ada@example.com>")
  })
})

describe("parseSend, for the input of the wire", () => {
  it.each(["api", "smtp"] as const)(
    "refuses names in addresses and times that are not text, in a send of the source %s",
    (source) => {
      const input = { ...minimal, from: "Shop <shop@acme.example>", scheduledAt: instant }
      expect(issuesOf(input, source)).toEqual(["from invalid_value", "scheduledAt invalid_type"])
    }
  )
})
