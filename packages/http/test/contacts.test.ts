/**
 * Contacts over HTTP.
 */
import { formatInstant } from "@mailkeep/core"
import { start, stores } from "@mailkeep/test-support"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { HttpTestServer } from "./httpTestServer.ts"
import { error, invalid, openHttpTestServer } from "./httpTestServer.ts"

describe.each(stores)("the wire, over $name", (store) => {
  let wire: HttpTestServer
  beforeAll(async () => {
    wire = await openHttpTestServer(store)
  })
  afterAll(() => wire.close())

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
})
