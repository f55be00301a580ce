/**
 * The command with a real relay: mail leaves over SMTP, a bounce returns, and a product submits mail over SMTP.
 */
import { mkdtempSync, rmSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { setTimeout as wait } from "node:timers/promises"
import { createTransport } from "nodemailer"
import type { SMTPServerOptions } from "smtp-server"
import { SMTPServer } from "smtp-server"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Serving } from "./commandLine.ts"
import { readyToSend, request, run, runJson, serve } from "./commandLine.ts"

interface Taken {
  readonly returnPath: string
  readonly recipient: string
  readonly raw: string
}

const login = { user: "shop", pass: "s3cret word" }

/** A relay on this machine that wants a login and keeps what it takes. */
const startRelay = async (options: SMTPServerOptions = {}) => {
  const taken: Array<Taken> = []
  const waiting: Array<(mail: Taken) => void> = []
  const server = new SMTPServer({
    allowInsecureAuth: true,
    hideSTARTTLS: true,
    onAuth: (auth, _, done) =>
      auth.username === login.user && auth.password === login.pass
        ? done(null, { user: auth.username })
        : done(new Error("Wrong login")),
    onData: (stream, { envelope }, done) => {
      const take = async () => {
        const mail = {
          returnPath: envelope.mailFrom === false ? "" : envelope.mailFrom.address,
          recipient: envelope.rcptTo[0]!.address,
          raw: await text(stream)
        }
        taken.push(mail)
        waiting.shift()?.(mail)
        done()
      }
      void take()
    },
    ...options
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    port,
    taken,
    next: () => new Promise<Taken>((resolve) => waiting.push(resolve)),
    close: () => new Promise<void>((resolve) => server.close(resolve))
  }
}

const noReports = (returnPath: string, recipient: string) => ({
  envelope: { from: "", to: returnPath },
  raw: [
    "From: mailer-daemon@mx.example.org",
    `To: ${returnPath}`,
    "Subject: Undelivered Mail Returned to Sender",
    "MIME-Version: 1.0",
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    "",
    "--b",
    "Content-Type: text/plain",
    "",
    "Your message could not be delivered.",
    "--b",
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; mx.example.org",
    "",
    `Final-Recipient: rfc822; ${recipient}`,
    "Action: failed",
    "Status: 5.1.1",
    "Diagnostic-Code: smtp; 550 5.1.1 User unknown",
    "",
    "--b--",
    ""
  ].join("\r\n")
})

let data: string
let relay: Awaited<ReturnType<typeof startRelay>>
let server: Serving | undefined

beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), "mailkeep-relay-"))
  relay = await startRelay()
})
afterEach(async () => {
  await server?.kill("SIGTERM")
  server = undefined
  await relay.close()
  rmSync(data, { recursive: true })
})

const url = () => `smtp://${login.user}:${encodeURIComponent(login.pass)}@127.0.0.1:${relay.port}?tls=opportunistic`

const serveWithRelay = async () => {
  const flags = [
    "--transport",
    url(),
    "--bounces-port",
    "0",
    "--smtp-port",
    "0",
    "--operations-port",
    "0",
    "--bounce-domain",
    "bounces.host.example"
  ]
  server = await serve(["serve", "--data", data, "--port", "0", ...flags])
  return server
}

/** Waits until the delivery has the status. Fails after a minute. */
const untilStatus = async (apiKey: string, id: string, status: string) => {
  for (let tries = 0; ; tries++) {
    const { body } = await request(server!.line.url, apiKey, `/emails/logs/${id}`)
    if (body.status === status) return body
    if (tries === 1200) throw new Error(`The delivery has status ${body.status}.`)
    await wait(50)
  }
}

describe("serve with a relay", () => {
  it("hands mail over to the relay, and records the bounce that returns", async () => {
    const { key: apiKey } = await readyToSend(["--data", data])
    const { line } = await serveWithRelay()
    const arrival = relay.next()
    const sent = await request(line.url, apiKey, "/emails/send", {
      method: "POST",
      headers: { "idempotency-key": "a" },
      body: JSON.stringify({ from: "hello@example.com", to: "ada@example.org", subject: "Grüße", text: "Hello" })
    })
    const mail = await arrival
    expect(mail.recipient).toBe("ada@example.org")
    expect(mail.returnPath).toMatch(/^b\+[0-9a-z]{26}\.[0-9a-f]{20}@bounces\.host\.example$/)
    expect(mail.raw).toContain("Subject: =?UTF-8?")
    const [id] = sent.body.data.deliveryIds
    await untilStatus(apiKey, id, "accepted")

    const [host, port] = line.bounces!.split(":")
    const back = createTransport({ host: host!, port: Number(port), ignoreTLS: true })
    await back.sendMail(noReports(mail.returnPath, "ada@example.org"))
    expect(await untilStatus(apiKey, id, "bounced")).toMatchObject({
      delivery_reason: "hard_bounce",
      bounce_type: "hard"
    })
    const metrics = await (await fetch(`${line.operations}/metrics`)).text()
    expect(metrics).toMatch(/^mailkeep_deliveries_total\{status="bounced"\} 1$/m)
    expect(metrics).not.toContain("ada@example.org")
    expect(await (await fetch(`${line.operations}/health`)).json()).toMatchObject({ status: "ok", queued: 0 })
    const { body } = await request(line.url, apiKey, "/emails/suppressions")
    expect(body.data.items).toMatchObject([{ email: "ada@example.org", reason: "hard_bounce" }])
    await expect(back.sendMail(noReports("b+forged@bounces.host.example", "ada@example.org"))).rejects.toMatchObject({
      responseCode: 550
    })
  })

  it("takes mail from a product over SMTP with the API key as the password", async () => {
    const { key: apiKey } = await readyToSend(["--data", data])
    const { line } = await serveWithRelay()
    const [host, port] = line.smtp!.split(":")
    const product = createTransport({
      host: host!,
      port: Number(port),
      ignoreTLS: true,
      auth: { user: "apikey", pass: apiKey }
    })
    const arrival = relay.next()
    await product.sendMail({ from: "Shop <hello@example.com>", to: "ada@example.org", subject: "By SMTP", text: "Hi" })
    expect((await arrival).raw).toContain("Subject: By SMTP")
    const { body } = await request(line.url, apiKey, "/emails/logs?source=smtp")
    expect(body.data.items).toHaveLength(1)
  })
})

describe("transport check", () => {
  it("prints what the relay offers and sends nothing", async () => {
    const features = await runJson(["transport", "check", "--transport", url()])
    expect(features).toMatchObject({ authenticated: true, tlsVersion: null })
    expect(relay.taken).toEqual([])
  })

  it("reads the login from the environment", async () => {
    const { code, stdout } = await run(
      ["transport", "check", "--transport", `smtp://127.0.0.1:${relay.port}?tls=opportunistic`],
      {
        MAILKEEP_SMTP_USER: login.user,
        MAILKEEP_SMTP_PASSWORD: login.pass
      }
    )
    expect([code, stdout.split("\n")[0]]).toEqual([0, "The relay is ready. Nothing was sent."])
  })

  it.each([
    ["a refused login", () => url().replace("s3cret", "wrong")],
    ["a relay that does not encrypt", () => url().replace("opportunistic", "required")],
    ["a URL of another form", () => "smtp://shop:s3cret/word@relay.example"],
    ["no relay at the port", () => "smtp://127.0.0.1:1"]
  ])("prints one line without the password for %s", async (_, wrong) => {
    const { code, stdout, stderr } = await run(["transport", "check", "--transport", wrong()])
    expect(code).toBe(1)
    expect(stdout).toBe("")
    expect(stderr).toMatch(/^mailkeep: .+\n$/)
    expect(stderr).not.toMatch(/s3cret|wrong/)
  })
})
