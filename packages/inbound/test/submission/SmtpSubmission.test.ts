/**
 * The submission listener with a core behind it, over real sockets.
 */
import { DeliveryLog } from "@mailkeep/core"
import { detail, expectBalanced, project, stores, summaries } from "@mailkeep/test-support"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate as immediate } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import { plainResponse, smtpClient } from "../smtpClient.ts"
import type { SubmissionTestServer } from "../submissionTestServer.ts"
import { messageOf, openSubmissionTestServer, submit, validFields } from "../submissionTestServer.ts"
import { makeSwitchedStore } from "../switchedStore.ts"
import { opened, valid } from "./openedServer.ts"

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

  it("ignores the domain of MAIL, because the domain of From decides", async () => {
    const server = await opened()
    const client = await server.client()
    await client.command("MAIL FROM:<anyone@elsewhere.example>")
    for (const line of ["RCPT TO:<ada@example.org>", "DATA"]) await client.command(line)
    expect(await client.command(`${valid}.`)).toMatch(/^250 /)
  })

  it("logs no address, subject, body or API key, whatever happens", async () => {
    const lines: Array<string> = []
    const logger = Logger.layer([Logger.make(({ message }) => void lines.push(JSON.stringify(message)))])
    const store = makeSwitchedStore()
    const server = await openSubmissionTestServer({}, {}, store, logger)
    onTestFinished(() => server.close())
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
