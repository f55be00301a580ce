import { project, sendEvents, send, start, stores, tick, withTestMail } from "@mailkeep/test-support"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { MailStore, Webhooks } from "../../../src/index.ts"
import type { EventSinkShape } from "../../../src/port/EventSink.ts"

const url = "https://hooks.example.net/a"

/** A sink that accepts every event. */
const sink: EventSinkShape = {
  capabilities: { carriesHeaders: true },
  send: () => Effect.succeed({ _tag: "Accepted", status: 204 })
}

describe.each(stores)("Webhooks, over $name", (store) => {
  it("creates a webhook with defaults, and shows its secret only then", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const { webhook, secret } = yield* webhooks.create(project, { url, events: undefined, description: undefined })
        expect(webhook).toEqual({
          id: expect.stringMatching(/^whk_/),
          url,
          events: ["email.delivered", "email.bounced", "email.failed", "contact.unsubscribed"],
          description: "",
          status: "enabled",
          failingSince: null,
          createdAt: start,
          updatedAt: start
        })
        expect(Redacted.value(secret)).toMatch(/^whsec_/)
        expect(yield* webhooks.get(project, webhook.id)).toEqual(webhook)
        expect(yield* webhooks.list(project)).toEqual({ items: [webhook], total: 1, page: 1, limit: 50 })
      })
    ))

  it("sends an event to each webhook when creations at the same time have exceeded the limit of 50", () => {
    const endpoints = new Set<string>()
    const recording: EventSinkShape = {
      ...sink,
      send: (request) =>
        Effect.andThen(
          Effect.sync(() => endpoints.add(request.endpoint)),
          sink.send(request)
        )
    }
    return withTestMail(store, { sink: recording })(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const mailStore = yield* MailStore
        const { webhook } = yield* webhooks.create(project, { url: `${url}0` })
        const [first] = yield* mailStore.read([{ _tag: "Resource", projectId: project, id: webhook.id }])
        if (first?.kind !== "webhook") throw new Error("no webhook")
        for (let n = 1; n < 60; n++) {
          const id = `whk_${String(n).padStart(26, "0")}` as const
          const resource = { ...first, id, content: { ...first.content, url: `${url}${n}` } }
          yield* mailStore.commit([{ _tag: "PutResource", resource, replaces: null }])
        }
        yield* Effect.andThen(send("k"), tick)
        yield* sendEvents
        expect(endpoints.size).toBe(60)
      })
    )
  })

  it("lists the webhooks of a project newest first, page by page", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const ids: Array<string> = []
        for (let n = 0; n < 3; n++) {
          ids.unshift((yield* webhooks.create(project, { url })).webhook.id)
          yield* TestClock.adjust("1 second")
        }
        yield* webhooks.create("prj_other", { url })
        const idsOf = (page: object) =>
          Effect.map(webhooks.list(project, page), ({ items }) => items.map(({ id }) => id))
        expect(yield* idsOf({})).toEqual(ids)
        expect(yield* idsOf({ limit: 2 })).toEqual(ids.slice(0, 2))
        expect(yield* idsOf({ page: 2, limit: 2 })).toEqual(ids.slice(2))
      })
    ))

  it("changes only the given fields of a webhook", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const { webhook } = yield* webhooks.create(project, { url, description: "Orders" })
        yield* TestClock.adjust("1 second")
        const updated = yield* webhooks.update(project, webhook.id, { events: ["email.bounced"], url: undefined })
        expect(updated).toEqual({ ...webhook, events: ["email.bounced"], updatedAt: start + 1000 })
        expect(yield* webhooks.get(project, webhook.id)).toEqual(updated)
      })
    ))

  it("refuses an unknown id and an id of another project", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const { webhook } = yield* webhooks.create(project, { url })
        for (const [projectId, id] of [
          [project, "whk_none"],
          ["prj_other", webhook.id]
        ] as const) {
          const calls: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
            webhooks.get(projectId, id),
            webhooks.update(projectId, id, {}),
            webhooks.delete(projectId, id),
            webhooks.rotateSecret(projectId, id),
            webhooks.test(projectId, id),
            webhooks.listEventDeliveries(projectId, id)
          ]
          for (const call of calls)
            expect(yield* Effect.flip(call)).toMatchObject({ _tag: "RecordNotFound", record: "webhook" })
        }
      })
    ))

  it("deletes a webhook, and refuses to delete it again", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const { webhook } = yield* webhooks.create(project, { url })
        yield* webhooks.delete(project, webhook.id)
        expect((yield* webhooks.list(project)).total).toBe(0)
        expect(yield* Effect.flip(webhooks.delete(project, webhook.id))).toMatchObject({ _tag: "RecordNotFound" })
      })
    ))

  it("lists the event deliveries of a webhook page by page, and refuses a cursor of another webhook", () =>
    withTestMail(store, { sink })(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const { webhook } = yield* webhooks.create(project, { url })
        const other = yield* webhooks.create(project, { url })
        yield* send("k", { to: ["a@example.org", "b@example.org", "c@example.org"] })
        yield* tick
        yield* sendEvents
        const first = yield* webhooks.listEventDeliveries(project, webhook.id, { limit: 2 })
        expect(first).toMatchObject({ limit: 2, hasMore: true, items: [{ webhookId: webhook.id }, {}] })
        const { nextCursor: cursor } = first
        const second = yield* webhooks.listEventDeliveries(project, webhook.id, { limit: 2, cursor })
        expect(second).toMatchObject({ hasMore: false, nextCursor: null })
        expect(new Set([...first.items, ...second.items].map(({ id }) => id)).size).toBe(3)
        expect(yield* Effect.flip(webhooks.listEventDeliveries(project, other.webhook.id, { cursor }))).toMatchObject({
          argument: "filters",
          issues: [{ path: ["cursor"], code: "invalid_cursor" }]
        })
      })
    ))

  it("shows no field that only the store and the workers need", () =>
    withTestMail(store, { sink })(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const { webhook } = yield* webhooks.create(project, { url })
        yield* send("k")
        yield* tick
        yield* sendEvents
        const { items } = yield* webhooks.listEventDeliveries(project, webhook.id)
        expect(items).toMatchObject([{ status: "delivered", attemptCount: 1, attempts: [{ status: 204 }] }])
        const shown = JSON.stringify([items, webhook, yield* webhooks.list(project)])
        for (const field of ["fencingToken", "worker", "revision", "secrets", "encrypted", "content", "projectId"])
          expect(shown).not.toContain(`"${field}"`)
      })
    ))
})
