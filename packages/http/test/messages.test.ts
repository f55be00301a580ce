/**
 * The `message` of a 400 is a whole sentence: the part and the path of the first issue, the problem, and the number of further issues.
 */
import { formatInstant } from "@mailkeep/core"
import { sendInput, start, stores } from "@mailkeep/test-support"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { HttpTestServer } from "./httpTestServer.ts"
import { invalid, openHttpTestServer, postSend } from "./httpTestServer.ts"

const many = (count: number) => Array.from({ length: count }, (_, n) => `p${n}@example.org`)

const nested = (depth: number) => `${'{"x":'.repeat(depth)}1${"}".repeat(depth)}`

const sends: ReadonlyArray<readonly [says: string, body: unknown]> = [
  ["body must not be empty", ""],
  ["body must be JSON in UTF-8", "{"],
  ["body must be an object", "[]"],
  ["body.htlm is not a known field", { ...sendInput(), htlm: "<p>" }],
  ["body.from is required, and 3 more", {}],
  ["body.html is required without text and templateId", { from: "a@example.com", to: "b@example.org", subject: "s" }],
  ["body.to must hold at most 50 addresses together with cc and bcc", sendInput({ to: many(51) })],
  ["body.to must have at most 100 entries", sendInput({ to: many(101) })],
  ["body.to[1] must be a bare mailbox such as ada@example.com", sendInput({ to: ["a@example.org", "nobody"] })],
  [
    "body.cc is allowed only with one address in to",
    sendInput({ to: ["a@example.org", "b@example.org"], cc: "c@example.org" })
  ],
  ["body.subject must be one line of well-formed Unicode without control characters", sendInput({ subject: "a\nb" })],
  ["body.scheduledAt must be in the future", sendInput({ scheduledAt: formatInstant(start - 1) })],
  [
    "body.scheduledAt must be an ISO 8601 date and time with an offset, such as 2026-12-24T18:00:00+01:00, on a date that exists",
    sendInput({ scheduledAt: "2026-02-31T00:00Z" })
  ],
  [
    "body.metadata must not have the key __proto__, constructor or prototype at any depth",
    metadata('{"a":[{"__proto__":1}]}')
  ],
  ["body must not have arrays and objects nested deeper than 64 levels", metadata(nested(64))],
  ["body.templateId is not a published template of this project", { ...sendInput(), templateId: "tpl_none" }]
]

function metadata(json: string): string {
  return `${JSON.stringify(sendInput()).slice(0, -1)},"metadata":${json}}`
}

describe("the message of a 400", () => {
  let wire: HttpTestServer
  beforeAll(async () => {
    wire = await openHttpTestServer(stores[0])
  })
  afterAll(() => wire.close())

  it.each(sends)("answers an invalid send with the message %j", async (says, body) => {
    expect(await postSend(wire, body)).toMatchObject({ status: 400, body: { message: says } })
  })

  it("names the part of the request for a wrong header, query parameter or property", async () => {
    const create = (body: unknown) => wire.call("/emails/contacts", { method: "POST", body })
    expect((await wire.call("/emails/send", { method: "POST", body: sendInput() })).body.message).toBe(
      "headers.idempotency-key is required"
    )
    expect((await wire.call("/emails/logs?limit=0")).body.message).toBe("query.limit must be at least 1")
    expect((await wire.call("/emails/logs?cursor=x")).body.message).toBe(
      "query.cursor is not a cursor of these filters"
    )
    await wire.call("/emails/properties", { method: "POST", body: { key: "score", type: "number" } })
    expect((await create({ email: "a@example.org", properties: { score: "x", plan: 1 } })).body.message).toBe(
      "body.properties.score must be a number, and 1 more"
    )
  })

  it.each([
    ["startDate=2026-11-21T00:00:00+01:00", "startDate"],
    ["endDate=2026-11-21T00:00+0100", "endDate"],
    ["endDate=2026-11-21T00:00+01", "endDate"]
  ])("says how to write the plus sign of an offset in the query %s", async (query, field) => {
    const refused = await wire.call(`/emails/logs?${query}`)
    expect(refused).toMatchObject(invalid("query", [[field], "invalid_value"]))
    expect(refused.body.message).toBe(
      `query.${field} has a space in place of the + of its offset, because + means a space in a query: write %2B`
    )
    expect((await wire.call(`/emails/logs?${query.replace("+", "%2B")}`)).status).toBe(200)
    expect((await wire.call("/emails/logs?endDate=2026-11-21+00:00")).body.message).toContain("must be a date")
  })

  it("says how to write the plus sign of a recipient in the query", async () => {
    await postSend(wire, sendInput({ to: "ada+news@example.org" }))
    const refused = await wire.call("/emails/logs?recipient=ada+news@example.org")
    expect(refused).toMatchObject(invalid("query", [["recipient"], "invalid_value"]))
    expect(refused.body.message).toBe(
      "query.recipient has a space in place of its +, because + means a space in a query: write %2B"
    )
    for (const [recipient, count] of [
      ["ada%2Bnews@example.org", 1],
      ["+ada%2Bnews@example.org+", 1],
      ["%22ada+news%22@example.org", 0],
      ["ada+news", 0]
    ] as const)
      expect((await wire.call(`/emails/logs?recipient=${recipient}`)).body.data.items).toHaveLength(count)
  })

  it("counts every issue and names the first", async () => {
    const { body } = await postSend(wire, { from: 1, to: [], subject: "s", text: "t", x: 1 })
    expect(body.message).toBe(`body.x is not a known field, and ${body.details.issues.length - 1} more`)
  })
})
