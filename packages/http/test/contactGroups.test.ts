/**
 * Contacts, properties, lists, segments and suppressions over real HTTP. These tests check the shapes; the service tests check the rules.
 */
import { stores } from "@mailkeep/test-support"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { HttpTestServer } from "./httpTestServer.ts"
import { error, invalid, openHttpTestServer, otherProject } from "./httpTestServer.ts"

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)

describe.each(stores)("contact groups, over $name", (store) => {
  let wire: HttpTestServer
  beforeAll(async () => {
    wire = await openHttpTestServer(store)
  })
  afterAll(() => wire.close())

  const post = (path: string, body: unknown) => wire.call(path, { method: "POST", body })
  const contact = async (body: object) => (await post("/emails/contacts", body)).body.data

  it("counts the length of a text property and of a text in a segment in characters", async () => {
    await post("/emails/properties", { key: "mood", type: "string" })
    const withMood = (mood: string) => post("/emails/contacts", { email: "mood@example.org", properties: { mood } })
    const segmentOf = (value: string) =>
      post("/emails/segments", { name: "Mood", filter: { field: "properties.mood", op: "eq", value } })
    expect(await withMood("\u{1f600}".repeat(501))).toMatchObject(invalid("body", [["properties", "mood"], "too_long"]))
    expect(await withMood("a\0b")).toMatchObject(invalid("body", [["properties", "mood"], "invalid_value"]))
    expect(await withMood("\u{1f600}".repeat(500))).toMatchObject({ status: 200 })
    expect(await segmentOf("\u{1f600}".repeat(501))).toMatchObject(
      invalid("body", [["filter", "value"], "invalid_value"])
    )
    const segment = await segmentOf("\u{1f600}".repeat(500))
    expect(segment).toMatchObject({ status: 200 })
    const { body } = await wire.call(`/emails/contacts?segmentId=${segment.body.data.id}`)
    expect(body.data.items).toMatchObject([{ email: "mood@example.org" }])
    await wire.call(`/emails/segments/${segment.body.data.id}`, { method: "DELETE" })
  })

  it("shows a contact in full with its properties by key and its suppression reason", async () => {
    await post("/emails/properties", { key: "Tier", type: "string" })
    const { id } = await contact({ email: "full@example.org", properties: { tier: "gold" } })
    await post("/emails/suppressions", { email: "full@example.org", reason: "manual" })
    const { status, body } = await wire.call(`/emails/contacts/${id}`)
    expect(status).toBe(200)
    expect(body.data).toEqual({
      id,
      email: "full@example.org",
      user_id: null,
      first_name: "",
      last_name: "",
      phone_number: null,
      email_status: "subscribed",
      source: "manual",
      created_at: timestamp,
      updated_at: timestamp,
      properties: { Tier: "gold" },
      unsubscribed: false,
      email_delivery_block_reason: "manual"
    })
    expect(await wire.call(`/emails/contacts/${id}`, { method: "DELETE" })).toMatchObject({
      status: 200,
      body: { success: true }
    })
    expect(await wire.call(`/emails/contacts/${id}`)).toMatchObject(error(404, "not_found"))
    expect(await wire.call(`/emails/contacts/${id}`, { method: "DELETE" })).toMatchObject(error(404, "not_found"))
  })

  it("lists properties under data, changes them and deletes them", async () => {
    const { body: created } = await post("/emails/properties", { key: "visits", type: "number", fallback_value: "0" })
    expect(created.data).toEqual({
      id: expect.stringMatching(/^prop_[0-9a-z]{26}$/),
      key: "visits",
      type: "number",
      fallback_value: "0",
      created_at: timestamp,
      updated_at: timestamp
    })
    expect((await wire.call("/emails/properties")).body).toEqual({ data: expect.arrayContaining([created.data]) })
    const path = `/emails/properties/${created.data.id}`
    expect(await post("/emails/properties", { key: "VISITS", type: "date" })).toMatchObject(
      error(409, "duplicate_error")
    )
    await contact({ email: "visitor@example.org", properties: { visits: 1 } })
    expect(await wire.call(path, { method: "PATCH", body: { type: "string" } })).toMatchObject(error(409, "conflict"))
    const renamed = await wire.call(path, { method: "PATCH", body: { key: "calls", fallback_value: null } })
    expect(renamed.body.data).toMatchObject({ key: "calls", type: "number", fallback_value: null })
    expect(await wire.call(path, { method: "DELETE" })).toMatchObject({ status: 200, body: { success: true } })
    expect(await wire.call(path, { method: "DELETE" })).toMatchObject(error(404, "not_found"))
  })

  it.each([
    [{ type: "string" }, [["key"], "required"]],
    [{ key: "a", type: "text" }, [["type"], "invalid_value"]],
    [{ key: "", type: "string" }, [["key"], "too_short"]],
    [{ key: "k".repeat(256), type: "string" }, [["key"], "too_long"]],
    [{ key: "a\nb", type: "string" }, [["key"], "invalid_value"]],
    [{ key: "a", type: "number", fallback_value: 0 }, [["fallback_value"], "invalid_type"]],
    [{ key: "a", type: "string", fallback_value: "x".repeat(1001) }, [["fallback_value"], "too_long"]],
    [{ key: "a", type: "date", fallback_value: "soon" }, [["fallback_value"], "invalid_type"]],
    [{ key: "a", type: "number", fallback_value: "x" }, [["fallback_value"], "invalid_type"]],
    [{ key: "a", type: "string", extra: 1 }, [["extra"], "unknown_field"]]
  ] as const)("refuses the property %j", async (body, issue) => {
    expect(await post("/emails/properties", body)).toMatchObject(invalid("body", issue))
  })

  it.each(["__proto__", "toString", "First name", "=sum"])(
    "allows the property key %j in a request and returns it in a response",
    async (key) => {
      const { body } = await post("/emails/properties", { key, type: "string" })
      expect(body.data).toMatchObject({ key })
      const email = `key${Math.random()}@example.org`
      const created = await post(
        "/emails/contacts",
        `{"email":"${email}","properties":{${JSON.stringify(key)}:"gold"}}`
      )
      expect(created.status).toBe(200)
      const { text } = await wire.call(`/emails/contacts/${created.body.data.id}`)
      expect(text).toContain(`"properties":{${JSON.stringify(key)}:"gold"}`)
    }
  )

  it.each([
    ["/emails/contacts", { email: "a@example.org", firstName: "a\nb" }, "firstName"],
    ["/emails/contacts", { email: "a@example.org", lastName: "\u001b[31mred" }, "lastName"],
    ["/emails/contacts", { email: "a@example.org", phoneNumber: "\u007f" }, "phoneNumber"],
    ["/emails/contacts", { email: "a@example.org", userId: "\u009b1m" }, "userId"],
    ["/emails/lists", { name: "a\u2028b" }, "name"],
    ["/emails/lists", { name: "a", description: "b\rc" }, "description"],
    ["/emails/segments", { name: "\u0007", filter: { all: [] } }, "name"],
    ["/emails/properties", { key: "a\tb", type: "string" }, "key"],
    ["/emails/webhooks", { url: "https://hooks.example.com/", description: "\u001b]0;x\u0007" }, "description"]
  ])("refuses control characters at %s in %j", async (path, body, field) => {
    expect(await post(path, body)).toMatchObject(invalid("body", [[field], "invalid_value"]))
  })

  it("gives each list a unique name and a contact count, and filters contacts by list", async () => {
    const { body } = await post("/emails/lists", { name: "Friends", description: "Who asked" })
    const list = body.data
    expect(list).toEqual({
      id: expect.stringMatching(/^lst_[0-9a-z]{26}$/),
      name: "Friends",
      description: "Who asked",
      contact_count: 0,
      created_at: timestamp,
      updated_at: timestamp
    })
    expect(await post("/emails/lists", { name: "FRIENDS" })).toMatchObject(error(409, "duplicate_error"))
    const { id } = await contact({ email: "friend@example.org" })
    for (const method of ["PUT", "PUT"])
      expect(await wire.call(`/emails/lists/${list.id}/contacts/${id}`, { method })).toMatchObject({
        status: 200,
        body: { success: true }
      })
    expect((await wire.call(`/emails/contacts?listId=${list.id}`)).body.data).toMatchObject({
      total: 1,
      items: [{ id }]
    })
    expect((await wire.call(`/emails/lists/${list.id}`)).body.data.contact_count).toBe(1)
    const renamed = await wire.call(`/emails/lists/${list.id}`, { method: "PATCH", body: { name: "Pals" } })
    expect(renamed.body.data).toMatchObject({ name: "Pals", description: "Who asked" })
    expect((await wire.call("/emails/lists?limit=1")).body).toMatchObject({
      message: "Email lists fetched",
      data: { items: [{ name: "Pals" }], total: 1, page: 1, limit: 1 }
    })
    await wire.call(`/emails/lists/${list.id}/contacts/${id}`, { method: "DELETE" })
    expect((await wire.call(`/emails/contacts?listId=${list.id}`)).body.data.total).toBe(0)
    expect((await wire.call(`/emails/lists/${list.id}`, { method: "DELETE" })).status).toBe(200)
    expect(await wire.call(`/emails/lists/${list.id}`)).toMatchObject(error(404, "not_found"))
    expect((await wire.call(`/emails/contacts/${id}`)).status).toBe(200)
  })

  it("keeps the filter of a segment as written and filters contacts by segment", async () => {
    const filter = { all: [{ field: "email", op: "starts_with", value: "seg" }, { not: { list: "lst_x" } }] }
    const { body } = await post("/emails/segments", { name: "Seg", filter })
    expect(body.data).toEqual({
      id: expect.stringMatching(/^seg_[0-9a-z]{26}$/),
      name: "Seg",
      filter,
      created_at: timestamp,
      updated_at: timestamp
    })
    await contact({ email: "seg1@example.org" })
    expect((await wire.call(`/emails/contacts?segmentId=${body.data.id}`)).body.data).toMatchObject({
      total: 1,
      items: [{ email: "seg1@example.org" }]
    })
    const refused = await post("/emails/segments", { name: "Bad", filter: { any: [{ field: "x", op: "eq" }] } })
    expect(refused).toMatchObject(invalid("body", [["filter", "any", 0, "field"], "invalid_value"]))
    const narrowed = await wire.call(`/emails/segments/${body.data.id}`, {
      method: "PATCH",
      body: { filter: { any: [] } }
    })
    expect(narrowed.body.data).toMatchObject({ name: "Seg", filter: { any: [] } })
    expect((await wire.call(`/emails/contacts?segmentId=${body.data.id}`)).body.data.total).toBe(0)
    expect((await wire.call("/emails/segments")).body.data.items).toHaveLength(1)
    expect((await wire.call(`/emails/segments/${body.data.id}`, { method: "DELETE" })).body).toEqual({ success: true })
  })

  it("shows the strongest and all reasons of a suppression, and removes all reasons together", async () => {
    const email = "held+tag@example.org"
    const { id } = await contact({ email })
    await wire.call(`/emails/contacts/${id}`, { method: "PUT", body: { email, emailStatus: "unsubscribed" } })
    const { body } = await post("/emails/suppressions", { email: email.toUpperCase(), reason: "manual" })
    const reasons = [
      { reason: "manual", since: timestamp },
      { reason: "unsubscribed", since: timestamp }
    ]
    expect(body.data).toEqual({ email, reason: "manual", reasons })
    expect((await wire.call("/emails/suppressions?search=%20HELD%2B%20")).body).toEqual({
      message: "Email suppressions fetched",
      data: { items: [body.data], limit: 50, hasMore: false, nextCursor: null }
    })
    expect(await post("/emails/suppressions", { email, reason: "complaint" })).toMatchObject(
      invalid("body", [["reason"], "invalid_value"])
    )
    const path = `/emails/suppressions/${encodeURIComponent(email)}`
    expect((await wire.call(path, { method: "DELETE" })).body).toEqual({ success: true })
    expect(await wire.call(path, { method: "DELETE" })).toMatchObject(error(404, "not_found"))
    expect((await wire.call(`/emails/contacts/${id}`)).body.data.email_status).toBe("subscribed")
    expect(await wire.call("/emails/suppressions?cursor=nonsense")).toMatchObject(
      invalid("query", [["cursor"], "invalid_cursor"])
    )
  })

  it("answers 404 for the contacts, properties, lists, segments and suppressions of another project", async () => {
    const other = await otherProject(wire)
    const { id } = await contact({ email: "mine@example.org" })
    const list = (await post("/emails/lists", { name: "Mine" })).body.data.id
    const segment = (await post("/emails/segments", { name: "Mine", filter: { all: [] } })).body.data.id
    const property = (await post("/emails/properties", { key: "mine", type: "string" })).body.data.id
    await post("/emails/suppressions", { email: "mine@example.org", reason: "manual" })
    const theirs = { key: other }
    for (const path of [`/emails/contacts/${id}`, `/emails/lists/${list}`, `/emails/segments/${segment}`])
      for (const method of ["GET", "DELETE"]) expect((await wire.call(path, { ...theirs, method })).status).toBe(404)
    expect((await wire.call(`/emails/properties/${property}`, { ...theirs, method: "DELETE" })).status).toBe(404)
    expect((await wire.call(`/emails/lists/${list}/contacts/${id}`, { ...theirs, method: "PUT" })).status).toBe(404)
    expect((await wire.call("/emails/suppressions/mine@example.org", { ...theirs, method: "DELETE" })).status).toBe(404)
    for (const path of ["/emails/lists", "/emails/segments", "/emails/suppressions"])
      expect((await wire.call(path, theirs)).body.data.items).toEqual([])
    for (const query of [`listId=${list}`, `segmentId=${segment}`])
      expect((await wire.call(`/emails/contacts?${query}`, theirs)).body.data.total).toBe(0)
    expect((await wire.call("/emails/properties", theirs)).body.data).toEqual([])
  })
})
