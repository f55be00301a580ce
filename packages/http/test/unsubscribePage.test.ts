/**
 * The page of the links to unsubscribe.
 */
import { Contacts, MailStore, StoreUnavailable } from "@mailkeep/core"
import { events, openTestMail, project, send, stores, tick } from "@mailkeep/test-support"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fetchHandler } from "../src/server/fetchHandler.ts"

describe("the page of the links to unsubscribe", () => {
  let mail: Awaited<ReturnType<typeof openTestMail>>
  let fetch: (path: string, init?: RequestInit) => Promise<Response>
  let path: string
  let close: () => Promise<unknown>
  let failing: Effect.Effect<never, StoreUnavailable> | null = null
  const store = {
    name: "memory, which fails on demand",
    layer: Layer.effect(
      MailStore,
      Effect.map(MailStore, (inner) => ({ ...inner, commit: (changes) => failing ?? inner.commit(changes) }))
    ).pipe(Layer.provide(stores[0].layer))
  }

  beforeAll(async () => {
    let link = ""
    mail = await openTestMail(store, {
      unsubscribe: { url: "https://mail.acme.example/mail/unsubscribe" },
      stub: { onCaptured: ({ message }) => (link = message.headers["List-Unsubscribe"] ?? "") }
    })
    const { handler, dispose } = fetchHandler(mail, { basePath: "/mail" })
    fetch = (path, init) => handler(new Request(`https://mail.acme.example${path}`, init))
    close = () => dispose().then(() => mail.dispose())
    await mail.runPromise(Effect.andThen(send("k", {}, { listUnsubscribe: true }), tick))
    path = new URL(link.slice(1, -1)).pathname
  })
  afterAll(() => close())

  const unsubscribed = () =>
    mail.runPromise(Effect.map(events, (all) => all.filter(({ kind }) => kind === "contact.unsubscribed").length))
  const suppressedSend = () =>
    mail.runPromise(Effect.map(send(`after-${Math.trunc(performance.now())}`), ({ totalQueued }) => totalQueued === 0))

  it("shows a button and changes nothing", async () => {
    for (const method of ["GET", "HEAD"]) {
      const response = await fetch(path, { method })
      expect(response.status).toBe(200)
      expect(response.headers.get("cache-control")).toBe("no-store")
      expect(response.headers.get("referrer-policy")).toBe("no-referrer")
      const html = await response.text()
      if (method === "GET") expect(html).toContain('<form method="post">')
      expect(html).not.toContain("ada")
    }
    expect(await suppressedSend()).toBe(false)
  })

  it("answers 404 for a forged link, and changes nothing", async () => {
    for (const method of ["GET", "POST"])
      for (const forged of [`${path.slice(0, -1)}!`, "/mail/unsubscribe/x", `/mail/unsubscribe/${"a".repeat(2000)}`]) {
        const response = await fetch(forged, { method })
        expect(response.status).toBeGreaterThanOrEqual(404)
        expect(response.status).toBeLessThan(500)
      }
    expect(await suppressedSend()).toBe(false)
  })

  it("answers 503 with Retry-After while the store is unavailable, and changes nothing", async () => {
    failing = Effect.fail(new StoreUnavailable({ reason: "unreachable" }))
    const response = await fetch(path, { method: "POST" })
    failing = null
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "60"])
    expect(await suppressedSend()).toBe(false)
  })

  it("unsubscribes on the POST of a mailbox provider, and on its repetition", async () => {
    const init = {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "List-Unsubscribe=One-Click"
    }
    for (let i = 0; i < 2; i++) {
      const response = await fetch(path, init)
      expect(response.status).toBe(200)
      expect(await response.text()).toContain("You are unsubscribed")
    }
    expect(await suppressedSend()).toBe(true)
    expect(await unsubscribed()).toBe(0)
  })
  it("answers 410 with a way out for a link whose message was deleted, and does not blame the link", async () => {
    await mail.runPromise(Effect.flatMap(Contacts, (contacts) => contacts.erase(project, "ada@example.org")))
    const response = await fetch(path, { method: "POST" })
    expect(response.status).toBe(410)
    const html = await response.text()
    expect(html).toContain("This link has expired")
    expect(html).toContain("write to the sender")
    expect(html).not.toContain("Open the link as it is in the message")
  })
})
