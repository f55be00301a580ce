/**
 * What a test mail captures, and when mail is handed over.
 */
import { InvalidArgument, SenderDomainNotVerified } from "mailkeep"
import { describe, expect, it, vi } from "vitest"
import { testMail } from "../src/index.ts"
import { openTest, statusOf, welcome } from "./openTest.ts"

describe("testMail", () => {
  it.each(["store", "transport", "background", "adapters"])("refuses the option %s, which it would not use", (name) => {
    expect(() => testMail({ [name]: true })).toThrow(`testMail has no option "${name}"`)
  })

  it.each([null, "hi@acme.example"])("refuses %j instead of options", (options) => {
    expect(() => testMail(options as never)).toThrow(TypeError)
  })
})

describe("on", () => {
  it("refuses a handler that is no function, as in production", async () => {
    await expect(openTest().on("log", ["email.delivered"], undefined as never)).rejects.toThrow(InvalidArgument)
  })
})

describe("send", () => {
  it("hands the mail over before it resolves", async () => {
    const mail = openTest()
    await mail.send(welcome)
    expect(mail.last("ada@example.org")).toMatchObject({
      to: "ada@example.org",
      from: "Acme <hi@acme.example>",
      subject: "Welcome",
      text: "Hello.",
      html: null,
      attempt: 1
    })
  })

  it("accepts every sender domain by default, also of another project", async () => {
    const mail = openTest()
    await mail.send({ ...welcome, from: "a@one.example" })
    await mail.project("prj_b", { from: "b@two.example" }).send(welcome)
    expect(mail.captured().map(({ from }) => from)).toStrictEqual(["a@one.example", "b@two.example"])
  })

  it("refuses an unknown sender domain when domains are given", async () => {
    const mail = openTest({ domains: ["acme.example"] })
    await expect(mail.send({ ...welcome, from: "a@other.example" })).rejects.toThrow(SenderDomainNotVerified)
    await mail.send(welcome)
    expect(mail.captured()).toHaveLength(1)
  })

  it("refuses a domain that the test has created without verification", async () => {
    const mail = openTest({ mailHost: "mail.acme.example" })
    await mail.domains.create({ domain: "customer.example" })
    await expect(mail.send({ ...welcome, from: "a@customer.example" })).rejects.toThrow(SenderDomainNotVerified)
  })

  it("hands over a batch of 100 messages from several domains", async () => {
    const mail = openTest()
    const messages = Array.from({ length: 100 }, (_, n) => ({
      ...welcome,
      from: `a@d${n % 3}.example`,
      to: `u${n}@example.org`
    }))
    const results = await mail.sendBatch({ messages })
    expect(results.every(({ status }) => status === "fulfilled")).toBe(true)
    expect(new Set(mail.captured().map(({ to }) => to)).size).toBe(100)
  })

  it("accepts every sender domain in a batch in which another message has a wrong form", async () => {
    const mail = openTest()
    const results = await mail.sendBatch({ messages: [welcome, { ...welcome, to: "nobody" }] })
    expect(results.map(({ status }) => status)).toStrictEqual(["fulfilled", "rejected"])
    expect(mail.last().to).toBe("ada@example.org")
  })

  it("hands over all mail of sends at the same time", async () => {
    const mail = openTest()
    const addresses = Array.from({ length: 50 }, (_, n) => `u${n}@example.org`)
    await Promise.all(
      addresses.map(async (to) => {
        await mail.send({ ...welcome, to })
        expect(mail.last(to).subject).toBe("Welcome")
      })
    )
    expect(mail.captured()).toHaveLength(50)
  })

  it("plans a send from any domain", async () => {
    expect(await openTest().plan({ ...welcome, from: "a@new.example" })).toMatchObject({ outcome: "accepted" })
  })
})

describe("last and captured", () => {
  it("finds the newest mail by address in any case, by pattern and by fields", async () => {
    const mail = openTest()
    await mail.send(welcome)
    await mail.send({ ...welcome, subject: "Again" })
    expect(mail.last("ADA@example.org").subject).toBe("Again")
    expect(mail.last(/@example\.org$/).subject).toBe("Again")
    expect(mail.last({ subject: "Welcome" }).subject).toBe("Welcome")
    expect(mail.last().subject).toBe("Again")
    expect(mail.captured({ subject: /^W/g })).toHaveLength(1)
    expect(mail.captured("bob@example.org")).toStrictEqual([])
  })

  it("finds the mail of an address whose domain is in either form", async () => {
    const mail = openTest()
    await mail.send({ ...welcome, from: "hi@müller.example", to: "Ada@bücher.example" })
    for (const to of ["ada@bücher.example", "ada@xn--bcher-kva.example"]) expect(mail.captured(to)).toHaveLength(1)
    expect(mail.captured({ from: "HI@müller.example" })).toHaveLength(1)
  })

  it("lists the mails that were sent when none matches", async () => {
    const mail = openTest()
    expect(() => mail.last("bob@example.org")).toThrow(
      'No mail matches { to: "bob@example.org" }. No mail was handed over.'
    )
    await mail.send(welcome)
    expect(() => mail.last({ to: "bob@example.org", text: "x".repeat(1000) })).toThrow(
      /to ada@example\.org, subject "Welcome"\n {5}text: "Hello\."/
    )
  })

  it("has the files, the header fields and the MIME source", async () => {
    const mail = openTest({ now: "2026-01-02T03:04:05Z" })
    await mail.send({
      ...welcome,
      text: "Grüße",
      replyTo: "help@acme.example",
      headers: { "X-Campaign": "spring" },
      attachments: [{ filename: "a.txt", content: Buffer.from("file"), contentType: "text/plain" }]
    })
    const { attachments, headers, source, sentAt } = mail.last()
    expect(attachments).toMatchObject([{ filename: "a.txt", contentType: "text/plain", size: 4 }])
    expect(new TextDecoder().decode(attachments[0]?.content)).toBe("file")
    expect(headers).toMatchObject({
      "x-campaign": "spring",
      "reply-to": "help@acme.example",
      subject: "Welcome",
      date: "Fri, 02 Jan 2026 03:04:05 +0000"
    })
    expect(sentAt.toISOString()).toBe("2026-01-02T03:04:05.000Z")
    const mime = await source()
    expect(mime).toContain("X-Campaign: spring\r\n")
    expect(mime).toContain("filename=a.txt")
    expect(mime).toContain(Buffer.from("file").toString("base64"))
  })
})

describe("waitFor", () => {
  it("resolves with a mail that the product sends later in the background", async () => {
    const mail = openTest()
    const sending = new Promise<void>((resolve) => {
      setImmediate(() => void mail.send(welcome).then(() => resolve()))
    })
    expect((await mail.waitFor("ada@example.org")).subject).toBe("Welcome")
    await sending
  })

  it("waits for as many mails as the test asks for", async () => {
    const mail = openTest()
    await mail.send(welcome)
    const second = mail.waitFor("ada@example.org", { count: 2 })
    await mail.send({ ...welcome, subject: "Second" })
    expect((await second).subject).toBe("Second")
  })

  it("rejects with the mails that were sent instead when the time is over", async () => {
    const mail = openTest()
    await mail.send(welcome)
    await expect(mail.waitFor("bob@example.org", { timeout: 20 })).rejects.toThrow(
      /No mail matches \{ to: "bob@example\.org" \}[^]*to ada@example\.org/
    )
  })

  it("rejects with the reason of an aborted signal", async () => {
    const reason = new Error("stop")
    await expect(openTest().waitFor("ada@example.org", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })

  it("ends while all timers are faked", async () => {
    vi.useFakeTimers()
    try {
      const mail = openTest()
      await mail.send(welcome)
      expect((await mail.waitFor("ada@example.org")).to).toBe("ada@example.org")
      await expect(mail.waitFor("bob@example.org", { timeout: 20 })).rejects.toThrow(/No mail/)
      await mail.advance("1 day")
    } finally {
      vi.useRealTimers()
    }
  })
})

describe("reset", () => {
  it("empties the store, the script and the captured mail, and sets the clock to its beginning", async () => {
    const mail = openTest({ now: 0 })
    mail.script("ada@example.org", ["refused"])
    await mail.send({ ...welcome, idempotencyKey: "k" })
    await mail.advance("1 hour")
    expect(await mail.suppressions.list()).toMatchObject({ items: [{ email: "ada@example.org" }] })
    await mail.reset()
    expect([mail.now().getTime(), mail.captured().length]).toStrictEqual([0, 0])
    expect((await mail.suppressions.list()).items).toStrictEqual([])
    await mail.send({ ...welcome, idempotencyKey: "k" })
    expect(await statusOf(mail, mail.last().deliveryId)).toBe("delivered")
  })

  it("keeps the handlers of events", async () => {
    const mail = openTest()
    const seen: Array<string> = []
    await mail.on("log", ["email.delivered"], ({ data }) => seen.push(data.recipient))
    await mail.reset()
    await mail.send(welcome)
    expect(seen).toStrictEqual(["ada@example.org"])
  })

  it("keeps no handler that was deleted", async () => {
    const mail = openTest()
    const seen: Array<string> = []
    await mail.on("log", ["email.delivered"], ({ data }) => seen.push(data.recipient))
    await mail.off("log")
    await mail.send(welcome)
    await mail.reset()
    await mail.send(welcome)
    expect(seen).toStrictEqual([])
  })

  it("resolves after a handler was refused, and keeps the handler before", async () => {
    const mail = openTest()
    let events = 0
    await mail.on("log", ["email.delivered"], () => void events++)
    await expect(mail.on("log", ["email.lost" as "email.failed"], () => {})).rejects.toThrow(InvalidArgument)
    await expect(mail.on("other", ["email.lost" as "email.failed"], () => {})).rejects.toThrow(InvalidArgument)
    await mail.reset()
    await mail.send(welcome)
    expect(events).toBe(1)
  })

  it("ends a hand-off that hangs", async () => {
    const mail = openTest()
    mail.script(/./, ["hang"])
    await mail.send(welcome)
    await mail.reset()
    expect((await mail.deliveries.list()).items).toStrictEqual([])
  })
})

describe("a mail that came another way", () => {
  it("is handed over by settle when it was sent through the runtime", async () => {
    const { Sending } = await import("@mailkeep/core")
    const mail = openTest({ domains: ["acme.example"] })
    await mail.open()
    await mail.runtime.runPromise(
      Sending.use((sending) => sending.send("default", { ...welcome, from: "hi@acme.example" }))
    )
    expect(mail.captured()).toStrictEqual([])
    await mail.settle()
    expect(mail.last().to).toBe("ada@example.org")
  })
})
