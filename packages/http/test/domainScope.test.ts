/**
 * The domain scope of an API key. It bounds the messages that the key cancels or reschedules. It also bounds the domains that the key lists,
 * adds, verifies and deletes.
 */
import { formatInstant } from "@mailkeep/core"
import { hourMillis } from "@mailkeep/core/binding"
import { sendInput, start, stores } from "@mailkeep/test-support"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { HttpTestServer } from "./httpTestServer.ts"
import { error, invalid, openHttpTestServer, postSend } from "./httpTestServer.ts"

const refused = { ...error(403, "not_allowed") }

describe.each(stores)("a key with a domain scope, over $name", (store) => {
  let wire: HttpTestServer
  let inside: string
  let outside: string
  beforeAll(async () => {
    wire = await openHttpTestServer(store)
    const permissions = ["email.send", "email.full_access"] as const
    inside = (await wire.keyOf("prj_test", permissions, { domainScope: ["example.com", "mine.example"] })).secret
    outside = (await wire.keyOf("prj_test", permissions, { domainScope: ["other.example"] })).secret
  })
  afterAll(() => wire.close())

  const scheduled = async () => {
    const scheduledAt = formatInstant(start + hourMillis)
    return (await postSend(wire, sendInput({ scheduledAt }))).body.data.messageId as string
  }
  const statusOf = async (messageId: string) =>
    (await wire.call(`/emails/logs?search=${messageId}`)).body.data.items[0].status

  it("refuses to cancel a message of a domain outside the scope of the API key", async () => {
    const id = await scheduled()
    const cancel = (key: string) => wire.call(`/emails/messages/${id}/cancel`, { method: "POST", key })
    expect(await cancel(outside)).toMatchObject(refused)
    expect(await statusOf(id)).toBe("scheduled")
    expect((await cancel(inside)).status).toBe(200)
    expect(await cancel(outside)).toMatchObject(refused)
  })

  it("refuses to reschedule a message of a domain outside the API key's scope before it checks the time", async () => {
    const id = await scheduled()
    const reschedule = (key: string, at: number) =>
      wire.call(`/emails/messages/${id}`, { method: "PATCH", body: { scheduledAt: formatInstant(at) }, key })
    expect(await reschedule(outside, start + 2 * hourMillis)).toMatchObject(refused)
    expect(await reschedule(outside, start - 1)).toMatchObject(refused)
    expect(await reschedule(inside, start - 1)).toMatchObject(invalid("body", [["scheduledAt"], "not_in_future"]))
    expect((await reschedule(inside, start + 2 * hourMillis)).status).toBe(200)
  })

  it("answers 404 for an unknown message to an API key with a domain scope", async () => {
    const path = "/emails/messages/msg_none/cancel"
    expect(await wire.call(path, { method: "POST", key: outside })).toMatchObject(error(404, "not_found"))
  })

  it("lists, shows, verifies and deletes only the domains in the scope of the API key", async () => {
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

  it("adds only domains in the scope of the API key, and reveals nothing about other domains", async () => {
    const add = (key: string, domain: string) => wire.call("/emails/domains", { method: "POST", body: { domain }, key })
    expect(await add(outside, "new.example")).toMatchObject(refused)
    expect(await add(outside, "example.com")).toMatchObject(refused)
    expect((await add(outside, "other.example")).body.data).toMatchObject({ domain: "other.example" })
    expect(await add(outside, "nodots")).toMatchObject(invalid("body", [["domain"], "invalid_value"]))
  })
})

describe.each(stores)("domains, over the wire and $name", (store) => {
  let wire: HttpTestServer
  beforeAll(async () => {
    wire = await openHttpTestServer(store)
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
  ] as const)("lists domains for the query %j", async (query, expected) => {
    const { data } = (await wire.call(`/emails/domains${query}`)).body
    expect([data.total, ...data.items.map((one: { domain: string }) => one.domain)]).toEqual(expected)
  })

  it.each([
    ["?status=zzz", [["status"], "invalid_value"]],
    [`?search=${"x".repeat(256)}`, [["search"], "too_long"]]
  ] as const)("refuses the domain query %j", async (query, issue) => {
    expect(await wire.call(`/emails/domains${query}`)).toMatchObject(invalid("query", issue))
  })

  it("allows a domain with openTracking false and refuses one with openTracking true", async () => {
    const add = (openTracking: unknown) =>
      wire.call("/emails/domains", { method: "POST", body: { domain: "track.example", openTracking } })
    expect(await add(true)).toMatchObject(invalid("body", [["openTracking"], "invalid_value"]))
    expect(await add("no")).toMatchObject(invalid("body", [["openTracking"], "invalid_type"]))
    expect((await add(false)).body.data).toMatchObject({ domain: "track.example", open_tracking: false })
  })

  it("refuses a domain request with the field verified", async () => {
    const body = { domain: "manuallyVerified.example", verified: true }
    expect(await wire.call("/emails/domains", { method: "POST", body })).toMatchObject(
      invalid("body", [["verified"], "unknown_field"])
    )
  })
})
