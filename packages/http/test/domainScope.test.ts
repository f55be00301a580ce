/**
 * A key's domain scope bounds everything that has to do with a domain: what it cancels and reschedules, and the domains that it sees, adds,
 * verifies and deletes.
 */
import { formatInstant, hourMillis } from "@mailkeep/core"
import { sendBody, start, stores } from "@mailkeep/proving"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { WireHouse } from "./wireHouse.ts"
import { error, invalid, openWire, postSend } from "./wireHouse.ts"

const refused = { ...error(403, "not_allowed") }

describe.each(stores)("a key with a domain scope, over $name", (store) => {
  let wire: WireHouse
  let inside: string
  let outside: string
  beforeAll(async () => {
    wire = await openWire(store)
    const permissions = ["email.send", "email.full_access"] as const
    inside = (await wire.keyOf("prj_test", permissions, { domainScope: ["example.com", "mine.example"] })).printed
    outside = (await wire.keyOf("prj_test", permissions, { domainScope: ["other.example"] })).printed
  })
  afterAll(() => wire.close())

  const scheduled = async () => {
    const scheduledAt = formatInstant(start + hourMillis)
    return (await postSend(wire, sendBody({ scheduledAt }))).body.data.messageId as string
  }
  const statusOf = async (messageId: string) =>
    (await wire.call(`/emails/logs?search=${messageId}`)).body.data.items[0].status

  it("cancels no message that another domain sent", async () => {
    const id = await scheduled()
    const cancel = (key: string) => wire.call(`/emails/messages/${id}/cancel`, { method: "POST", key })
    expect(await cancel(outside)).toMatchObject(refused)
    expect(await statusOf(id)).toBe("scheduled")
    expect((await cancel(inside)).status).toBe(200)
    expect(await cancel(outside)).toMatchObject(refused)
  })

  it("reschedules no message that another domain sent, and is told so before the time is looked at", async () => {
    const id = await scheduled()
    const reschedule = (key: string, at: number) =>
      wire.call(`/emails/messages/${id}`, { method: "PATCH", body: { scheduledAt: formatInstant(at) }, key })
    expect(await reschedule(outside, start + 2 * hourMillis)).toMatchObject(refused)
    expect(await reschedule(outside, start - 1)).toMatchObject(refused)
    expect(await reschedule(inside, start - 1)).toMatchObject(invalid("body", [["scheduledAt"], "not_in_future"]))
    expect((await reschedule(inside, start + 2 * hourMillis)).status).toBe(200)
  })

  it("is told of an unknown message as every key is", async () => {
    const path = "/emails/messages/msg_none/cancel"
    expect(await wire.call(path, { method: "POST", key: outside })).toMatchObject(error(404, "not_found"))
  })

  it("lists, sees, verifies and deletes only domains within it", async () => {
    const { body } = await wire.call("/emails/domains", { method: "POST", body: { domain: "mine.example" } })
    const path = `/emails/domains/${body.data.id}`
    const names = async (key: string) => {
      const { data } = (await wire.call("/emails/domains", { key })).body
      return [data.total, ...data.items.map((one: { domain: string }) => one.domain)]
    }
    expect(await names(outside)).toEqual([0])
    expect(await names(inside)).toEqual([2, "mine.example", "example.com"])
    expect(await wire.call(path, { key: outside })).toMatchObject(refused)
    expect(await wire.call(`${path}/verify`, { method: "POST", key: outside })).toMatchObject(refused)
    expect(await wire.call(path, { method: "DELETE", key: outside })).toMatchObject(refused)
    expect((await wire.call(path)).body.data).toMatchObject({ domain: "mine.example", verification_attempts: 0 })
    expect((await wire.call(path, { key: inside })).status).toBe(200)
    expect((await wire.call(`${path}/verify`, { method: "POST", key: inside })).status).toBe(200)
    expect((await wire.call(path, { method: "DELETE", key: inside })).status).toBe(200)
    expect(await wire.call(path, { key: outside })).toMatchObject(error(404, "not_found"))
  })

  it("adds only domains within it, and learns nothing of others", async () => {
    const add = (key: string, domain: string) => wire.call("/emails/domains", { method: "POST", body: { domain }, key })
    expect(await add(outside, "new.example")).toMatchObject(refused)
    expect(await add(outside, "example.com")).toMatchObject(refused)
    expect((await add(outside, "other.example")).body.data).toMatchObject({ domain: "other.example" })
    expect(await add(outside, "nodots")).toMatchObject(invalid("body", [["domain"], "invalid_value"]))
  })
})

describe.each(stores)("domains, over the wire and $name", (store) => {
  let wire: WireHouse
  beforeAll(async () => {
    wire = await openWire(store)
    for (const domain of ["shop.example", "mail.shop.example"])
      await wire.call("/emails/domains", { method: "POST", body: { domain } })
  })
  afterAll(() => wire.close())

  it.each([
    ["", [3, "mail.shop.example", "shop.example", "example.com"]],
    ["?status=verified", [1, "example.com"]],
    ["?status=failed", [0]],
    ["?search=SHOP", [2, "mail.shop.example", "shop.example"]],
    ["?search=", [3, "mail.shop.example", "shop.example", "example.com"]],
    ["?search=shop&status=pending&page=2&limit=1", [2, "shop.example"]]
  ] as const)("are listed by %j", async (query, expected) => {
    const { data } = (await wire.call(`/emails/domains${query}`)).body
    expect([data.total, ...data.items.map((one: { domain: string }) => one.domain)]).toEqual(expected)
  })

  it.each([
    ["?status=zzz", [["status"], "invalid_value"]],
    [`?search=${"x".repeat(256)}`, [["search"], "too_long"]]
  ] as const)("refuse %j", async (query, issue) => {
    expect(await wire.call(`/emails/domains${query}`)).toMatchObject(invalid("query", issue))
  })

  it("are created with openTracking false, and refused with true until tracking exists", async () => {
    const add = (openTracking: unknown) =>
      wire.call("/emails/domains", { method: "POST", body: { domain: "track.example", openTracking } })
    expect(await add(true)).toMatchObject(invalid("body", [["openTracking"], "invalid_value"]))
    expect(await add("no")).toMatchObject(invalid("body", [["openTracking"], "invalid_type"]))
    expect((await add(false)).body.data).toMatchObject({ domain: "track.example", open_tracking: false })
  })

  it("are not verified by a request's word", async () => {
    const body = { domain: "vouched.example", verified: true }
    expect(await wire.call("/emails/domains", { method: "POST", body })).toMatchObject(
      invalid("body", [["verified"], "unknown_field"])
    )
  })
})
