import { formatInstant } from "@mailkeep/core"
import { hourMillis } from "@mailkeep/core/binding"
import { sendInput, start, stores, tick } from "@mailkeep/test-support"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { HttpTestServer } from "./httpTestServer.ts"
import { error, invalid, openHttpTestServer, postSend } from "./httpTestServer.ts"

describe.each(stores)("the wire, over $name", (store) => {
  let wire: HttpTestServer
  beforeAll(async () => {
    wire = await openHttpTestServer(store)
  })
  afterAll(() => wire.close())

  describe("sending", () => {
    it("answers 202 with the message and its deliveries, under data and nothing else", async () => {
      const { status, body, headers } = await postSend(wire, sendInput({ to: ["a@example.org", "b@example.org"] }))
      expect(status).toBe(202)
      expect(headers.get("content-type")).toMatch(/^application\/json/)
      expect(body).toEqual({
        data: {
          totalQueued: 2,
          messageId: expect.stringMatching(/^msg_[0-9a-z]{26}$/),
          deliveryIds: [expect.stringMatching(/^del_/), expect.stringMatching(/^del_/)],
          scheduledAt: null
        }
      })
    })

    it.each(["2026-11-22T01:00:00+02:00", "2026-11-22T01:00+0200", "2026-11-22T01:00:00.000+02", "2026-11-21T23:00Z"])(
      "shows the scheduled time %s in UTC",
      async (scheduledAt) => {
        const { body } = await postSend(wire, sendInput({ scheduledAt }))
        expect(body.data.scheduledAt).toBe("2026-11-21T23:00:00.000Z")
      }
    )

    it("repeats the same response bytes for a replay, and marks the replay", async () => {
      const headers = { "idempotency-key": "replayed" }
      const first = await postSend(wire, sendInput(), { headers })
      const again = await postSend(wire, { ...sendInput(), to: ["ada@example.org"] }, { headers })
      expect(first.headers.get("idempotent-replayed")).toBeNull()
      expect(again.headers.get("idempotent-replayed")).toBe("true")
      expect([again.status, again.text]).toEqual([first.status, first.text])
      expect(await postSend(wire, sendInput({ subject: "Other" }), { headers })).toMatchObject(
        invalid("headers", [["idempotency-key"], "idempotency_key_reused"])
      )
    })

    it.each([undefined, "", "a b", "é", "x".repeat(129)])("refuses the idempotency key %j", async (key) => {
      const headers = key === undefined ? {} : { "idempotency-key": Buffer.from(key).toString("latin1") }
      const answer = await wire.call("/emails/send", { method: "POST", body: sendInput(), headers })
      expect(answer).toMatchObject(
        invalid("headers", [["idempotency-key"], key === undefined ? "required" : "invalid_value"])
      )
    })

    it("returns all issues of the first wrong part of a request: headers, then query, then body", async () => {
      const call = (path: string, headers: Record<string, string>) =>
        wire.call(path, { method: "POST", body: "{", headers: { "content-type": "text/plain", ...headers } })
      expect(await call("/emails/send?x=1", { "idempotency-key": "a b" })).toMatchObject(
        invalid("headers", [["content-type"], "unsupported_media_type"], [["idempotency-key"], "invalid_value"])
      )
      expect(
        await call("/emails/send?x=1", { "idempotency-key": "k", "content-type": "application/json" })
      ).toMatchObject(invalid("query", [["x"], "unknown_field"]))
      expect(await call("/emails/send", { "idempotency-key": "k", "content-type": "application/json" })).toMatchObject(
        invalid("body", [[], "malformed_json"])
      )
    })

    it.each([
      ["no JSON", '{"from":', "malformed_json"],
      ["nothing", "", "malformed_json"],
      ["ten megabytes of opening brackets", "[".repeat(10 * 1024 * 1024), "too_deep"],
      ["broken UTF-8", new Uint8Array([0x22, 0xff, 0x22]), "malformed_json"],
      ["no object", "[]", "invalid_type"]
    ])("refuses a body that is %s", async (_, body, code) => {
      expect(await postSend(wire, body)).toMatchObject(invalid("body", [[], code]))
    })

    it("reads JSON with a charset parameter", async () => {
      const headers = { "content-type": "application/json; charset=utf-8" }
      expect((await postSend(wire, sendInput(), { headers })).status).toBe(202)
    })

    it("does not repeat sent data in an error", async () => {
      const canary = "canary-5f3"
      const { text } = await postSend(wire, {
        ...sendInput({ text: `${canary}\0`, subject: `${canary}\n` }),
        [`x`]: canary
      })
      expect(text).not.toContain(canary)
    })

    it.each([
      ["an API key", `mk_0123456789ab_${"c".repeat(32)}`],
      ["a sentence", "call 555 0100"],
      ["a template variable", "{{x}}"]
    ])("does not repeat a field name in the message when it is %s", async (_, name) => {
      const { body } = await postSend(wire, { ...sendInput(), [name]: 1 })
      expect(body.message).toBe("body[…] is not a field of this request")
    })

    it("refuses a body larger than 10 MiB so that the client can read the response", async () => {
      for (const size of [10 * 1024 * 1024 + 1, 30 * 1024 * 1024]) {
        const answer = await wire.call("/emails/contacts", { method: "POST", body: `"${"x".repeat(size)}"` })
        expect(answer).toMatchObject(error(413, "invalid_argument"))
        expect(answer.body.details).toBeUndefined()
      }
      expect((await postSend(wire, sendInput())).status).toBe(202)
    })
  })

  describe("a scheduled message", () => {
    const scheduledAt = formatInstant(start + 2 * hourMillis)

    it("cancels a scheduled message, and repeats the same response for a second cancel", async () => {
      const { body } = await postSend(wire, sendInput({ scheduledAt }))
      const cancel = () => wire.call(`/emails/messages/${body.data.messageId}/cancel`, { method: "POST" })
      const canceled = await cancel()
      expect(canceled).toMatchObject({
        status: 200,
        body: {
          message: "Scheduled email canceled",
          data: {
            messageId: body.data.messageId,
            status: "canceled",
            canceledAt: expect.stringMatching(/Z$/),
            deliveryIds: body.data.deliveryIds
          }
        }
      })
      expect((await cancel()).text).toBe(canceled.text)
    })

    it("reschedules a scheduled message under the rules of a send", async () => {
      const { body } = await postSend(wire, sendInput({ scheduledAt }))
      const path = `/emails/messages/${body.data.messageId}`
      const later = formatInstant(start + 5 * hourMillis)
      expect(await wire.call(path, { method: "PATCH", body: { scheduledAt: later } })).toMatchObject({
        status: 200,
        body: {
          message: "Scheduled email rescheduled",
          data: { status: "scheduled", scheduledAt: later, deliveryIds: body.data.deliveryIds }
        }
      })
      const refused = async (body: unknown) => wire.call(path, { method: "PATCH", body })
      expect(await refused({ scheduledAt: formatInstant(start) })).toMatchObject(
        invalid("body", [["scheduledAt"], "not_in_future"])
      )
      expect(await refused({ scheduledAt: "2027-11-21T00:00:00Z" })).toMatchObject(
        invalid("body", [["scheduledAt"], "too_far_ahead"])
      )
      expect(await refused({})).toMatchObject(invalid("body", [["scheduledAt"], "required"]))
      expect(await refused({ scheduledAt: later, x: 1 })).toMatchObject(invalid("body", [["x"], "unknown_field"]))
    })

    it("answers 409 for a message that was sent and 404 for an unknown message", async () => {
      const { body } = await postSend(wire, sendInput())
      const cancel = (id: string) => wire.call(`/emails/messages/${id}/cancel`, { method: "POST" })
      const move = (id: string) => wire.call(`/emails/messages/${id}`, { method: "PATCH", body: { scheduledAt } })
      for (const act of [cancel, move]) {
        expect(await act(body.data.messageId)).toMatchObject(error(409, "conflict"))
        expect(await act("msg_x")).toMatchObject(error(404, "not_found"))
      }
    })
  })

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

  describe("contacts", () => {
    const post = (body: unknown) => wire.call("/emails/contacts", { method: "POST", body })
    const put = (id: string, body: unknown) => wire.call(`/emails/contacts/${id}`, { method: "PUT", body })

    it("returns created and updated contacts in one shape, and listed contacts in another", async () => {
      const created = await post({ email: "Shape@example.org", userId: "u1", firstName: "Sha", phoneNumber: "+1" })
      const contact = {
        id: expect.stringMatching(/^con_/),
        email: "Shape@example.org",
        user_id: "u1",
        first_name: "Sha",
        last_name: "",
        phone_number: "+1",
        email_status: "subscribed",
        source: "manual",
        created_at: formatInstant(start),
        updated_at: formatInstant(start)
      }
      expect(created).toMatchObject({ status: 200 })
      expect(created.body).toEqual({ data: contact })
      const updated = await put(created.body.data.id, {
        email: "Shape@example.org",
        userId: null,
        emailStatus: "unsubscribed"
      })
      expect(updated.body).toEqual({ data: { ...contact, user_id: null, email_status: "unsubscribed" } })
      const { user_id: _u, source: _s, updated_at: _t, ...summary } = contact
      expect((await wire.call("/emails/contacts?search=shape@")).body).toEqual({
        message: expect.any(String),
        data: { items: [{ ...summary, email_status: "unsubscribed" }], total: 1, page: 1, limit: 50 }
      })
    })

    it("answers 409, 404 and 400 for contacts as documented", async () => {
      const { body } = await post({ email: "one@example.org" })
      await post({ email: "two@example.org" })
      expect(await post({ email: "ONE@example.org" })).toMatchObject(error(409, "duplicate_error"))
      expect(await put(body.data.id, { email: "two@example.org" })).toMatchObject(error(409, "duplicate_error"))
      expect(await put("con_x", { email: "x@example.org" })).toMatchObject(error(404, "not_found"))
      expect(await put("anything", { email: "x@example.org" })).toMatchObject(error(404, "not_found"))
      expect(await put(body.data.id, { firstName: "x" })).toMatchObject(invalid("body", [["email"], "required"]))
      expect(await post({ email: "x", nick: "y" })).toMatchObject(
        invalid("body", [["nick"], "unknown_field"], [["email"], "invalid_value"])
      )
      expect(await post({ email: "p@example.org", properties: { plan: 1 } })).toMatchObject(
        invalid("body", [["properties", "plan"], "undefined_property"])
      )
      expect(await wire.call("/emails/contacts?page=9999999999999999999999")).toMatchObject({
        status: 200,
        body: { data: { items: [] } }
      })
      expect(await wire.call("/emails/contacts?page=0")).toMatchObject(invalid("query", [["page"], "too_small"]))
      expect(await wire.call("/emails/contacts?emailStatus=maybe")).toMatchObject(
        invalid("query", [["emailStatus"], "invalid_value"])
      )
    })
  })

  it("completes many concurrent writes of one contact", async () => {
    const { body } = await wire.call("/emails/contacts", { method: "POST", body: { email: "busy@example.org" } })
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const change = {
          email: "busy@example.org",
          firstName: `n${i}`,
          emailStatus: i % 2 === 0 ? "subscribed" : "unsubscribed"
        }
        return (await wire.call(`/emails/contacts/${body.data.id}`, { method: "PUT", body: change })).status
      })
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  it("lists domains by page", async () => {
    expect((await wire.call("/emails/domains?page=1&limit=10")).body).toEqual({
      message: "Email domains fetched",
      data: {
        items: [
          {
            id: expect.stringMatching(/^dom_/),
            domain: "example.com",
            status: "verified",
            region: "global",
            open_tracking: false,
            verification_error: null,
            verification_attempts: 0,
            verification_attempted_at: null,
            last_verified_at: formatInstant(start),
            created_at: formatInstant(start),
            updated_at: formatInstant(start),
            dns_records: []
          }
        ],
        total: 1,
        page: 1,
        limit: 10
      }
    })
  })

  it("sends a scheduled message when its time has come", async () => {
    const { body } = await postSend(
      wire,
      sendInput({ to: "later@example.org", scheduledAt: formatInstant(start + hourMillis) })
    )
    await wire.run(TestClock.adjust("1 hour"))
    await wire.run(tick)
    expect((await wire.call(`/emails/logs/${body.data.deliveryIds[0]}`)).body.status).toBe("delivered")
  })
})
