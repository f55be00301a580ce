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
