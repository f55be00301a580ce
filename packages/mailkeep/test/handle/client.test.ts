/**
 * What only a client over HTTP has: its API key, its address and its network.
 */
import { once } from "node:events"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { connectMail, MailUnreachable, UnexpectedResponse } from "@mailkeep/http/client"
import { InvalidApiKey, PermissionMissing, SenderOutsideScope } from "@mailkeep/core"
import { RateLimited } from "../../src/index.ts"
import { describe, expect, it } from "vitest"
import { openQuiet, rejection, welcome } from "../testMail.ts"
import { connect, serve } from "./handleUnderTest.ts"

const inOneHour = () => new Date(Date.now() + 3_600_000)

describe("a client over HTTP", () => {
  it("sends with an API key that may only send, and reads nothing with it", async () => {
    const mail = await connect(await openQuiet(), {}, ["email.send"])
    expect((await mail.send(welcome)).totalQueued).toBe(1)
    const failure = await rejection(mail.deliveries.list())
    expect(failure).toBeInstanceOf(PermissionMissing)
    expect(failure).toMatchObject({ permission: "email.full_access", kind: "not_allowed" })
  })

  it("rejects after its API key was revoked", async () => {
    const core = await openQuiet()
    const mail = await connect(core)
    for (const { id } of await core.apiKeys.list()) await core.apiKeys.revoke(id)
    expect(await rejection(mail.send(welcome))).toBeInstanceOf(InvalidApiKey)
  })

  it("names the domain that is outside the scope of its API key", async () => {
    const core = await openQuiet({ domains: ["acme.example", "other.example"] })
    const { messageId } = await core.send({ ...welcome, scheduledAt: inOneHour() })
    const permissions = ["email.send"] as const
    const { secret } = await core.apiKeys.create({ permissions, domainScope: ["other.example"] })
    const mail = connectMail({ url: await serve(core), apiKey: secret })
    const failure = await rejection(mail.send(welcome))
    expect(failure).toBeInstanceOf(SenderOutsideScope)
    expect(failure).toMatchObject({ domain: "acme.example" })
    expect(await rejection(mail.cancel(messageId))).toMatchObject({ _tag: "SenderOutsideScope", domain: null })
  })

  it("rejects calls about a domain that is outside the scope of its API key", async () => {
    const core = await openQuiet({ domains: ["acme.example", "other.example"] })
    const { items } = await core.domains.list({ search: "acme" })
    const permissions = ["email.full_access"] as const
    const { secret } = await core.apiKeys.create({ permissions, domainScope: ["other.example"] })
    const { domains } = connectMail({ url: await serve(core), apiKey: secret })
    const id = items[0]!.id
    const calls = [
      () => domains.get(id),
      () => domains.verify(id),
      () => domains.delete(id),
      () => domains.create({ domain: "new.example" })
    ]
    for (const call of calls) {
      const failure = await rejection(call())
      expect(failure).toBeInstanceOf(SenderOutsideScope)
      expect(failure).toMatchObject({ domain: null, kind: "not_allowed", isRetryable: false })
    }
  })

  it("rejects with the rate limit when it may not repeat the call", async () => {
    const rateLimit = { requests: 1, windowMillis: 60_000 }
    const mail = await connect(await openQuiet({ plan: { rateLimit } }), { retries: 0 })
    await mail.send(welcome)
    const failure = await rejection(mail.send(welcome))
    expect(failure).toBeInstanceOf(RateLimited)
    expect(failure).toMatchObject({ isRetryable: true, retryAfterSeconds: expect.any(Number) })
  })

  it("says that its address is wrong instead of that a record is unknown", async () => {
    const core = await openQuiet()
    const { secret } = await core.apiKeys.create({ permissions: ["email.full_access"] })
    const mail = connectMail({ url: `${await serve(core)}/wrong`, apiKey: secret })
    const failure = await rejection(mail.contacts.get("con_1"))
    expect(failure).toBeInstanceOf(UnexpectedResponse)
    expect(failure).toMatchObject({ status: 404, correlationId: expect.stringMatching(/^[\w-]+$/) })
  })

  it("rejects with MailUnreachable when no server listens", async () => {
    const server = createServer().listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, "close")
    const mail = connectMail({ url: `http://127.0.0.1:${port}`, apiKey: "mk_1", retries: 0 })
    const failure = await rejection(mail.send(welcome))
    expect(failure).toBeInstanceOf(MailUnreachable)
    expect(failure).toMatchObject({ reason: "network", code: "ECONNREFUSED", isRetryable: true })
  })

  it("rejects with the reason of a signal that is aborted during the call", async () => {
    const mail = await connect(await openQuiet())
    const controller = new AbortController()
    const sending = rejection(mail.send(welcome, { signal: controller.signal }))
    controller.abort()
    expect(await sending).toMatchObject({ name: "AbortError" })
  })

  it("learns the result of a send whose answer was lost, by the same idempotency key", async () => {
    const core = await openQuiet()
    let requests = 0
    const mail = await connect(core, {
      fetch: async (url, init) => {
        const response = await fetch(url, init)
        if (requests++ > 0) return response
        await response.body?.cancel()
        throw new TypeError("fetch failed")
      }
    })
    const sent = await mail.send(welcome)
    expect(sent).toMatchObject({ totalQueued: 1, replayed: true })
    expect((await core.deliveries.list()).items.map(({ id }) => id)).toEqual(sent.deliveryIds)
  })
})
