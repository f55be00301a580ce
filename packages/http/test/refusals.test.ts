/**
 * The authentication, the order in which a request is refused, and the isolation of projects.
 */
import type { Permission } from "@mailkeep/core"
import { ApiKeys, formatInstant } from "@mailkeep/core"
import { hourMillis } from "@mailkeep/core/binding"
import { sendInput, start, stores, tick } from "@mailkeep/test-support"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { CallOptions, HttpTestServer } from "./httpTestServer.ts"
import { openHttpTestServer, otherProject, postSend } from "./httpTestServer.ts"

const endpoints: ReadonlyArray<readonly [method: string, path: string, permission: Permission, body: unknown]> = [
  ["POST", "/emails/send", "email.send", sendInput()],
  ["POST", "/emails/batch", "email.send", { messages: [sendInput()] }],
  ["POST", "/emails/messages/msg_x/cancel", "email.send", undefined],
  ["PATCH", "/emails/messages/msg_x", "email.send", { scheduledAt: formatInstant(start + hourMillis) }],
  ["GET", "/emails/logs", "email.full_access", undefined],
  ["GET", "/emails/logs/del_x", "email.full_access", undefined],
  ["GET", "/emails/contacts", "email.full_access", undefined],
  ["POST", "/emails/contacts", "email.full_access", { email: "p@example.org" }],
  ["PUT", "/emails/contacts/con_x", "email.full_access", { email: "p@example.org" }],
  ["GET", "/emails/domains", "email.full_access", undefined]
]

describe.each(stores)("authentication, over $name", (store) => {
  let wire: HttpTestServer
  beforeAll(async () => {
    wire = await openHttpTestServer(store)
  })
  afterAll(() => wire.close())

  it.each(endpoints)("%s %s requires an API key with %s", async (method, path, permission, body) => {
    const headers = { "idempotency-key": "k" }
    const call = (key: string | null) =>
      wire.call(path, { method, headers, key, ...(body === undefined ? {} : { body }) })
    const missing = await call(null)
    expect(missing).toMatchObject({ status: 401, body: { error: "unauthorized" } })
    expect((await call("nonsense")).body.message).toBe(missing.body.message)
    const other = permission === "email.send" ? "email.full_access" : "email.send"
    const { secret } = await wire.keyOf("prj_test", [other])
    const refused = await call(secret)
    expect(refused).toMatchObject({
      status: 403,
      body: { error: "not_allowed", message: expect.stringContaining(permission) }
    })
  })

  it("refuses a revoked and an expired API key at once and with the same response", async () => {
    const short = await wire.keyOf("prj_test", ["email.full_access"], { expiresAt: start + 3 * hourMillis })
    expect((await wire.call("/emails/domains", { key: short.secret })).status).toBe(200)
    const missing = await wire.call("/emails/domains", { key: null })
    await wire.run(TestClock.adjust("3 hours"))
    const revoked = await wire.keyOf("prj_test", ["email.full_access"])
    expect((await wire.call("/emails/domains", { key: revoked.secret })).status).toBe(200)
    await wire.run(Effect.flatMap(ApiKeys, (apiKeys) => apiKeys.revoke(revoked.apiKey.id)))
    for (const key of [short.secret, revoked.secret, null]) {
      const { status, body } = await wire.call("/emails/domains", { key })
      expect([status, body]).toEqual([401, { ...missing.body, correlationId: expect.any(String) }])
    }
  })

  it("reads the authorization scheme in upper and lower case", async () => {
    const headers = { authorization: `bearer ${wire.key}` }
    expect((await wire.call("/emails/domains", { key: null, headers })).status).toBe(200)
    expect(
      (await wire.call("/emails/domains", { key: null, headers: { authorization: `Basic ${wire.key}` } })).status
    ).toBe(401)
  })
})

describe.each(stores)("the order of refusal, over $name", (store) => {
  let wire: HttpTestServer
  beforeAll(async () => {
    wire = await openHttpTestServer(store, { plan: { dailySends: 1 } })
  })
  afterAll(() => wire.close())

  const send = (body: unknown, options: CallOptions = {}) => postSend(wire, body, options)

  it("checks the permission, the body, the domain scope, the replay, the time, the domain and the plan in this order", async () => {
    const none = (await wire.keyOf("prj_test", ["email.full_access"])).secret
    const scoped = (await wire.keyOf("prj_test", ["email.send"], { domainScope: ["other.example"] })).secret
    expect((await send({}, { key: none })).status).toBe(403)
    expect((await send({}, { key: scoped })).status).toBe(400)
    const past = formatInstant(start - 1)
    expect((await send(sendInput({ scheduledAt: past }), { key: scoped })).status).toBe(403)

    const headers = { "idempotency-key": "kept" }
    expect((await send(sendInput(), { headers })).status).toBe(202)
    expect((await send(sendInput(), { headers, key: scoped })).status).toBe(403)
    expect((await send(sendInput(), { headers })).headers.get("idempotent-replayed")).toBe("true")
    expect((await send(sendInput({ scheduledAt: past }), { headers })).body.details.issues[0].code).toBe(
      "idempotency_key_reused"
    )

    const unverified = { from: "a@unverified.example" }
    expect((await send(sendInput({ ...unverified, scheduledAt: past }))).body.details.issues[0].code).toBe(
      "not_in_future"
    )
    expect((await send(sendInput(unverified))).status).toBe(403)
    expect(await send(sendInput())).toMatchObject({
      status: 429,
      body: { error: "too_many_requests", code: "daily_sending_limit_exceeded" }
    })
  })

  it("refuses a send over a plan limit without scope and without Retry-After", async () => {
    const { body, headers } = await send(sendInput())
    expect(Object.keys(body).toSorted()).toEqual(["code", "correlationId", "error", "message"])
    expect(headers.get("retry-after")).toBeNull()
  })

  it("does not use up an idempotency key when it refuses the send", async () => {
    const headers = { "idempotency-key": "refused-first" }
    expect((await send({}, { headers })).status).toBe(400)
    expect((await send(sendInput(), { headers })).status).toBe(429)
    await wire.run(TestClock.adjust("1 day"))
    expect((await send(sendInput(), { headers })).status).toBe(202)
  })
})

describe.each(stores)("the rate limit, over $name", (store) => {
  let wire: HttpTestServer
  beforeAll(async () => {
    wire = await openHttpTestServer(store, { plan: { rateLimit: { requests: 3, windowMillis: 6000 } } })
  })
  afterAll(() => wire.close())

  it("limits the rate of sends and contact creations per API key and per project, and returns the time to wait", async () => {
    const post = (body: unknown) => wire.call("/emails/contacts", { method: "POST", body })
    expect((await postSend(wire, sendInput())).headers.get("ratelimit")).toBe('"api_key";r=2;t=2')
    expect((await post({ email: "rate@example.org" })).headers.get("ratelimit-policy")).toBe('"api_key";q=3;w=6')
    expect((await post({})).status).toBe(400)
    const limited = await post({})
    expect(limited).toMatchObject({
      status: 429,
      body: { error: "too_many_requests", code: "RATE_LIMITED", scope: "api_key", retryAfterSeconds: 2 }
    })
    expect(limited.headers.get("retry-after")).toBe("2")
    expect(limited.headers.get("ratelimit")).toBe('"api_key";r=0;t=6')

    const second = (await wire.keyOf("prj_test", ["email.send", "email.full_access"])).secret
    expect((await postSend(wire, sendInput(), { key: second })).body).toMatchObject({
      code: "RATE_LIMITED",
      scope: "project"
    })
    expect((await wire.call("/emails/logs")).status).toBe(200)
    expect((await wire.call("/emails/logs")).headers.get("ratelimit")).toBeNull()

    await wire.run(TestClock.adjust("2 seconds"))
    expect((await post({ email: "rate2@example.org" })).status).toBe(200)
  })

  it("checks the rate limit after the API key and before the permission", async () => {
    await wire.run(TestClock.adjust("1 minute"))
    const { secret } = await wire.keyOf("prj_test", ["email.send"])
    const post = (key: string) => wire.call("/emails/contacts", { method: "POST", body: {}, key })
    const statuses = [
      await post(secret),
      await post(secret),
      await post(secret),
      await post(secret),
      await post("nonsense")
    ]
    expect(statuses.map(({ status }) => status)).toEqual([403, 403, 403, 429, 401])
  })
})

describe.each(stores)("two projects, over $name", (store) => {
  let wire: HttpTestServer
  let stranger: string
  beforeAll(async () => {
    wire = await openHttpTestServer(store)
    stranger = await otherProject(wire)
  })
  afterAll(() => wire.close())

  /** The response of another project for this path, and for a path that exists nowhere. */
  const same = async (path: string, nowhere: string, options: CallOptions) => {
    const [theirs, unknown] = [
      await wire.call(path, { ...options, key: stranger }),
      await wire.call(nowhere, { ...options, key: stranger })
    ]
    expect([theirs.status, theirs.body.message]).toEqual([unknown.status, unknown.body.message])
    expect(theirs.status).toBe(404)
  }

  it("shows a project no record of another project by its id", async () => {
    const sent = await postSend(wire, sendInput({ scheduledAt: formatInstant(start + hourMillis) }))
    const { messageId, deliveryIds } = sent.body.data
    const contact = await wire.call("/emails/contacts", { method: "POST", body: { email: "mine@example.org" } })
    const unknown = (id: string) => `${id.slice(0, 4)}${"0".repeat(26)}`
    await same(`/emails/logs/${deliveryIds[0]}`, `/emails/logs/${unknown(deliveryIds[0])}`, {})
    await same(`/emails/messages/${messageId}/cancel`, `/emails/messages/${unknown(messageId)}/cancel`, {
      method: "POST"
    })
    await same(`/emails/messages/${messageId}`, `/emails/messages/${unknown(messageId)}`, {
      method: "PATCH",
      body: { scheduledAt: formatInstant(start + hourMillis) }
    })
    await same(`/emails/contacts/${contact.body.data.id}`, `/emails/contacts/${unknown(contact.body.data.id)}`, {
      method: "PUT",
      body: { email: "stolen@example.org" }
    })
    expect((await wire.call(`/emails/logs/${deliveryIds[0]}`)).body.status).toBe("scheduled")
  })

  it("shows a project no record of another project in a list, a filter or a search", async () => {
    const sent = await postSend(wire, sendInput({ to: "secret@example.org", subject: "Secret" }))
    const contact = await wire.call("/emails/contacts", { method: "POST", body: { email: "secret@example.org" } })
    await wire.run(tick)
    const { messageId, deliveryIds } = sent.body.data
    const queries = [
      "",
      "search=secret",
      `search=${messageId}`,
      `search=${deliveryIds[0]}`,
      "recipient=secret@example.org",
      `contactId=${contact.body.data.id}`,
      "status=delivered",
      "source=api"
    ]
    for (const query of queries)
      expect((await wire.call(`/emails/logs?${query}`, { key: stranger })).body.data).toMatchObject({
        items: [],
        total: 0,
        hasMore: false
      })
    for (const query of ["", "search=secret", "emailStatus=subscribed"])
      expect((await wire.call(`/emails/contacts?${query}`, { key: stranger })).body.data).toMatchObject({
        items: [],
        total: 0
      })
    expect((await wire.call("/emails/domains", { key: stranger })).body.data.total).toBe(1)
  })

  it("refuses the cursor of another project", async () => {
    await postSend(wire, sendInput({ to: ["c1@example.org", "c2@example.org"] }))
    const { body } = await wire.call("/emails/logs?limit=1")
    const cursor = encodeURIComponent(body.data.nextCursor)
    expect((await wire.call(`/emails/logs?limit=1&cursor=${cursor}`)).status).toBe(200)
    expect(await wire.call(`/emails/logs?limit=1&cursor=${cursor}`, { key: stranger })).toMatchObject({
      status: 400,
      body: { details: { context: "query", issues: [{ path: ["cursor"], code: "invalid_cursor" }] } }
    })
  })

  it("keeps the idempotency keys, contacts and suppressions of each project separate", async () => {
    const headers = { "idempotency-key": "shared" }
    const [mine, theirs] = [
      await postSend(wire, sendInput(), { headers }),
      await postSend(wire, sendInput(), { headers, key: stranger })
    ]
    expect(theirs.headers.get("idempotent-replayed")).toBeNull()
    expect(theirs.body.data.messageId).not.toBe(mine.body.data.messageId)
    const post = (key: string) =>
      wire.call("/emails/contacts", { method: "POST", body: { email: "both@example.org" }, key })
    const contacts = [await post(wire.key), await post(stranger)]
    expect(contacts.map(({ status }) => status)).toEqual([200, 200])
    await wire.call(`/emails/contacts/${contacts[0]!.body.data.id}`, {
      method: "PUT",
      body: { email: "both@example.org", emailStatus: "unsubscribed" }
    })
    const sent = await postSend(wire, sendInput({ to: "both@example.org" }), { key: stranger })
    expect(sent.body.data.totalQueued).toBe(1)
  })
})
