/**
 * What a request alone shows is refused with 400 and all issues, before the store is asked: before 404, 409 and a limit. Source: docs/spec/clarifications.md
 * W1.
 */
import { sendInput, stores } from "@mailkeep/test-support"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { HttpTestServer } from "./httpTestServer.ts"
import { error, invalid, openHttpTestServer } from "./httpTestServer.ts"

const twice = [
  { key: "a", type: "string" },
  { key: "a", type: "string" }
]

describe.each(stores)("refusals by the request alone, over $name", (store) => {
  let wire: HttpTestServer
  beforeAll(async () => {
    wire = await openHttpTestServer(store)
    await wire.call("/emails/templates", { method: "POST", body: { name: "Receipt", alias: "receipt" } })
    await wire.call("/emails/properties", { method: "POST", body: { key: "Tier", type: "string" } })
    await wire.call("/emails/contacts", { method: "POST", body: { email: "a@example.org", properties: { tier: "x" } } })
  })
  afterAll(() => wire.close())

  it.each<[string, string, unknown, string, string]>([
    [
      "POST",
      "/emails/templates",
      { name: "R", alias: "receipt", variables: twice },
      "variables.1.key",
      "invalid_value"
    ],
    ["PATCH", "/emails/templates/tpl_unknown", { variables: twice }, "variables.1.key", "invalid_value"],
    [
      "PATCH",
      "/emails/templates/tpl_unknown",
      { variables: [{ key: "a", type: "number", fallback_value: "x" }] },
      "variables.0.fallback_value",
      "invalid_type"
    ],
    ["PATCH", "/emails/properties/prop_x", { type: "number", fallback_value: "x" }, "fallback_value", "invalid_type"],
    ["POST", "/emails/properties", { key: "tier", type: "date", fallback_value: "x" }, "fallback_value", "invalid_type"]
  ])("answers 400 to %s %s before it looks for records", async (method, path, body, field, code) => {
    const fieldPath = field.split(".").map((part) => (/^\d+$/.test(part) ? Number(part) : part))
    expect(await wire.call(path, { method, body })).toMatchObject(invalid("body", [fieldPath, code]))
  })

  it("answers 400 to another type of a property in use when the fallback does not fit", async () => {
    const { body } = await wire.call("/emails/properties")
    const path = `/emails/properties/${body.data[0].id}`
    const change = (fallback: string) => ({ method: "PATCH", body: { type: "number", fallback_value: fallback } })
    expect(await wire.call(path, change("x"))).toMatchObject(invalid("body", [["fallback_value"], "invalid_type"]))
    expect(await wire.call(path, change("1"))).toMatchObject(error(409, "conflict"))
  })

  it("answers 400 to a template that is too large before it compares the alias with those of other templates", async () => {
    const { body } = await wire.call("/emails/templates", { method: "POST", body: { name: "Other" } })
    const large = { alias: "receipt", subject: "😀".repeat(1100) }
    const tooLarge = invalid("body", [["subject"], "too_large"])
    const created = await wire.call("/emails/templates", { method: "POST", body: { name: "New", ...large } })
    expect(created).toMatchObject(tooLarge)
    const path = `/emails/templates/${body.data.id}`
    expect(await wire.call(path, { method: "PATCH", body: large })).toMatchObject(tooLarge)
    expect(await wire.call(path, { method: "PATCH", body: { alias: "receipt" } })).toMatchObject(
      error(409, "duplicate_error")
    )
  })

  it("lists the issues of a file and of a rule between fields beside those of other fields", async () => {
    const { subject: _, ...withoutSubject } = sendInput()
    const body = { ...withoutSubject, attachments: [{ filename: "a.txt", content: "!!!" }] }
    expect(
      await wire.call("/emails/send", { method: "POST", body, headers: { "idempotency-key": "k" } })
    ).toMatchObject(invalid("body", [["subject"], "required"], [["attachments", 0, "content"], "invalid_value"]))
  })

  it.each<[string, unknown, ReadonlyArray<readonly [ReadonlyArray<string | number>, string]>]>([
    [
      "/emails/webhooks",
      { url: "http://example.com/hook", description: "a\nb" },
      [
        [["description"], "invalid_value"],
        [["url"], "invalid_value"]
      ]
    ],
    [
      "/emails/domains",
      { domain: "not a domain", openTracking: true },
      [
        [["domain"], "invalid_value"],
        [["openTracking"], "invalid_value"]
      ]
    ],
    [
      "/emails/templates",
      { name: "", variables: twice },
      [
        [["name"], "too_short"],
        [["variables", 1, "key"], "invalid_value"]
      ]
    ],
    [
      "/emails/properties",
      { key: "", type: "number", fallback_value: "x" },
      [
        [["key"], "too_short"],
        [["fallback_value"], "invalid_type"]
      ]
    ]
  ])("lists all issues of a body for %s", async (path, body, issues) => {
    expect(await wire.call(path, { method: "POST", body })).toMatchObject(invalid("body", ...issues))
  })

  it.each([
    ["a line end", "a\nb", "invalid_value"],
    ["501 characters", "{{! long }}".concat("x".repeat(501)), "too_long"]
  ])("refuses to publish a template whose subject always has %s", async (_, subject, code) => {
    const { body } = await wire.call("/emails/templates", {
      method: "POST",
      body: { name: "Long", subject, text: "t" }
    })
    const publish = `/emails/templates/${body.data.id}/publish`
    expect(await wire.call(publish, { method: "POST" })).toMatchObject(invalid("body", [["subject"], code]))
  })

  it("names the part of an address in the path", async () => {
    const refused = await wire.call("/emails/suppressions/notanemail", { method: "DELETE" })
    expect(refused).toMatchObject(invalid("path", [["email"], "invalid_value"]))
    expect(refused.body.message).toBe("path.email must be a bare mailbox")
  })

  it("lists the issues of the path before those of the query", async () => {
    const refused = await wire.call("/emails/suppressions/notanemail?force=1", { method: "DELETE" })
    expect(refused).toMatchObject(invalid("path", [["email"], "invalid_value"]))
    const unknown = await wire.call("/emails/suppressions/a@example.org?force=1", { method: "DELETE" })
    expect(unknown).toMatchObject(invalid("query", [["force"], "unknown_field"]))
  })

  it.each([
    ["/emails/logs?limit=1&limit=2", "limit"],
    ["/emails/logs?status=queued&status=sending", "status"],
    ["/emails/contacts?emailStatus=subscribed&emailStatus=subscribed", "emailStatus"],
    ["/emails/domains?status=pending&status=verified", "status"],
    ["/emails/templates?origin=custom&origin=custom", "origin"]
  ])("says for %s that the query parameter must be given once", async (path, name) => {
    const refused = await wire.call(path)
    expect(refused).toMatchObject(invalid("query", [[name], "invalid_type"]))
    expect(refused.body.message).toBe(`query.${name} must be given once`)
  })

  it("says on one domain that its details were fetched", async () => {
    const { body } = await wire.call("/emails/domains")
    const one = await wire.call(`/emails/domains/${body.data.items[0].id}`)
    expect(one).toMatchObject({ status: 200, body: { message: "Email domain details fetched" } })
    expect(one.body.data).toEqual(body.data.items[0])
  })
})
