/**
 * Messages and recipients that the submission listener refuses.
 */
import { ApiKeys, Domains, Sending } from "@mailkeep/core"
import { project, sendInput, summaries } from "@mailkeep/test-support"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { decodeWords } from "postal-mime"
import { describe, expect, it } from "vitest"
import { plainResponse } from "../smtpClient.ts"
import { messageOf, submit, validFields } from "../submissionTestServer.ts"
import { opened, valid } from "./openedServer.ts"

describe("DATA", () => {
  it("takes a token of the rate limit for each message, also of messages over HTTP", async () => {
    const server = await opened({}, { plan: { rateLimit: { requests: 2, windowMillis: 10_000 } } })
    const client = await server.client()
    expect(await submit(client, valid)).toMatch(/^250 /)
    expect(await submit(client, valid)).toMatch(/^250 /)
    for (const line of ["MAIL FROM:<>", "RCPT TO:<ada@example.org>"]) await client.command(line)
    expect(await client.command("DATA")).toBe("451 4.7.0 Too many requests. Retry after 5 seconds.")
    await server.run(TestClock.adjust("5 seconds"))
    expect(await submit(client, valid)).toMatch(/^250 /)
  })

  it("refuses a message above a limit of the plan, temporarily if the limit ends by itself", async () => {
    const daily = await opened({}, { plan: { dailySends: 0 } })
    expect(await submit(await daily.client(), valid)).toBe(
      "452 4.7.1 The message would exceed the project's daily sending limit. Limit: 0, used: 0, requested: 1."
    )
    const allowance = await opened({}, { plan: { sendingAllowance: 0 } })
    expect(await submit(await allowance.client(), valid)).toBe(
      "550 5.7.1 The message would exceed the project's sending allowance. Limit: 0, used: 0, requested: 1."
    )
  })

  it("refuses a sender outside of the domain scope, and a domain that is not verified", async () => {
    const server = await opened()
    const scoped = await server.client(await server.apiKeyWith({ domainScope: ["other.example"] }))
    expect(await submit(scoped, valid)).toBe("550 5.7.1 The API key's domain scope does not allow the domain in From")
    const foreign = valid.replace("shop@example.com", "shop@foreign.example")
    expect(await submit(await server.client(), foreign)).toBe(
      "550 5.1.8 The domain in From is not a verified domain of this project"
    )
    await server.run(Effect.flatMap(Domains, (domains) => domains.create(project, { domain: "foreign.example" })))
    expect(await submit(await server.client(), foreign)).toMatch(/^550 5\.1\.8 /)
    expect(await server.run(summaries)).toEqual([])
  })

  it("refuses an API key without the permission email.send", async () => {
    const server = await opened()
    const client = await server.client(await server.apiKeyWith({ permissions: ["email.full_access"] }))
    expect(await client.command("MAIL FROM:<a@example.com>")).toBe(
      "550 5.7.1 The API key lacks the permission email.send"
    )
  })

  it("refuses the message of an API key that was revoked after AUTH", async () => {
    const server = await opened()
    const client = await server.client()
    await server.run(
      Effect.gen(function* () {
        const apiKeys = yield* ApiKeys
        for (const { id } of yield* apiKeys.list(project)) yield* apiKeys.revoke(id)
      })
    )
    expect(await submit(client, valid)).toBe("530 5.7.0 The API key is no longer valid")
  })

  it.each([
    ["ada", 501],
    ["ada@localhost", 553],
    ["ada@[192.0.2.1]", 553]
  ])("refuses the recipient %s", async (recipient, code) => {
    const server = await opened()
    const client = await server.client()
    await client.command("MAIL FROM:<a@example.com>")
    expect(await client.command(`RCPT TO:<${recipient}>`)).toMatch(new RegExp(`^${code} 5\\.1\\.3 `))
    expect(await client.command("DATA")).toBe("554 5.5.1 No valid recipients")
  })

  it("accepts 50 recipients in one transaction, and refuses the next one temporarily", async () => {
    const server = await opened()
    const client = await server.client()
    await client.command("MAIL FROM:<a@example.com>")
    for (let index = 0; index < 50; index++)
      expect(await client.command(`RCPT TO:<ada${index}@example.org>`)).toBe("250 2.1.5 Ok")
    expect(await client.command("RCPT TO:<ada@example.org>")).toMatch(/^452 4\.5\.3 /)
    await client.command("DATA")
    expect(await client.command(`${valid}.`)).toMatch(/^250 /)
    expect(await server.run(summaries)).toHaveLength(50)
  })

  it("refuses a message above the announced size at MAIL, and a longer one after its end", async () => {
    const server = await opened({ messageBytesMax: 1000 })
    const client = await server.client()
    expect(await client.command("EHLO c")).toContain("250-SIZE 1000")
    await client.command(`AUTH PLAIN ${plainResponse("apikey", server.apiKey)}`)
    expect(await client.command("MAIL FROM:<a@example.com> SIZE=1001")).toMatch(/^552 5\.3\.4 /)
    expect(await submit(client, messageOf(validFields, "x".repeat(1000)))).toMatch(/^552 5\.3\.4 /)
    expect(await submit(client, valid)).toMatch(/^250 /)
  })

  it.each([
    ["without From", ["To: ada@example.org", "Subject: x"], "554 5.6.0 The message must have one field From"],
    [
      "with two senders in From",
      ["From: a@example.com, b@example.com", "Subject: x"],
      "554 5.6.0 The message must have one address in the field From"
    ],
    [
      "with two fields From",
      ["From: a@example.com", "From: b@example.com", "Subject: x"],
      "554 5.6.0 The message must have one address in the field From"
    ],
    ["without a subject", ["From: a@example.com"], "554 5.6.0 The message must have one field Subject"],
    [
      "with a wrong sender",
      ["From: nobody", "Subject: x"],
      "554 5.6.0 From must be a bare mailbox such as ada@example.com"
    ],
    [
      "with a header field twice",
      [...validFields, "X-Tag: a", "x-tag: b"],
      "554 5.6.0 The message has the header field x-tag twice"
    ],
    [
      "with a malformed idempotency key",
      [...validFields, "Idempotency-Key: a b"],
      "554 5.6.0 Idempotency-Key must be 1 to 128 visible ASCII characters"
    ],
    [
      "with 21 fields of its own",
      [...validFields, ...Array.from({ length: 21 }, (_, index) => `X-Tag-${index}: a`)],
      "554 5.6.0 headers must have at most 20 fields"
    ],
    [
      "with a signature",
      [...validFields, "Content-Type: multipart/signed; boundary=b"],
      "554 5.6.0 The message has a part of the type multipart/signed. Mailkeep composes each message again, so a signature or an encryption would break"
    ],
    [
      "with 101 addresses in Cc",
      [...validFields, `Cc: ${Array.from({ length: 101 }, (_, index) => `a${index}@example.org`).join(",\r\n ")}`],
      "554 5.6.0 Cc must hold at most 100 addresses"
    ]
  ])("refuses a message %s, and says which field is wrong", async (_, fields, expected) => {
    const server = await opened()
    expect(await submit(await server.client(), messageOf(fields))).toBe(expected)
  })

  it("refuses a body that is too large", async () => {
    const server = await opened()
    const reply = await submit(await server.client(), messageOf(validFields, "x".repeat(2 * 1024 * 1024)))
    expect(reply).toMatch(/^552 5\.3\.4 text must /)
  })

  it("refuses what the interface over HTTP refuses, and accepts the rest", async () => {
    const server = await opened()
    const client = await server.client()
    const texts = ["Hello", "x".repeat(500), "x".repeat(501), "=?utf-8?q?a=00b?=", "=?utf-8?q?a=0Ab?=", "\u00e4"]
    for (const subject of texts) {
      const over = (source: "api" | "smtp") =>
        Effect.gen(function* () {
          const [apiKey] = yield* (yield* ApiKeys).list(project)
          const principal = { projectId: project, apiKeyId: apiKey!.id, permissions: [], domainScope: null, source }
          return yield* (yield* Sending).send(principal, sendInput({ subject: decodeWords(subject) }))
        })
      const accepted = await server.run(Effect.isSuccess(over("api")))
      const reply = await submit(client, messageOf(["From: shop@example.com", `Subject: ${subject}`]))
      expect([subject.slice(0, 20), reply.startsWith("250 ")]).toEqual([subject.slice(0, 20), accepted])
    }
  })
})
