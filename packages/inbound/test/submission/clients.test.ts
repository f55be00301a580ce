/**
 * Real clients of the submission listener: nodemailer and, where it is installed, swaks.
 */
import { testCertificate } from "@mailkeep/test-support/testCertificates"
import { StubTransport } from "@mailkeep/smtp"
import { detail, summaries, tick } from "@mailkeep/test-support"
import { Effect } from "effect"
import { spawnSync, spawn } from "node:child_process"
import { once } from "node:events"
import { createTransport } from "nodemailer"
import { describe, expect, it } from "vitest"
import type { SubmissionTestServer } from "../submissionTestServer.ts"
import { opened } from "./openedServer.ts"

/** Every delivery with its message, newest first. */
const details = async (server: SubmissionTestServer) =>
  Promise.all((await server.run(summaries)).map(({ id }) => server.run(detail(id))))

const nodemailer = ({ port, apiKey }: SubmissionTestServer, options: object = {}) =>
  createTransport({
    host: "127.0.0.1",
    port,
    auth: { user: "apikey", pass: apiKey },
    tls: { rejectUnauthorized: false },
    ...options
  })

describe("nodemailer", () => {
  it("sends a message with both bodies, visible and hidden recipients and fields of its own", async () => {
    const server = await opened()
    const { response } = await nodemailer(server).sendMail({
      from: '"Ünïcode, Shop" <shop@example.com>',
      to: "Ada <ada@example.org>, Bob <bob@example.org>",
      cc: "carol@example.org",
      bcc: "dave@example.org",
      replyTo: "support@example.com",
      subject: "Grüße aus Köln: a subject that is long enough to be folded over more than one line, ü",
      text: "Grüße\nzweite Zeile\n.\n..zwei Punkte",
      html: "<p>Grüße</p>",
      headers: { "X-Tag": "welcome", "List-Unsubscribe": "<https://example.com/u?x=1>" }
    })
    expect(response).toMatch(/^250 2\.0\.0 Ok: queued as msg_/)
    const found = await details(server)
    expect(found.map(({ recipient, recipientKind }) => `${recipientKind} ${recipient}`).toSorted()).toEqual([
      "bcc dave@example.org",
      "cc carol@example.org",
      "to ada@example.org",
      "to bob@example.org"
    ])
    expect(found[0]!.message).toMatchObject({
      from: "shop@example.com",
      fromName: "Ünïcode, Shop",
      replyTo: "support@example.com",
      to: ["ada@example.org", "bob@example.org"],
      cc: ["carol@example.org"],
      subject: "Grüße aus Köln: a subject that is long enough to be folded over more than one line, ü",
      text: "Grüße\nzweite Zeile\n.\n..zwei Punkte",
      html: "<p>Grüße</p>",
      headers: { "X-Tag": "welcome", "List-Unsubscribe": "<https://example.com/u?x=1>" }
    })
  })

  it("sends files and inline images, of which the relay gets the same bytes", async () => {
    const server = await opened()
    const content = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * index) % 251))
    await nodemailer(server).sendMail({
      from: "shop@example.com",
      to: "ada@example.org",
      subject: "Your invoice",
      text: "Hi",
      html: '<img src="cid:logo@shop">',
      attachments: [
        { filename: "Rechnung für Ada.pdf", content },
        { filename: "logo.png", content: Buffer.from([0, 13, 10, 46, 13, 10]), cid: "logo@shop" }
      ]
    })
    await server.run(tick)
    const [captured] = await server.run(Effect.map(StubTransport.StubTransport, (stub) => stub.captured()))
    const files = captured!.message.attachments.map(async ({ read, filename, contentType, contentId, disposition }) => {
      const parts: Array<Uint8Array> = []
      for await (const part of read()) parts.push(part)
      return { filename, contentType, contentId, disposition, content: Buffer.concat(parts) }
    })
    expect(await Promise.all(files)).toEqual([
      {
        filename: "logo.png",
        contentType: "image/png",
        contentId: "logo@shop",
        disposition: "inline",
        content: Buffer.from([0, 13, 10, 46, 13, 10])
      },
      {
        filename: "Rechnung für Ada.pdf",
        contentType: "application/pdf",
        contentId: null,
        disposition: "attachment",
        content
      }
    ])
  })

  it("sends by STARTTLS and by implicit TLS", async () => {
    const startTls = await opened({ tls: testCertificate })
    await nodemailer(startTls, { requireTLS: true }).sendMail({
      from: "shop@example.com",
      to: "ada@example.org",
      subject: "a",
      text: "b"
    })
    const implicit = await opened({ tls: testCertificate, implicitTls: true })
    await nodemailer(implicit, { secure: true }).sendMail({
      from: "shop@example.com",
      to: "ada@example.org",
      subject: "a",
      text: "b"
    })
    expect(await details(startTls)).toHaveLength(1)
    expect(await details(implicit)).toHaveLength(1)
  })

  it("sends 100 messages over pooled connections", async () => {
    const server = await opened()
    const transport = nodemailer(server, { pool: true, maxConnections: 5 })
    await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        transport.sendMail({ from: "shop@example.com", to: "ada@example.org", subject: `Message ${index}`, text: "Hi" })
      )
    )
    transport.close()
    const subjects = (await server.run(summaries)).map(({ subject }) => subject)
    expect(new Set(subjects).size).toBe(100)
  })

  it("gets the code, the enhanced code and the reason of a refusal", async () => {
    const server = await opened()
    const failure: unknown = await nodemailer(server)
      .sendMail({ from: "shop@foreign.example", to: "ada@example.org", subject: "a", text: "b" })
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({
      responseCode: 550,
      response: "550 5.1.8 The domain in From is not a verified domain of this project"
    })
  })

  it("refuses a client with a wrong API key", async () => {
    const server = await opened()
    const transport = nodemailer(server, { auth: { user: "apikey", pass: "wrong" } })
    await expect(
      transport.sendMail({ from: "shop@example.com", to: "ada@example.org", subject: "a", text: "b" })
    ).rejects.toMatchObject({ responseCode: 535 })
  })
})

const hasSwaks = spawnSync("swaks", ["--version"]).status === 0

/** Sends a message by swaks, and returns its output and its exit status. */
const runSwaks = async ({ port, apiKey }: SubmissionTestServer, ...options: ReadonlyArray<string>) => {
  const account = ["--server", "127.0.0.1", "--port", String(port), "--auth-user", "apikey", "--auth-password", apiKey]
  const message = ["--from", "shop@example.com", "--to", "ada@example.org", "--header", "Subject: From swaks"]
  const process = spawn("swaks", [...account, ...message, ...options], { stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  process.stdout.on("data", (chunk) => (output += String(chunk)))
  process.stderr.on("data", (chunk) => (output += String(chunk)))
  const [status] = (await once(process, "close")) as [number]
  return { output, status }
}

describe.skipIf(!hasSwaks)("swaks", () => {
  it.each([["PLAIN"], ["LOGIN"]])("sends a message by AUTH %s", async (mechanism) => {
    const server = await opened()
    const { output, status } = await runSwaks(server, "--auth", mechanism)
    expect([status, output]).toEqual([0, expect.stringMatching(/250 2\.0\.0 Ok: queued as msg_/)])
    expect((await details(server))[0]).toMatchObject({ subject: "From swaks", recipient: "ada@example.org" })
  })

  it("sends a message with pipelined commands", async () => {
    const server = await opened()
    const { output, status } = await runSwaks(server, "--auth", "PLAIN", "--pipeline")
    expect([status, output]).toEqual([0, expect.stringMatching(/queued as msg_/)])
    expect(await details(server)).toHaveLength(1)
  })
})
