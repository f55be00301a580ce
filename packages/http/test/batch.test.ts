/**
 * Several sends in one request. Source: decision 0048.
 */
import { MailStore, StoreUnavailable } from "@mailkeep/core"
import { sendInput, stores, summaries, captured, tick } from "@mailkeep/test-support"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { afterEach, describe, expect, it } from "vitest"
import type { CallOptions, HttpTestServer } from "./httpTestServer.ts"
import { error, invalid, openHttpTestServer, postSend } from "./httpTestServer.ts"

let batches = 0

const postBatch = (wire: HttpTestServer, messages: unknown, options: CallOptions = {}) =>
  wire.call("/emails/batch", {
    method: "POST",
    body: { messages },
    ...options,
    headers: { "idempotency-key": `batch-${batches++}`, ...options.headers }
  })

const to = (name: string, change: object = {}) => ({ ...sendInput({ to: `${name}@example.org` }), ...change })

const accepted = (totalQueued = 1) => ({
  messageId: expect.stringMatching(/^msg_/),
  deliveryIds: expect.any(Array),
  totalQueued,
  scheduledAt: null
})

const base64 = (text: string | Uint8Array) => Buffer.from(text).toString("base64")

describe.each(stores)("POST /emails/batch, over $name", (store) => {
  let wire: HttpTestServer
  afterEach(() => wire.close())

  it("answers 202 with one result for each message, in the order of the request", async () => {
    wire = await openHttpTestServer(store, { plan: { dailySends: 3 } })
    const messages = [
      to("ada"),
      to("bob", { subject: "a\nb", text: undefined }),
      to("eve", { from: "hello@unknown.example" }),
      to("cleo", { to: ["a@example.org", "b@example.org", "c@example.org", "d@example.org"] }),
      to("dan", { scheduledAt: "2026-11-22T10:00:00+01:00" })
    ]
    const { status, body } = await postBatch(wire, messages)
    expect(status).toBe(202)
    expect(body.data).toEqual([
      accepted(),
      {
        error: "invalid_argument",
        message:
          "body.messages[1].subject must be one line of well-formed Unicode without control characters, and 1 more",
        details: {
          context: "body",
          issues: [
            { path: ["messages", 1, "subject"], code: "invalid_value", message: expect.any(String) },
            { path: ["messages", 1, "html"], code: "required", message: expect.any(String) }
          ]
        }
      },
      { error: "not_allowed", message: expect.stringContaining("not a verified domain") },
      { error: "too_many_requests", message: expect.any(String), code: "daily_sending_limit_exceeded" },
      { ...accepted(), scheduledAt: "2026-11-22T09:00:00.000Z" }
    ])
    expect((await wire.run(summaries)).map(({ recipient }) => recipient).toSorted()).toEqual([
      "ada@example.org",
      "dan@example.org"
    ])
  })

  it("replays every message of a repeated batch with the same bytes, and tries the refused messages again", async () => {
    wire = await openHttpTestServer(store)
    const headers = { "idempotency-key": "nightly" }
    const messages = [to("ada"), to("bob"), to("eve", { from: "hello@unknown.example" })]
    const first = await postBatch(wire, messages, { headers })
    expect(first.headers.get("idempotent-replayed")).toBe(null)
    const again = await postBatch(wire, messages, { headers })
    expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([202, first.text, "true"])
    expect(await wire.run(summaries)).toHaveLength(2)
    const longer = await postBatch(wire, [...messages, to("new")], { headers })
    expect(longer.body.data.slice(0, 2)).toEqual(first.body.data.slice(0, 2))
    expect([longer.body.data[3], longer.headers.get("idempotent-replayed")]).toEqual([accepted(), null])
    const other = await postBatch(wire, [to("other"), to("bob")], { headers })
    expect(other.body.data).toEqual([
      {
        error: "invalid_argument",
        message: "headers.idempotency-key was used for another request",
        details: {
          context: "headers",
          issues: [{ path: ["idempotency-key"], code: "idempotency_key_reused", message: expect.any(String) }]
        }
      },
      first.body.data[1]
    ])
  })

  it("keeps the idempotency keys of sends and of batches apart", async () => {
    wire = await openHttpTestServer(store)
    const headers = { "idempotency-key": "k" }
    const single = await postSend(wire, to("ada"), { headers })
    const batch = await postBatch(wire, [to("ada")], { headers })
    expect(batch.body.data[0].messageId).not.toBe(single.body.data.messageId)
    expect(await wire.run(summaries)).toHaveLength(2)
  })

  it("hands over the decoded files of each message", async () => {
    wire = await openHttpTestServer(store)
    const large = Uint8Array.from({ length: 300_000 }, (_, at) => (at * 31) % 256)
    const { body } = await postBatch(wire, [
      to("ada", { attachments: [{ filename: "a.txt", content: base64("small"), content_type: "text/plain" }] }),
      to("bob", { attachments: [{ filename: "b.bin", content: base64(large) }] }),
      to("eve", { attachments: [{ filename: "c.bin", content: "no base64", content_id: 7 }] })
    ])
    expect(body.data).toMatchObject([
      accepted(),
      accepted(),
      {
        error: "invalid_argument",
        details: {
          issues: [
            { path: ["messages", 2, "attachments", 0, "content_id"] },
            { path: ["messages", 2, "attachments", 0, "content"] }
          ]
        }
      }
    ])
    await wire.run(tick)
    const files = (await wire.run(captured)).map(({ envelope, message }) => [
      envelope.to,
      message.attachments.map(({ filename, size }) => `${filename} ${size}`)
    ])
    expect(Object.fromEntries(files)).toEqual({ "ada@example.org": ["a.txt 5"], "bob@example.org": ["b.bin 300000"] })
  })
})

describe("a batch that is refused as a whole", () => {
  const [store] = stores
  let wire: HttpTestServer
  afterEach(() => wire.close())

  it.each<[string, unknown, ReturnType<typeof invalid>]>([
    ["without messages", {}, invalid("body", [["messages"], "required"])],
    ["whose messages are no list", { messages: {} }, invalid("body", [["messages"], "invalid_type"])],
    ["with no message", { messages: [] }, invalid("body", [["messages"], "too_short"])],
    [
      "with 101 messages",
      { messages: Array.from({ length: 101 }, () => 1) },
      invalid("body", [["messages"], "too_many_items"])
    ],
    ["with an unknown field", { messages: [to("ada")], mesages: [] }, invalid("body", [["mesages"], "unknown_field"])],
    ["that is not JSON", "{", invalid("body", [[], "malformed_json"])],
    ["that is a list", "[]", invalid("body", [[], "invalid_type"])]
  ])("answers 400 to a body %s, and sends nothing", async (_, body, refusal) => {
    wire = await openHttpTestServer(store)
    expect(await postBatch(wire, [], { body })).toMatchObject(refusal)
    expect(await wire.run(summaries)).toEqual([])
  })

  it("answers 400 without an idempotency key", async () => {
    wire = await openHttpTestServer(store)
    const answer = await wire.call("/emails/batch", { method: "POST", body: { messages: [to("ada")] } })
    expect(answer).toMatchObject(invalid("headers", [["idempotency-key"], "required"]))
  })

  it("answers 413 to a body over 30 MiB", async () => {
    wire = await openHttpTestServer(store)
    const text = "x".repeat(31 * 1024 * 1024)
    expect(await postBatch(wire, [], { body: JSON.stringify({ messages: [to("ada", { text })] }) })).toMatchObject(
      error(413, "invalid_argument")
    )
  })

  it("answers 503 when the store took no message, and 202 with an error for the others when it took one", async () => {
    let left = 0
    const failing = {
      name: "memory, which takes a few messages",
      layer: Layer.effect(
        MailStore,
        Effect.map(MailStore, (inner) => ({
          ...inner,
          commit: (changes) =>
            changes.some(({ _tag }) => _tag === "InsertMessage") && left-- <= 0
              ? Effect.fail(new StoreUnavailable({ reason: "full" }))
              : inner.commit(changes)
        }))
      ).pipe(Layer.provide(store.layer))
    }
    wire = await openHttpTestServer(failing)
    const headers = { "idempotency-key": "k" }
    const none = await postBatch(wire, [to("ada"), to("bob")], { headers })
    expect(none).toMatchObject(error(503, "unavailable"))
    expect(none.headers.get("retry-after")).toBe("1")
    left = 1
    const some = await postBatch(wire, [to("ada"), to("bob")], { headers })
    expect(some).toMatchObject({
      status: 202,
      body: { data: [accepted(), { error: "unavailable", message: "The service cannot take the request now." }] }
    })
    left = 9
    const all = await postBatch(wire, [to("ada"), to("bob")], { headers })
    expect(all.body.data).toEqual([some.body.data[0], accepted()])
    expect(await wire.run(summaries)).toHaveLength(2)
  })

  it("counts each message against the rate limit, and answers 429 until the limit has refilled", async () => {
    wire = await openHttpTestServer(store, { plan: { rateLimit: { requests: 4, windowMillis: 4000 } } })
    const six = Array.from({ length: 6 }, (_, n) => to(`p${n}`))
    const first = await postBatch(wire, six)
    expect([first.status, first.headers.get("ratelimit")]).toEqual([202, '"api_key";r=0;t=6'])
    const refused = await postSend(wire, to("ada"))
    expect(refused).toMatchObject({ status: 429, body: { code: "RATE_LIMITED", retryAfterSeconds: 3 } })
    await wire.run(TestClock.adjust("3 seconds"))
    expect((await postSend(wire, to("ada"))).status).toBe(202)
  })

  it("takes one token for a batch whose form is wrong", async () => {
    wire = await openHttpTestServer(store, { plan: { rateLimit: { requests: 4, windowMillis: 4000 } } })
    const answer = await postBatch(
      wire,
      Array.from({ length: 101 }, () => to("ada"))
    )
    expect([answer.status, answer.headers.get("ratelimit")]).toEqual([400, '"api_key";r=3;t=1'])
  })

  it("is described as an extension in the OpenAPI document", async () => {
    wire = await openHttpTestServer(store)
    const document = (await (await fetch(`${wire.url}/openapi.json`)).json()) as {
      paths: Record<string, { post: { description: string } }>
    }
    expect(document.paths["/api/v1/emails/batch"]!.post.description).toContain("An extension.")
  })
})
