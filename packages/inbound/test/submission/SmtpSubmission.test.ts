/**
 * The submission listener with a core behind it, over real sockets.
 */
import { ApiKeys, DeliveryLog, Domains, Sending } from "@mailkeep/core"
import type { StoreUnderTest, TestMailOptions } from "@mailkeep/test-support"
import { detail, expectBalanced, project, sendInput, stores, summaries } from "@mailkeep/test-support"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate as immediate } from "node:timers/promises"
import { decodeWords } from "postal-mime"
import { afterEach, describe, expect, it } from "vitest"
import type { SmtpSubmissionOptions } from "../../src/index.ts"
import { plainResponse, smtpClient } from "../smtpClient.ts"
import type { SubmissionTestServer } from "../submissionTestServer.ts"
import { messageOf, openSubmissionTestServer, submit, validFields } from "../submissionTestServer.ts"
import { makeSwitchedStore } from "../switchedStore.ts"

const servers: Array<SubmissionTestServer> = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

const opened = async (
  options: Partial<SmtpSubmissionOptions> = {},
  mail: TestMailOptions = {},
  store?: StoreUnderTest
) => {
  const server = await openSubmissionTestServer(options, mail, store)
  servers.push(server)
  return server
}

const valid = messageOf(validFields)

const messageIdIn = (reply: string) => /^250 2\.0\.0 Ok: queued as (msg_[0-9a-z]{26})$/.exec(reply)?.[1]

/** The recipients of all deliveries. */
const allRecipients = Effect.gen(function* () {
  const log = yield* DeliveryLog
  const { items } = yield* log.list(project, { limit: 100 })
  return items.map(({ recipient }) => recipient)
})

/** The message of the newest delivery. */
const newest = async (server: SubmissionTestServer) => {
  const [first] = await server.run(summaries)
  return server.run(detail(first!.id))
}

describe("AUTH", () => {
  it.each([["PLAIN"], ["LOGIN"]])("accepts an API key as the password of the user apikey by %s", async (mechanism) => {
    const server = await opened()
    const client = await smtpClient(server.port)
    expect(await client.command("EHLO c")).toContain("250 AUTH PLAIN LOGIN")
    if (mechanism === "PLAIN") await client.command(`AUTH PLAIN ${plainResponse("apikey", server.apiKey)}`)
    else {
      expect(await client.command("AUTH LOGIN")).toBe("334 VXNlcm5hbWU6")
      expect(await client.command(Buffer.from("apikey").toString("base64"))).toBe("334 UGFzc3dvcmQ6")
      expect(await client.command(Buffer.from(server.apiKey).toString("base64"))).toBe(
        "235 2.7.0 Authentication succeeded"
      )
    }
    expect(await client.command("MAIL FROM:<a@example.com>")).toBe("250 2.1.0 Ok")
  })

  it("refuses another user, a wrong API key and a revoked API key with the same reply", async () => {
    const server = await opened()
    const revoked = await server.apiKeyWith({ name: "old" })
    await server.run(
      Effect.gen(function* () {
        const apiKeys = yield* ApiKeys
        for (const { id, name } of yield* apiKeys.list(project)) if (name === "old") yield* apiKeys.revoke(id)
      })
    )
    const replies = new Set<string>()
    for (const [user, password] of [
      ["postmaster", server.apiKey],
      ["apikey", `${server.apiKey}x`],
      ["apikey", "mk_000000000000_00000000000000000000000000000000"],
      ["apikey", revoked]
    ] as const) {
      const client = await smtpClient(server.port)
      await client.command("EHLO c")
      replies.add(await client.command(`AUTH PLAIN ${plainResponse(user, password)}`))
      expect(await client.command("MAIL FROM:<a@example.com>")).toMatch(/^530 5\.7\.0 /)
    }
    expect([...replies]).toEqual([
      "535 5.7.8 The API key is not valid. The user is apikey and the password is the API key"
    ])
  })

  it("answers with a temporary reply when the store is unavailable", async () => {
    const store = makeSwitchedStore()
    const server = await opened({}, {}, store)
    const client = await smtpClient(server.port)
    await client.command("EHLO c")
    store.fails = true
    expect(await client.command(`AUTH PLAIN ${plainResponse("apikey", server.apiKey)}`)).toMatch(/^454 4\.7\.0 /)
    store.fails = false
    expect(await client.command(`AUTH PLAIN ${plainResponse("apikey", server.apiKey)}`)).toMatch(/^235 /)
  })

  it("does not start on a host of the network without a certificate", async () => {
    await expect(openSubmissionTestServer({ host: "0.0.0.0" })).rejects.toMatchObject({
      _tag: "ListenerNotStarted",
      reason: "tls"
    })
    for (const options of [{ tls: { cert: "x", key: "y" } }, { implicitTls: true }])
      await expect(openSubmissionTestServer(options)).rejects.toMatchObject({
        reason: "certificate",
        message: "The certificate or the private key is missing or not usable."
      })
  })

  it("does not start on a port that is in use", async () => {
    const { port } = await opened()
    await expect(openSubmissionTestServer({ port })).rejects.toMatchObject({
      reason: "address",
      code: "EADDRINUSE",
      address: `127.0.0.1:${port}`,
      message: `The listener cannot use the address 127.0.0.1:${port} (EADDRINUSE).`
    })
  })
})

describe.each(stores)("DATA over $name", (store) => {
  it("accepts a message with the source smtp, and answers with its id", async () => {
    const server = await opened({}, {}, store)
    const reply = await submit(await server.client(), valid)
    const found = await newest(server)
    expect(messageIdIn(reply)).toBe(found.message.id)
    expect(found).toMatchObject({ source: "smtp", subject: "Hello", recipient: "ada@example.org", status: "queued" })
    expect(found.message).toMatchObject({ from: "shop@example.com", fromName: "Shop", text: "Hi\n", html: null })
    await server.run(expectBalanced)
  })

  it("sends a repeated message with an idempotency key only once", async () => {
    const server = await opened({}, {}, store)
    const keyed = messageOf([...validFields, "X-Mailkeep-Idempotency-Key: order-1042"])
    const client = await server.client()
    const first = await submit(client, keyed)
    expect(await submit(client, keyed.replace("Hi", "Hi"))).toBe(first)
    expect(await submit(client, keyed.replace("Hi", "Other"))).toBe(
      "554 5.6.0 Idempotency-Key was used for another request"
    )
    expect(await submit(client, valid)).not.toBe(await submit(client, valid))
    expect(await server.run(summaries)).toHaveLength(3)
  })
})

describe.each(stores)("an idempotency key over $name", (store) => {
  it("sends a message once to each recipient when the message is handed in for some of them at a time", async () => {
    const server = await opened({}, {}, store)
    const client = await server.client()
    const keyed = messageOf([...validFields, "Idempotency-Key: order-1042"])
    const recipients = Array.from({ length: 60 }, (_, n) => `ada${n}@example.org`)
    const transactions = [recipients.slice(0, 50), recipients.slice(50)]
    const replies: Array<string> = []
    for (const some of [...transactions, ...transactions]) replies.push(await submit(client, keyed, some))
    expect(replies.every((reply) => messageIdIn(reply) !== undefined)).toBe(true)
    expect(replies.slice(2)).toEqual(replies.slice(0, 2))
    expect((await server.run(allRecipients)).toSorted()).toEqual(recipients.toSorted())
    expect(await submit(client, keyed.replace("Hi", "Other"), transactions[1])).toBe(
      "554 5.6.0 Idempotency-Key was used for another request"
    )
  })
})

describe("DATA", () => {
  it("answers 250 only after the commit", async () => {
    const store = makeSwitchedStore()
    const server = await opened({}, {}, store)
    const client = await server.client()
    await store.commits.close.pipe(Effect.runPromise)
    let replied = false
    const reply = submit(client, valid).finally(() => (replied = true))
    for (let turn = 0; turn < 200; turn++) await immediate()
    expect(replied).toBe(false)
    await store.commits.open.pipe(Effect.runPromise)
    expect(messageIdIn(await reply)).toBe((await newest(server)).message.id)
  })

  it("answers with a temporary reply when the store is unavailable, and accepts the message later", async () => {
    const store = makeSwitchedStore()
    const server = await opened({}, {}, store)
    const client = await server.client()
    for (const line of ["MAIL FROM:<>", "RCPT TO:<ada@example.org>", "DATA"]) await client.command(line)
    store.fails = true
    expect(await client.command(`${valid}.`)).toBe("451 4.3.0 The message cannot be stored now, try again later")
    store.fails = false
    expect(await submit(client, valid)).toMatch(/^250 /)
  })

  it("finishes a message that is being received when the listener stops, and closes idle connections", async () => {
    const server = await opened()
    const [busy, idle] = [await server.client(), await server.client()]
    for (const line of ["MAIL FROM:<>", "RCPT TO:<ada@example.org>", "DATA"]) await busy.command(line)
    busy.send(valid.slice(0, 20))
    const stopped = server.stop()
    expect(await idle.reply()).toBe("421 4.3.2 The server is shutting down")
    await expect(smtpClient(server.port)).rejects.toThrow(/ECONNREFUSED|closed/)
    expect(await busy.command(`${valid.slice(20)}.`)).toMatch(/^250 2\.0\.0 Ok: queued as msg_/)
    expect(await busy.reply()).toBe("421 4.3.2 The server is shutting down")
    await stopped
    expect(await server.run(summaries)).toHaveLength(1)
  })

  it("breaks a connection that does not finish its message within the grace period", async () => {
    const server = await opened({ graceMillis: 1000 })
    const client = await server.client()
    for (const line of ["MAIL FROM:<>", "RCPT TO:<ada@example.org>", "DATA"]) await client.command(line)
    const stopped = server.stop()
    for (let turn = 0; turn < 10; turn++) await immediate()
    await server.run(TestClock.adjust("1 second"))
    await stopped
    expect(await client.closed).toBe("")
  })

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
      "452 4.7.1 The message would exceed the project's daily sending limit."
    )
    const allowance = await opened({}, { plan: { sendingAllowance: 0 } })
    expect(await submit(await allowance.client(), valid)).toBe(
      "550 5.7.1 The message would exceed the project's sending allowance."
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

  it("ignores the domain of MAIL, because the domain of From decides", async () => {
    const server = await opened()
    const client = await server.client()
    await client.command("MAIL FROM:<anyone@elsewhere.example>")
    for (const line of ["RCPT TO:<ada@example.org>", "DATA"]) await client.command(line)
    expect(await client.command(`${valid}.`)).toMatch(/^250 /)
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

  it("logs no address, subject, body or API key, whatever happens", async () => {
    const lines: Array<string> = []
    const logger = Logger.layer([Logger.make(({ message }) => void lines.push(JSON.stringify(message)))])
    const store = makeSwitchedStore()
    const server = await openSubmissionTestServer({}, {}, store, logger)
    servers.push(server)
    const client = await server.client()
    await client.command("MAIL FROM:<secret-sender@example.com>")
    await client.command("RCPT TO:<secret-recipient@example.org>")
    await client.command("DATA")
    store.fails = true
    const secret = messageOf(["From: secret-from@example.com", "Subject: secret-subject"], "secret-body")
    expect(await client.command(`${secret}.`)).toMatch(/^451 /)
    expect(await client.command(`AUTH PLAIN ${plainResponse("apikey", server.apiKey)}`)).toMatch(/^503 /)
    await expect.poll(() => lines.join("\n")).toContain("SMTP submissions are refused")
    expect(lines.join("\n")).not.toMatch(/secret|example|mk_/)
  })
})

describe("DeliveryLog", () => {
  it("finds the messages that were sent over SMTP by their source", async () => {
    const server = await opened()
    await submit(await server.client(), valid)
    const list = (source: "api" | "smtp") =>
      server.run(
        Effect.flatMap(DeliveryLog, (log) => Effect.map(log.list(project, { source }), ({ items }) => items.length))
      )
    expect([await list("smtp"), await list("api")]).toEqual([1, 0])
  })
})
