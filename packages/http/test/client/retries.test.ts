/**
 * Which calls the client repeats, when, and how often. Source: decision 0055.
 */
import { describe, expect, it, vi } from "vitest"
import { MailUnreachable, UnexpectedResponse } from "../../src/client.ts"
import type { ProjectHandle } from "@mailkeep/core/handle"
import type { Answer } from "./scriptedFetch.ts"
import { emptyPage, fetchError, json, rejection, scriptedClient, sent, settled, wireError } from "./scriptedFetch.ts"

const message = { from: "hi@acme.example", to: "ada@example.org", subject: "Welcome", text: "Hello." }

const calls: Readonly<Record<string, (mail: ProjectHandle) => Promise<unknown>>> = {
  read: (mail) => mail.deliveries.list(),
  send: (mail) => mail.send(message),
  batch: (mail) => mail.sendBatch({ messages: [message] }),
  cancel: (mail) => mail.cancel("msg_1"),
  addContact: (mail) => mail.lists.addContact("lst_1", "con_1"),
  create: (mail) => mail.contacts.create({ email: "ada@example.org" }),
  update: (mail) => mail.contacts.update("con_1", { email: "ada@example.org" }),
  delete: (mail) => mail.contacts.delete("con_1"),
  rotateSecret: (mail) => mail.webhooks.rotateSecret("whk_1")
}
const repeatable = new Set(["read", "send", "batch", "cancel", "addContact"])

const answers: Readonly<Record<string, () => Answer>> = {
  "lost connection": () => fetchError("ECONNRESET"),
  "unknown error of the network": () => fetchError(),
  // Linux gives the code of an earlier ICMP message to a connection that is open and gets no more answers.
  "host that became unreachable on an open connection": () => fetchError("EHOSTUNREACH", "read"),
  "bad gateway": () => new Response("<html>", { status: 502 }),
  "store out of reach": () => wireError(503, "unavailable", {}, { "retry-after": "1" }),
  "gateway timeout": () => new Response("", { status: 504 })
}

describe("retries", () => {
  for (const [answerName, answer] of Object.entries(answers))
    for (const [callName, call] of Object.entries(calls)) {
      const isRepeated = repeatable.has(callName)
      it(`${isRepeated ? "repeats" : "does not repeat"} ${callName} after: ${answerName}`, async () => {
        const { mail, requests } = scriptedClient([answer])
        await rejection(call(mail))
        expect(requests.length).toBe(isRepeated ? 4 : 1)
      })
    }

  for (const [callName, call] of Object.entries(calls)) {
    it.each(["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH", "UND_ERR_CONNECT_TIMEOUT"])(
      `repeats ${callName} when no connection was made: %s`,
      async (code) => {
        const { mail, requests } = scriptedClient([() => fetchError(code)])
        expect(await rejection(call(mail))).toMatchObject({ _tag: "MailUnreachable", reason: "network", code })
        expect(requests.length).toBe(4)
      }
    )

    it(`repeats ${callName} after the time that a rate limit asks for`, async () => {
      const more = { code: "RATE_LIMITED", scope: "api_key", retryAfterSeconds: 3 }
      const { mail, requests } = scriptedClient([
        () => wireError(429, "too_many_requests", more, { "retry-after": "3" })
      ])
      expect(await rejection(call(mail))).toMatchObject({ _tag: "RateLimited", retryAfterSeconds: 3, scope: "api_key" })
      const waits = requests.slice(1).map(({ at }, n) => at - requests[n]!.at)
      expect(waits.length).toBe(3)
      for (const wait of waits) expect(wait).toBeGreaterThanOrEqual(3000)
      for (const wait of waits) expect(wait).toBeLessThanOrEqual(3400)
    })
  }

  it.each([400, 401, 403, 404, 409, 413, 500, 501])("does not repeat a read after the status %i", async (status) => {
    const { mail, requests } = scriptedClient([() => wireError(status, "internal_error")])
    await rejection(mail.deliveries.list())
    expect(requests.length).toBe(1)
  })

  it("does not repeat a send that a limit of the plan refuses", async () => {
    const { mail, requests } = scriptedClient([
      () => wireError(429, "too_many_requests", { code: "sending_allowance_exceeded" })
    ])
    expect(await rejection(mail.send(message))).toMatchObject({ _tag: "PlanLimitReached", isRetryable: false })
    expect(requests.length).toBe(1)
  })

  it("sends the same idempotency key and the same body with each request of a call", async () => {
    const { mail, requests } = scriptedClient([() => fetchError(), () => new Response("", { status: 504 }), sent])
    expect(await settled(mail.send(message))).toMatchObject({ status: "fulfilled", value: { messageId: "msg_1" } })
    const keys = requests.map(({ headers }) => headers.get("idempotency-key"))
    expect(keys).toEqual([keys[0], keys[0], keys[0]])
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
    expect(new Set(requests.map(({ init }) => init.body)).size).toBe(1)
    await settled(mail.send(message))
    expect(requests[3]!.headers.get("idempotency-key")).not.toBe(keys[0])
  })

  it("returns the answer of a request that succeeds after others that failed", async () => {
    const { mail, requests } = scriptedClient([() => fetchError(), () => "silence", emptyPage], { timeoutMillis: 1000 })
    expect(await settled(mail.deliveries.list())).toMatchObject({ status: "fulfilled", value: { items: [] } })
    expect(requests.length).toBe(3)
  })

  it("waits twice as long before each retry, with jitter", async () => {
    const { mail, requests } = scriptedClient([() => fetchError()], { retries: 8 })
    vi.spyOn(Math, "random").mockReturnValue(1)
    await rejection(mail.deliveries.list())
    vi.mocked(Math.random).mockRestore()
    const waits = requests.slice(1).map(({ at }, n) => at - requests[n]!.at)
    expect(waits).toEqual([200, 400, 800, 1600, 3200, 6400, 10_000, 10_000])
  })

  it("does not wait longer than a minute for a server", async () => {
    const more = { code: "RATE_LIMITED", scope: "project", retryAfterSeconds: 61 }
    const { mail, requests } = scriptedClient([
      () => wireError(429, "too_many_requests", more, { "retry-after": "61" })
    ])
    expect(await rejection(mail.send(message))).toMatchObject({ retryAfterSeconds: 61, isRetryable: true })
    expect(requests.length).toBe(1)
  })

  it("follows a Retry-After that is a date", async () => {
    const headers = () => ({ "retry-after": new Date(Date.now() + 5000).toUTCString() })
    const { mail, requests } = scriptedClient([() => wireError(503, "unavailable", {}, headers()), emptyPage])
    await settled(mail.deliveries.list())
    expect(requests[1]!.at).toBeGreaterThanOrEqual(4000)
    expect(requests[1]!.at).toBeLessThanOrEqual(5300)
  })

  it.each([
    ["2.5", 2500],
    ["-5", 100],
    ["soon", 100]
  ])("waits before the retry when Retry-After is %s", async (retryAfter, waitMillis) => {
    const headers = { "retry-after": retryAfter }
    const { mail, requests } = scriptedClient([() => wireError(503, "unavailable", {}, headers), emptyPage])
    vi.spyOn(Math, "random").mockReturnValue(0)
    await settled(mail.deliveries.list())
    vi.mocked(Math.random).mockRestore()
    expect(requests[1]!.at).toBe(waitMillis)
  })

  it.each([0, 1, 5])("repeats at most as often as the option retries says: %i", async (retries) => {
    const { mail, requests } = scriptedClient([() => fetchError()], { retries })
    await rejection(mail.deliveries.list())
    expect(requests.length).toBe(retries + 1)
  })

  it("ends a wait when the signal of the call is aborted", async () => {
    const { mail, requests } = scriptedClient([() => wireError(503, "unavailable", {}, { "retry-after": "60" })])
    const controller = new AbortController()
    const reason = new Error("The user left.")
    // oxlint-disable-next-line no-restricted-globals -- It is fake time.
    setTimeout(() => controller.abort(reason), 500)
    expect(await rejection(mail.deliveries.list({}, { signal: controller.signal }))).toBe(reason)
    expect(requests.length).toBe(1)
  })

  it("ends a request when the signal of the call or of the client is aborted", async () => {
    const ofClient = new AbortController()
    const { mail, requests } = scriptedClient([() => "silence"], { signal: ofClient.signal })
    const ofCall = new AbortController()
    const first = rejection(mail.send(message, { signal: ofCall.signal }))
    const second = rejection(mail.send(message))
    ofCall.abort()
    expect(await first).toMatchObject({ name: "AbortError" })
    expect(requests[0]!.init.signal!.aborted).toBe(true)
    expect(requests[1]!.init.signal!.aborted).toBe(false)
    ofClient.abort(new Error("Shutdown."))
    expect(await second).toMatchObject({ message: "Shutdown." })
    expect(await rejection(mail.deliveries.list())).toMatchObject({ message: "Shutdown." })
    expect(requests.length).toBe(2)
  })

  it("gives up a request after the time of the option timeoutMillis", async () => {
    const { mail, requests } = scriptedClient([() => "silence"], { timeoutMillis: 2000, retries: 1 })
    const failure = await rejection(mail.send(message))
    expect(failure).toBeInstanceOf(MailUnreachable)
    expect(failure).toMatchObject({ reason: "timeout", kind: "unavailable", isRetryable: true })
    expect(requests[1]!.at).toBeGreaterThanOrEqual(2000)
    const once = scriptedClient([() => "silence"], { timeoutMillis: 2000 })
    await rejection(once.mail.contacts.create({ email: "ada@example.org" }))
    expect(once.requests.length).toBe(1)
  })

  it("bounds the time of a body that does not end", async () => {
    const endless = () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }))
    const { mail } = scriptedClient([endless], { timeoutMillis: 1000, retries: 0 })
    expect(await rejection(mail.deliveries.list())).toMatchObject({ _tag: "MailUnreachable", reason: "timeout" })
  })

  it("refuses a body above the option responseBytesMax, and reads no more of it", async () => {
    let chunks = 0
    const large = () =>
      new Response(
        new ReadableStream({
          pull: (controller) => {
            chunks++
            controller.enqueue(new Uint8Array(1000))
          }
        })
      )
    const { mail, requests } = scriptedClient([large], { responseBytesMax: 5000 })
    const failure = await rejection(mail.deliveries.list())
    expect(failure).toBeInstanceOf(UnexpectedResponse)
    expect(failure).toMatchObject({ status: 200, message: expect.stringContaining("5000 bytes") })
    expect(chunks).toBeLessThan(10)
    expect(requests.length).toBe(1)
  })

  it("keeps a body of exactly the largest size", async () => {
    const bytes = JSON.stringify(await emptyPage().json()).length
    const { mail } = scriptedClient([emptyPage], { responseBytesMax: bytes })
    expect((await settled(mail.deliveries.list())).status).toBe("fulfilled")
    const smaller = scriptedClient([emptyPage], { responseBytesMax: bytes - 1 })
    expect((await settled(smaller.mail.deliveries.list())).status).toBe("rejected")
  })

  it("says that a result was replayed only when the server says so", async () => {
    const { mail } = scriptedClient([() => sent({ "idempotent-replayed": "true" }), sent])
    expect(await settled(mail.send(message))).toMatchObject({ value: { replayed: true } })
    expect(await settled(mail.send(message))).toMatchObject({ value: { replayed: false } })
    expect(json(200, {}).status).toBe(200)
  })
})
