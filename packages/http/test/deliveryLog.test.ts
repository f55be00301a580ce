/**
 * The log of deliveries over HTTP.
 */
import { formatInstant } from "@mailkeep/core"
import { sendInput, start, stores, tick } from "@mailkeep/test-support"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { HttpTestServer } from "./httpTestServer.ts"
import { error, invalid, openHttpTestServer, postSend } from "./httpTestServer.ts"

describe.each(stores)("the wire, over $name", (store) => {
  let wire: HttpTestServer
  beforeAll(async () => {
    wire = await openHttpTestServer(store)
  })
  afterAll(() => wire.close())

  describe("the log", () => {
    it("lists delivery summaries with exactly their fields, and follows the cursor", async () => {
      await postSend(
        wire,
        sendInput({ to: ["log1@example.org", "log2@example.org", "log3@example.org"], subject: "Walk" })
      )
      const first = await wire.call("/emails/logs?search=walk&limit=2")
      expect(first.body).toEqual({
        message: "Email logs fetched",
        data: { items: expect.any(Array), total: null, limit: 2, hasMore: true, nextCursor: expect.any(String) }
      })
      expect(first.body.data.items[0]).toEqual({
        id: expect.stringMatching(/^del_/),
        created_at: formatInstant(start),
        recipient: "log3@example.org",
        subject: "Walk",
        status: "queued",
        scheduled_at: null
      })
      const cursor = encodeURIComponent(first.body.data.nextCursor)
      const last = await wire.call(`/emails/logs?search=walk&limit=2&cursor=${cursor}`)
      expect(last.body.data).toMatchObject({ hasMore: false, nextCursor: null, total: null })
      expect((await wire.call("/emails/logs?search=walk&limit=3")).body.data).toMatchObject({
        hasMore: false,
        total: 3
      })
      expect(
        [...first.body.data.items, ...last.body.data.items].map(({ recipient }: { recipient: string }) => recipient)
      ).toEqual(["log3@example.org", "log2@example.org", "log1@example.org"])
    })

    it("returns an empty list when no delivery matches the filters", async () => {
      for (const query of [
        "status=complained",
        "source=smtp",
        "source=pigeon",
        `source=${"x".repeat(300)}`,
        "recipient=",
        "recipient=nobody",
        "contactId=con_x",
        "templateId=t",
        "startDate=2030-01-01T00:00:00Z"
      ])
        expect((await wire.call(`/emails/logs?${query}`)).body.data).toMatchObject({
          items: [],
          total: 0,
          hasMore: false
        })
    })

    it("finds deliveries by the normalized recipient, and ignores an empty search", async () => {
      await postSend(wire, sendInput({ to: "Mixed.Case@example.org" }))
      expect((await wire.call("/emails/logs?recipient=MIXED.case@EXAMPLE.org")).body.data.items).toHaveLength(1)
      expect((await wire.call("/emails/logs?search=&limit=1")).body.data.items).toHaveLength(1)
    })

    it("reads a bare date as the start or the end of that day in UTC, and reads every form of an offset", async () => {
      await postSend(wire, sendInput({ to: "dated@example.org" }))
      const found = async (dates: string) =>
        (await wire.call(`/emails/logs?recipient=dated@example.org&${dates}`)).body.data.items.length
      expect(await found("startDate=2026-11-21&endDate=2026-11-21")).toBe(1)
      expect(await found("startDate=2026-11-22")).toBe(0)
      expect(await found("endDate=2026-11-20")).toBe(0)
      for (const [hour, offset] of [
        ["13", "%2B01"],
        ["13", "%2B0100"],
        ["13", "%2B01:00"],
        ["11", "-01:00"],
        ["12", "Z"]
      ]) {
        expect(await found(`startDate=2026-11-21T${hour}:00${offset}`)).toBe(1)
        expect(await found(`startDate=2026-11-21T${hour}:01${offset}`)).toBe(0)
      }
    })

    it.each([
      ["limit=0", "limit", "too_small"],
      ["limit=101", "limit", "too_large"],
      ["limit=ten", "limit", "invalid_type"],
      ["limit=1.5", "limit", "invalid_type"],
      ["limit=1&limit=2", "limit", "invalid_type"],
      ["status=lost", "status", "invalid_value"],
      ["startDate=2026-11-31", "startDate", "invalid_value"],
      ["endDate=2026-11-21T00:00:00", "endDate", "invalid_value"],
      [`search=${"x".repeat(256)}`, "search", "too_long"],
      [`cursor=${"x".repeat(1025)}`, "cursor", "too_long"],
      ["cursor=nonsense", "cursor", "invalid_cursor"],
      ["cursor=", "cursor", "invalid_cursor"],
      ["__proto__=1", "__proto__", "unknown_field"],
      ["recipent=a", "recipent", "unknown_field"]
    ])("refuses the log query %.30s", async (query, field, code) => {
      expect(await wire.call(`/emails/logs?${query}`)).toMatchObject(invalid("query", [[field], code]))
    })

    it("shows a delivery with all fields, without a data envelope", async () => {
      const { body } = await postSend(
        wire,
        sendInput({ to: "full@example.org", html: "<p>Hi</p>", fromName: "Me", metadata: { n: 1 } })
      )
      await wire.run(tick)
      const { body: shown } = await wire.call(`/emails/logs/${body.data.deliveryIds[0]}`)
      expect(shown).toEqual({
        id: body.data.deliveryIds[0],
        created_at: formatInstant(start),
        recipient: "full@example.org",
        subject: "Hello",
        status: "delivered",
        scheduled_at: null,
        message_id: body.data.messageId,
        recipient_name: null,
        from_address: "hello@example.com",
        from_name: "Me",
        sending_domain: "example.com",
        source: "api",
        delivery_reason: null,
        status_message: expect.any(String),
        canceled_at: null,
        html_content: "<p>Hi</p>",
        text_content: "Hi",
        accepted_at: formatInstant(start),
        delivered_at: formatInstant(start),
        bounced_at: null,
        complained_at: null,
        failed_at: null,
        bounce_type: null,
        first_opened_at: null,
        first_clicked_at: null,
        open_count: 0,
        click_count: 0,
        domain: { id: expect.stringMatching(/^dom_/), domain: "example.com" },
        contact: null,
        template: null,
        metadata: { n: 1 },
        attachments: [],
        attempts: [
          {
            at: formatInstant(start),
            outcome: "delivered",
            smtp_code: 250,
            enhanced_code: "2.1.5",
            message: expect.any(String),
            duration_ms: 0
          }
        ]
      })
      expect(await wire.call("/emails/logs/del_x")).toMatchObject(error(404, "not_found"))
    })
  })
})
