import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { parseSendOptions } from "../../../src/domain/message/SendOptions.ts"

const issuesOf = (options: unknown) => {
  const parsed = parseSendOptions(options)
  return Result.isFailure(parsed) ? parsed.failure.map(({ path, code }) => `${path.join(".")} ${code}`) : []
}

const instant = Date.UTC(2026, 11, 24, 17)

describe("parseSendOptions", () => {
  it.each([
    ["a", true],
    ["!~", true],
    ["x".repeat(128), true],
    ["x".repeat(129), false],
    ["", false],
    ["a b", false],
    ["ä", false],
    ["a\t", false]
  ])("decides whether %j is a valid idempotency key: %s", (idempotencyKey, valid) => {
    expect(issuesOf({ idempotencyKey })).toEqual(valid ? [] : ["idempotencyKey invalid_value"])
  })

  it("has a copy of the header fields, because a program may change its object later", () => {
    const headers: Record<string, string> = { "X-Order": "7" }
    const parsed = Result.getOrThrow(parseSendOptions({ headers }))
    headers["X-Order"] = "8\r\nBcc: eve@example.org"
    expect(parsed.headers).toEqual({ "X-Order": "7" })
  })

  it.each([
    ["the Headers of fetch", new Headers({ "X-Order": "7" })],
    ["a map", new Map([["X-Order", "7"]])],
    ["a date", new Date(0)],
    ["a list", ["X-Order"]]
  ])("refuses header fields given as %s, whose contents would be lost", (_, headers) => {
    expect(issuesOf({ headers })).toEqual(["headers invalid_type"])
  })

  it("takes header fields of an object without a prototype", () => {
    expect(issuesOf({ headers: Object.assign(Object.create(null), { "X-Order": "7" }) })).toEqual([])
  })

  it("parses all options, and returns null for those that are absent or undefined", () => {
    const headers = { "X-Order": "7", "X-Coupon": undefined }
    const options = {
      idempotencyKey: "k",
      onAmbiguous: "fail",
      expiresAt: new Date(instant),
      listUnsubscribe: true,
      shownRecipients: { to: ["Ada@EXAMPLE.org"] },
      headers
    }
    expect(parseSendOptions(options)).toEqual(
      Result.succeed({
        idempotencyKey: "k",
        onAmbiguous: "fail",
        expiresAt: instant,
        listUnsubscribe: true,
        shownRecipients: { to: ["Ada@example.org"], cc: [] },
        headers: { "X-Order": "7" }
      })
    )
    const absent = {
      idempotencyKey: null,
      onAmbiguous: null,
      expiresAt: null,
      listUnsubscribe: null,
      shownRecipients: null,
      headers: null
    }
    expect(parseSendOptions({})).toEqual(Result.succeed(absent))
    expect(parseSendOptions({ headers: undefined, expiresAt: undefined })).toEqual(Result.succeed(absent))
  })

  const ids = (count: number) =>
    Array.from({ length: count }, (_, n) => `<${String(n).padStart(26, "0")}@acme.example>`)

  it.each([
    [23, ids(23)],
    [30, [ids(30)[0], ...ids(30).slice(-22)]]
  ])("keeps the first id and as many of the last ones as fit of a thread with %d messages", (count, kept) => {
    const parsed = Result.getOrThrow(parseSendOptions({ headers: { references: ids(count).join(" "), "X-A": "b" } }))
    expect(parsed.headers).toEqual({ references: kept.join(" "), "X-A": "b" })
  })

  it.each([
    ["a text that is no id", ["Re:", ...ids(30)]],
    ["an id that is not ASCII", ["<grüße@x.example>", ...ids(30)]],
    ["an id with a line break", ["<1@x.example>\r\nBcc:", ...ids(30)]],
    ["an id that is too long for a line", [`<${"a".repeat(996)}>`, ...ids(1)]]
  ])("refuses a long thread with %s", (_, words) => {
    expect(issuesOf({ headers: { References: words.join(" ") } })).toEqual(["headers.References too_long"])
  })

  it.each<[string, unknown, ReadonlyArray<string>]>([
    ["null", null, [" invalid_type"]],
    ["a text", "k", [" invalid_type"]],
    ["an unknown option", { idempotencykey: "k" }, ["idempotencykey unknown_field"]],
    ["a number as the idempotency key", { idempotencyKey: 7 }, ["idempotencyKey invalid_type"]],
    ["another policy", { onAmbiguous: "drop" }, ["onAmbiguous invalid_value"]],
    ["a time without an offset", { expiresAt: "2026-12-24T18:00:00" }, ["expiresAt invalid_value"]],
    ["no shown recipient", { shownRecipients: { to: [] } }, ["shownRecipients.to too_short"]],
    [
      "a shown recipient with a line break",
      { shownRecipients: { to: ["a@b.example\r\nBcc: e@x.example"] } },
      ["shownRecipients.to.0 invalid_value"]
    ],
    ["a text for listUnsubscribe", { listUnsubscribe: "yes" }, ["listUnsubscribe invalid_type"]],
    [
      "a second link to unsubscribe",
      { listUnsubscribe: true, headers: { "List-Unsubscribe": "<mailto:a@b.example>" } },
      ["headers not_allowed_here"]
    ],
    ["a list of header fields", { headers: [] }, ["headers invalid_type"]],
    ["a header field of Mailkeep", { headers: { Bcc: "eve@example.org" } }, ["headers.Bcc not_allowed_here"]],
    [
      "two wrong options",
      { onAmbiguous: 1, headers: { "X-A": "\n" } },
      ["onAmbiguous invalid_value", "headers.X-A invalid_value"]
    ]
  ])("refuses the options of a send when they are or contain %s", (_, options, issues) => {
    expect(issuesOf(options)).toEqual(issues)
  })
})
