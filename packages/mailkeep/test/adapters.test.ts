/**
 * The relay, the files and the HTTP interface of a mail.
 */
import { writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { DnsFailure } from "@mailkeep/core/adapter"
import { MailServer } from "@mailkeep/http"
import { SMTPServer } from "smtp-server"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import type { MailOptions } from "../src/index.ts"
import { limiterFromPromises, resolverFromPromises, smtp, sqlite, StoreUnavailable, stub } from "../src/index.ts"
import { openQuiet, rejection, signal, temporaryFile, welcome } from "./testMail.ts"

/** A relay that wants a login. Resolves with its port and the messages that it took. */
const startRelay = async (password: string) => {
  const taken: Array<string> = []
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: (auth, _, done) =>
      auth.password === password ? done(null, { user: auth.username }) : done(new Error("Wrong password")),
    onData: (stream, _, done) => {
      let text = ""
      stream.on("data", (chunk: Buffer) => (text += chunk.toString()))
      stream.on("end", () => {
        taken.push(text)
        done()
      })
    }
  })
  const listening = signal()
  server.listen(0, "127.0.0.1", () => listening.resolve())
  await listening.promise
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { port: (server.server.address() as { readonly port: number }).port, taken }
}

describe("sqlite", () => {
  it.each([undefined, "", {}, null])("refuses %o at once, because it has no path", (file) => {
    expect(() => sqlite(file as string)).toThrow("sqlite needs the path of the file")
  })

  it.each(["file:mail.db", "file:///srv/mail.db", "sqlite:mail.db", new URL("file:///srv/mail.db")])(
    "refuses %s at once, because it is a URL and no path",
    (file) => {
      expect(() => sqlite(file as string)).toThrow("and no URL")
      expect(() => sqlite({ filename: file as string })).toThrow("and no URL")
    }
  )

  it("refuses the URL of a database at once, names the function for it, and does not show the password", () => {
    const url = "postgres://mail:secretword@db.example/shop"
    for (const file of [url, { filename: url }]) {
      expect(() => sqlite(file)).toThrow("For the URL of a database, use postgres of mailkeep/postgres.")
      expect(() => sqlite(file)).not.toThrow("secretword")
    }
  })

  it("does not open when a bundler has included the package of the store", async () => {
    vi.doMock("@mailkeep/sqlite", () => {
      throw new Error('Dynamic require of "fs" is not supported')
    })
    onTestFinished(() => void vi.doUnmock("@mailkeep/sqlite"))
    expect(await rejection(openQuiet({ store: sqlite("bundled.db") }))).toMatchObject({
      _tag: "StoreNotOpened",
      reason: "unsupported_runtime",
      isRetryable: false,
      message: expect.stringContaining(
        "The package @mailkeep/sqlite cannot be loaded. Mark it as external in your bundler"
      )
    })
  })
})

describe("smtp", () => {
  it("hands mail over to the relay of a URL, of options, and of a URL with options", async () => {
    const { port, taken } = await startRelay("pass/word")
    const absent = { host: undefined, port: undefined, tls: undefined, auth: undefined } as never
    const relays = [
      smtp(`smtp://shop:pass%2Fword@127.0.0.1:${port}?tls=off`),
      smtp({ host: "127.0.0.1", port, tls: "off", auth: { user: "shop", password: "pass/word" } }),
      smtp({ host: "127.0.0.1", port, tls: "off", auth: { user: "shop", password: "pass/word" } }, absent),
      smtp(`smtp://127.0.0.1:${port}`, { tls: "off", auth: { user: "shop", password: "pass/word" } })
    ]
    for (const transport of relays) {
      const mail = await openQuiet({ transport })
      const { deliveryIds } = await mail.send(welcome)
      await mail.tick()
      expect((await mail.deliveries.get(deliveryIds[0]!)).status).toBe("accepted")
    }
    expect(taken.map((text) => /^Subject: (.*)\r$/m.exec(text)?.[1])).toEqual(relays.map(() => "Welcome"))
  })
})

describe("smtp, with wrong options", () => {
  const host = "relay.example"

  it.each<[string, ReadonlyArray<unknown>]>([
    ["tls must be one of", [{ host, tls: { rejectUnauthorized: false } }]],
    ['"secure" is not an option', [{ host, secure: true }]],
    ['"pol" is not an option', ["smtp://relay.example", { pol: {} }]],
    ["auth must be an object", [{ host, auth: "shop:secret" }]],
    ["auth.accessToken must be a function", [{ host, auth: { user: "shop", accessToken: "secret" } }]],
    ["the second argument must be an object", ["smtp://relay.example", null]],
    ["the second argument must be an object", ["smtp://relay.example", "secret"]]
  ])("does not open the mail, and says why: %s", async (reason, relay) => {
    const transport = smtp(...(relay as Parameters<typeof smtp>))
    const failure = await openQuiet({ transport }).catch((cause: unknown) => cause)
    expect(failure).toMatchObject({ _tag: "SmtpOptionsInvalid", reason: expect.stringContaining(reason) })
    expect(String(failure)).not.toContain("secret")
  })
})

describe("sqlite, with wrong options", () => {
  it.each<[string, object]>([
    ['"conection" is not an option of sqlite. The options are filename, connection.', { conection: {} }],
    ["connection must be a connection of better-sqlite3.", { connection: "mail.db" }],
    ["connection must be a connection of better-sqlite3.", { connection: { session: {} } }],
    ['sqlite needs the path of the file, such as sqlite("mail.db").', { filename: 5 }]
  ])("throws a TypeError at once: %s", (message, options) => {
    expect(() => sqlite({ filename: "mail.db", ...options } as never)).toThrow(new TypeError(message))
  })
})

describe("stub, with wrong options", () => {
  it.each<[string, object]>([
    ['"scripts" is not an option of the stub. The options are script,', { scripts: [] }],
    ["script must be a list of rules", { script: {} }],
    [
      '"to" is not an option of script[1]. The options are recipient, acts.',
      { script: [{ acts: [{ act: "hang" }] }, { to: "a" }] }
    ],
    ["script[0].acts must be a list of at least one act", { script: [{ recipient: "a" }] }],
    ["script[0].acts must be a list of at least one act", { script: [{ acts: [{ act: "bounce" }] }] }],
    ["script[0].recipient must be an address or a pattern", { script: [{ recipient: 5, acts: [{ act: "hang" }] }] }],
    [
      '"code" is not an option of script[0].acts[1]. The options are act, smtpCode,',
      { script: [{ acts: [{ act: "defer" }, { act: "refuse", code: 552 }] }] }
    ],
    ['"smtpCode" is not an option of script[0].acts[0].', { script: [{ acts: [{ act: "deliver", smtpCode: 250 }] }] }],
    [
      "script[0].acts[0].smtpCode must be a whole number from 400 to 599",
      { script: [{ acts: [{ act: "refuse", smtpCode: "552" }] }] }
    ],
    ["script[0].acts[0].stage must be one of connect,", { script: [{ acts: [{ act: "refuse", stage: "RCPT" }] }] }],
    ["capabilities.smtpUtf8 must be true or false", { capabilities: { smtpUtf8: "yes" } }],
    ["keep must be a whole number from 0, or Infinity", { keep: -1 }],
    ["onCaptured must be a function", { onCaptured: {} }]
  ])("does not open the mail, and says why: %s", async (message, options) => {
    const failure = await openQuiet({ transport: stub(options as never) }).catch((cause: unknown) => cause)
    expect(failure).toBeInstanceOf(TypeError)
    expect(String(failure)).toContain(message)
  })

  it("opens the mail with every option in its form", async () => {
    const captured = vi.fn()
    const transport = stub({
      script: [{ recipient: /^ada@/, acts: [{ act: "defer" }, { act: "deliver" }] }],
      capabilities: { confirmsDelivery: true, maxMessageBytes: null, smtpUtf8: undefined as never },
      keep: Number.POSITIVE_INFINITY,
      keepBytes: 0,
      crash: () => {},
      onCaptured: captured
    })
    const mail = await openQuiet({ transport })
    await mail.send({ ...welcome, to: "bob@example.org" })
    await mail.tick()
    expect(captured).toHaveBeenCalledTimes(1)
  })
})

describe("attachmentFolder", () => {
  it("lets a send attach files of the folder, and no others", async () => {
    const file = temporaryFile("invoice.txt")
    writeFileSync(file, "100")
    const transport = stub()
    const mail = await openQuiet({ transport, attachmentFolder: dirname(file) })
    await mail.send({ ...welcome, attachments: [{ path: "invoice.txt" }] })
    await mail.tick()
    expect(transport.captured()[0]!.message.attachments).toMatchObject([{ filename: "invoice.txt", size: 3 }])
    expect(await rejection(mail.send({ ...welcome, attachments: [{ path: "/etc/hostname" }] }))).toMatchObject({
      issues: [{ path: ["attachments", 0, "path"] }]
    })
  })

  it("refuses every path without the option", async () => {
    const file = temporaryFile("invoice.txt")
    writeFileSync(file, "100")
    const mail = await openQuiet()
    expect(await rejection(mail.send({ ...welcome, attachments: [{ path: file }] }))).toMatchObject({
      issues: [
        {
          path: ["attachments", 0, "path"],
          code: "not_allowed_here",
          message: expect.stringContaining("the option attachmentFolder of openMail")
        }
      ]
    })
  })
})

describe("adapters", () => {
  const resolver = resolverFromPromises({
    texts: async () => Promise.reject(new DnsFailure({ definite: true, code: "nxdomain" })),
    exchanges: async () => [{ exchange: "mail.acme.example", priority: 10 }]
  })

  /** A mail with the adapters, and its answer to a send over HTTP that a rate limit counts. */
  const sendOverHttp = async (adapters: MailOptions["adapters"]) => {
    const mail = await openQuiet({
      adapters,
      plan: { rateLimit: { requests: 5, windowMillis: 1000 } },
      onLog: () => {}
    })
    const { handler, dispose } = MailServer.fetchHandler(mail)
    onTestFinished(dispose)
    const { secret } = await mail.apiKeys.create({ permissions: ["email.send"] })
    const response = await handler(
      new Request("https://acme.example/api/v1/emails/send", {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json", "idempotency-key": "a" },
        body: JSON.stringify(welcome)
      })
    )
    return { mail, response }
  }

  it("uses each adapter of a list", async () => {
    const asked: Array<string> = []
    const limiter = limiterFromPromises({
      take: async ([{ scope, limit, id }]) => {
        asked.push(id)
        return { allowed: false, scope, limit, remaining: 0, resetSeconds: 60, retryAfterSeconds: 30 }
      },
      takeMore: () => Promise.reject(new Error("unused"))
    })
    const { mail, response } = await sendOverHttp([resolver, limiter])
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "30"])
    expect(asked).toHaveLength(1)
    const { id } = await mail.domains.create({ domain: "shop.example" })
    const { status, records } = await mail.domains.verify(id)
    expect(status).toBe("failed")
    expect(records.map(({ errorCode }) => errorCode)).toContain("nxdomain")
  })

  it.each([
    ["503 when the rate limiter cannot decide", 503, new StoreUnavailable({ reason: "unreachable" })],
    ["500 when the rate limiter rejects for another reason", 500, new Error("ECONNRESET")]
  ])("answers %s", async (_, status, rejection) => {
    const reject = () => Promise.reject(rejection)
    const { response } = await sendOverHttp(limiterFromPromises({ take: reject, takeMore: reject }))
    expect(response.status).toBe(status)
  })

  it("uses one adapter without a list", async () => {
    const mail = await openQuiet({ adapters: resolver })
    const { id } = await mail.domains.create({ domain: "shop.example" })
    expect((await mail.domains.verify(id)).status).toBe("failed")
  })
})

describe("runtime", () => {
  it("lets the HTTP interface use the same core", async () => {
    const mail = await openQuiet()
    const { secret } = await mail.apiKeys.create({ permissions: ["email.send"] })
    const { handler, dispose } = MailServer.fetchHandler(mail, { basePath: "/mail", docs: false })
    onTestFinished(dispose)
    const response = await handler(
      new Request("http://localhost/mail/api/v1/emails/send", {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json", "idempotency-key": "1" },
        body: JSON.stringify({ ...welcome, from: "hi@acme.example" })
      })
    )
    expect(response.status).toBe(202)
    expect((await mail.deliveries.list()).items.length).toBe(1)
  })
})
