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
      expect(body.message).toBe("body[…] is not a known field")
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
