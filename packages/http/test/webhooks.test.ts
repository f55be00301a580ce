/**
 * Webhooks over real HTTP. These tests check the shapes; the service tests check the event sender.
 */
import { Contacts } from "@mailkeep/core"
import type { EventSinkShape, SinkRequest } from "@mailkeep/core/adapter"
import { project, sendEvents, stores } from "@mailkeep/test-support"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { HttpTestServer } from "./httpTestServer.ts"
import { error, invalid, openHttpTestServer, otherProject } from "./httpTestServer.ts"

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
const url = "https://hooks.example.net/mail"

describe.each(stores)("webhooks, over $name", (store) => {
  const got: Array<SinkRequest> = []
  /** The promise that an event delivery waits for before its response. */
  let answering = Promise.resolve()
  const sink: EventSinkShape = {
    capabilities: { carriesHeaders: true },
    send: (eventDelivery) =>
      Effect.promise(async () => {
        got.push(eventDelivery)
        await answering
        return { _tag: "Refused", status: 500, retryAfterSeconds: null, wantsNoMoreEvents: false } as const
      })
  }
  let wire: HttpTestServer
  beforeAll(async () => {
    wire = await openHttpTestServer(store, { sink })
  })
  afterAll(() => wire.close())

  const act = (method: string, path = "", body?: unknown) =>
    wire.call(`/emails/webhooks${path}`, { method, ...(body === undefined ? {} : { body }) })

  it("shows the secret of a webhook only when it creates the webhook or rotates the secret", async () => {
    const { status, body } = await act("POST", "", { url, description: "Orders" })
    expect(status).toBe(200)
    const { secret, ...shown } = body.data
    expect(secret).toMatch(/^whsec_[\w+/]+=*$/)
    expect(shown).toEqual({
      id: expect.stringMatching(/^whk_[0-9a-z]{26}$/),
      url,
      events: ["email.delivered", "email.bounced", "email.failed", "contact.unsubscribed"],
      description: "Orders",
      status: "enabled",
      created_at: timestamp,
      updated_at: timestamp
    })
    expect((await act("GET", `/${shown.id}`)).body).toEqual({ data: shown })
    const rotated = (await act("POST", `/${shown.id}/rotate-secret`)).body.data
    expect(rotated.secret).not.toBe(secret)
    const listed = await act("GET")
    expect(listed.body).toMatchObject({ message: "Email webhooks fetched", data: { total: 1, page: 1, limit: 50 } })
    expect(listed.text).not.toContain("whsec_")
  })

  it("changes, disables, enables and deletes a webhook", async () => {
    const { id } = (await act("POST", "", { url, events: ["contact.created"] })).body.data
    const changed = await act("PATCH", `/${id}`, { events: ["email.canceled"], status: "disabled" })
    expect(changed.body.data).toMatchObject({ id, url, events: ["email.canceled"], status: "disabled" })
    expect((await act("PATCH", `/${id}`, { status: "enabled" })).body.data).toMatchObject({ status: "enabled" })
    expect(await act("DELETE", `/${id}`)).toMatchObject({ status: 200, body: { success: true } })
    for (const [method, path] of [
      ["GET", `/${id}`],
      ["DELETE", `/${id}`],
      ["POST", `/${id}/test`],
      ["POST", `/${id}/rotate-secret`],
      ["GET", `/${id}/deliveries`]
    ] as const)
      expect(await act(method, path)).toMatchObject(error(404, "not_found"))
    expect(await act("PATCH", `/${id}`, { status: "enabled" })).toMatchObject(error(404, "not_found"))
  })

  it("shows the event deliveries of a webhook with every attempt, and replays one", async () => {
    const { id } = (await act("POST", "", { url, events: ["contact.created"] })).body.data
    await wire.run(Effect.flatMap(Contacts, (contacts) => contacts.create(project, { email: "pushed@example.org" })))
    await wire.run(sendEvents)
    const first = (await act("GET", `/${id}/deliveries?limit=1`)).body
    expect(first).toEqual({
      message: "Email webhook deliveries fetched",
      data: {
        items: [
          {
            id: expect.stringMatching(/^evd_[0-9a-z]{26}$/),
            event_id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
            event_type: "contact.created",
            status: "pending",
            attempts: [{ at: timestamp, status_code: 500, error: null, duration_ms: 0 }],
            next_attempt_at: timestamp,
            ended_at: null,
            created_at: timestamp
          }
        ],
        limit: 1,
        hasMore: false,
        nextCursor: null
      }
    })
    const [eventDelivery] = first.data.items
    expect((await act("POST", `/${id}/deliveries/${eventDelivery.id}/replay`)).body.data).toMatchObject({
      id: eventDelivery.id
    })
    await wire.run(TestClock.adjust("1 minute"))
    await wire.run(sendEvents)
    const attempt = { at: timestamp, status_code: 500, error: null, duration_ms: 0 }
    expect((await act("GET", `/${id}/deliveries?limit=1`)).body.data.items[0].attempts).toEqual([attempt, attempt])
    expect(await act("POST", `/${id}/deliveries/evd_x/replay`)).toMatchObject(error(404, "not_found"))
    const tested = (await act("POST", `/${id}/test`)).body
    expect(tested).toEqual({ data: { delivered: false, status_code: 500, error: null } })
    expect(JSON.parse(new TextDecoder().decode(got.at(-1)!.body))).toMatchObject({ type: "webhook.test" })
  })

  it("refuses an invalid webhook and names the wrong field", async () => {
    const refused = (body: object, ...issues: Parameters<typeof invalid> extends [string, ...infer I] ? I : never) =>
      act("POST", "", body).then((answer) => expect(answer).toMatchObject(invalid("body", ...issues)))
    await refused({}, [["url"], "required"])
    await refused({ url: "http://hooks.example.net" }, [["url"], "invalid_value"])
    await refused({ url: "https://169.254.169.254/" }, [["url"], "invalid_value"])
    await refused({ url: "https://168.63.129.16/" }, [["url"], "invalid_value"])
    await refused({ url: "https://hooks.example.net:22/" }, [["url"], "invalid_value"])
    await refused({ url, events: ["email.opened"] }, [["events", 0], "invalid_value"])
    await refused({ url, secret: "mine" }, [["secret"], "unknown_field"])
    expect(await act("GET", "/whk_x/deliveries?cursor=nonsense")).toMatchObject({ status: 404 })
  })

  it("runs one test of a webhook at a time, and refuses a second test with the time to wait", async () => {
    const { id } = (await act("POST", "", { url })).body.data
    const answer = Promise.withResolvers<void>()
    answering = answer.promise
    const eventDeliveries = got.length
    let refused = 0
    const tests = Array.from({ length: 50 }, () =>
      act("POST", `/${id}/test`).finally(() => {
        // Only the running test is left.
        if (++refused === 49) answer.resolve()
      })
    )
    const refusal = await Promise.race(tests)
    await answer.promise
    answering = Promise.resolve()
    const answers = await Promise.all(tests)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(got.length - eventDeliveries).toBe(1)
    expect(refusal).toMatchObject({
      status: 429,
      body: { error: "too_many_requests", code: "RATE_LIMITED", scope: "project", retryAfterSeconds: 15 }
    })
    expect(refusal.headers.get("retry-after")).toBe("15")
    expect((await act("POST", `/${id}/test`)).status).toBe(200)
  })

  it("answers 404 for a webhook of another project", async () => {
    const { id } = (await act("POST", "", { url })).body.data
    const key = await otherProject(wire)
    for (const [method, path] of [
      ["GET", `/${id}`],
      ["DELETE", `/${id}`],
      ["POST", `/${id}/test`],
      ["GET", `/${id}/deliveries`]
    ] as const)
      expect(await wire.call(`/emails/webhooks${path}`, { method, key })).toMatchObject(error(404, "not_found"))
    expect((await wire.call("/emails/webhooks", { key })).body.data.items).toEqual([])
  })
})
