/**
 * The clock of a test mail, the outcomes that a test asks for, and the events that follow.
 */
import { describe, expect, it } from "vitest"
import type { TestMail } from "../src/index.ts"
import { openTest, statusOf, welcome } from "./openTest.ts"

const start = Date.UTC(2026, 0, 1)
const hour = 3_600_000

const at = (mail: TestMail, millis: number) => new Date(mail.now().getTime() + millis)

describe("advance", () => {
  it("sends scheduled mail at its time", async () => {
    const mail = openTest({ now: start })
    await mail.send({ ...welcome, scheduledAt: at(mail, hour) })
    await mail.advance("59 minutes")
    expect(mail.captured()).toStrictEqual([])
    await mail.advance("1 minute")
    expect(mail.last().sentAt.getTime()).toBe(start + hour)
  })

  it("does what becomes due in order, each at its own time", async () => {
    const mail = openTest({ now: start })
    for (const hours of [3, 1, 2])
      await mail.send({ ...welcome, subject: `${hours}`, scheduledAt: at(mail, hours * hour) })
    await mail.advance({ days: 1 })
    expect(mail.captured().map(({ subject, sentAt }) => [subject, sentAt.getTime() - start])).toStrictEqual([
      ["1", hour],
      ["2", 2 * hour],
      ["3", 3 * hour]
    ])
    expect(mail.now().getTime()).toBe(start + 24 * hour)
  })

  it.each([
    ["90 seconds", 90_000],
    ["1 day", 24 * hour],
    ["1.5 hours", 1.5 * hour],
    [250, 250],
    [{ weeks: 1, hours: 2 }, 170 * hour],
    [0, 0]
  ] as const)("takes %j as a length of time", async (duration, millis) => {
    const mail = openTest({ now: start })
    await mail.advance(duration)
    expect(mail.now().getTime()).toBe(start + millis)
  })

  it.each(["1 year", "soon", -1, Number.NaN, {}, null, { hours: -1 }])(
    "refuses %j as a length of time",
    async (duration) => {
      await expect(openTest().advance(duration as number)).rejects.toThrow(RangeError)
    }
  )

  it("stays fast over 30 days with mail that is deferred to its end", async () => {
    const mail = openTest({ now: start })
    mail.script("ada@example.org", ["deferred"])
    const { deliveryIds } = await mail.send(welcome)
    await mail.advance("30 days")
    expect(await statusOf(mail, deliveryIds[0]!)).toBe("bounced")
    expect(mail.captured()).toStrictEqual([])
  })
})

describe("setNow", () => {
  it("moves forward as advance does", async () => {
    const mail = openTest({ now: start })
    await mail.send({ ...welcome, scheduledAt: new Date(start + hour) })
    await mail.setNow("2026-01-01T02:00:00Z")
    expect([mail.captured().length, mail.now().toISOString()]).toStrictEqual([1, "2026-01-01T02:00:00.000Z"])
  })

  it("sets the clock back, and mail still leaves", async () => {
    const mail = openTest({ now: start })
    await mail.send(welcome)
    await mail.setNow(start - hour)
    await mail.send(welcome)
    expect(mail.now().getTime()).toBe(start - hour)
    expect(mail.captured()).toHaveLength(2)
  })

  it("refuses a text that is no time", async () => {
    await expect(openTest().setNow("tomorrow")).rejects.toThrow(RangeError)
  })
})

describe("script", () => {
  it("takes an address whose domain is in either form", async () => {
    const mail = openTest()
    mail.script("ada@bücher.example", ["refused"])
    const { deliveryIds } = await mail.send({ ...welcome, to: "ada@bücher.example" })
    expect(await statusOf(mail, deliveryIds[0]!)).toBe("bounced")
  })

  it("gives the outcomes in turn, and repeats the last one", async () => {
    const mail = openTest({ now: start })
    mail.script("ada@example.org", ["deferred", "accepted"])
    const { deliveryIds } = await mail.send(welcome)
    expect([await statusOf(mail, deliveryIds[0]!), mail.captured().length]).toStrictEqual(["queued", 0])
    await mail.advance("2 minutes")
    expect(await statusOf(mail, deliveryIds[0]!)).toBe("accepted")
    expect(mail.last().attempt).toBe(2)
    await mail.send(welcome)
    expect(await statusOf(mail, mail.last().deliveryId)).toBe("accepted")
  })

  it("refuses mail for good with the given codes; by default as for an unknown mailbox, which is suppressed", async () => {
    const mail = openTest()
    mail.script("ada@example.org", ["refused"])
    mail.script(/^strict@/, [{ outcome: "refused", enhancedCode: "5.7.1", smtpCode: 554, text: "Blocked" }])
    await mail.send({ ...welcome, to: ["ada@example.org", "strict@example.org"] })
    const { items } = await mail.deliveries.list()
    expect(items.map(({ status }) => status)).toStrictEqual(["failed", "bounced"])
    expect((await mail.suppressions.list()).items.map(({ email }) => email)).toContain("ada@example.org")
    const strict = items.find(({ recipient }) => recipient === "strict@example.org")!
    expect((await mail.deliveries.get(strict.id)).attempts[0]).toMatchObject({ smtpCode: 554, enhancedCode: "5.7.1" })
  })

  it("ends a hand-off that hangs when its deadline has passed, and hands other mail over meanwhile", async () => {
    const mail = openTest({ now: start })
    mail.script("ada@example.org", ["hang", "delivered"])
    const { deliveryIds } = await mail.send(welcome)
    expect(await statusOf(mail, deliveryIds[0]!)).toBe("sending")
    await mail.send({ ...welcome, to: "bob@example.org" })
    expect(mail.captured().map(({ to }) => to)).toStrictEqual(["bob@example.org"])
    await mail.advance("1 hour")
    expect(await statusOf(mail, deliveryIds[0]!)).toBe("delivered")
  })

  it("hands over the rest of a batch in which many hand-offs hang", async () => {
    const mail = openTest()
    mail.script(/^stuck/, ["hang"])
    const messages = Array.from({ length: 60 }, (_, n) => ({
      ...welcome,
      to: n % 3 === 0 ? `stuck${n}@example.org` : `u${n}@example.org`
    }))
    await mail.sendBatch({ messages })
    expect(mail.captured()).toHaveLength(40)
  })

  it("hands over other mail however many hand-offs hang", async () => {
    const mail = openTest()
    mail.script(/^stuck/, ["hang"])
    const messages = Array.from({ length: 100 }, (_, n) => ({ ...welcome, to: `stuck${n}@example.org` }))
    await mail.sendBatch({ messages })
    await mail.send(welcome)
    expect(mail.captured()).toHaveLength(1)
  })

  it("repeats a hand-off without an answer after 10 minutes, with the same Message-ID", async () => {
    const mail = openTest({ now: start })
    mail.script("ada@example.org", ["ambiguous", "delivered"])
    await mail.send(welcome)
    await mail.advance("1 hour")
    const [first, second] = mail.captured()
    expect([first?.attempt, second?.attempt]).toStrictEqual([1, 2])
    expect(second?.headers["message-id"]).toBe(first?.headers["message-id"])
    expect(second!.sentAt.getTime() - first!.sentAt.getTime()).toBeGreaterThanOrEqual(600_000)
  })

  it("tries again after a lost connection", async () => {
    const mail = openTest()
    mail.script("ada@example.org", ["disconnected", "delivered"])
    await mail.send(welcome)
    expect(mail.captured()).toStrictEqual([])
    await mail.advance("1 hour")
    expect(mail.captured()).toHaveLength(1)
  })

  it("applies the later script of the same address", async () => {
    const mail = openTest()
    mail.script("ada@example.org", ["refused"])
    mail.script("ADA@EXAMPLE.ORG", ["accepted"])
    const { deliveryIds } = await mail.send(welcome)
    expect(await statusOf(mail, deliveryIds[0]!)).toBe("accepted")
  })

  it("refuses an unknown outcome and an empty script", () => {
    const mail = openTest()
    expect(() => mail.script("a@b.example", ["bounced" as "refused"])).toThrow(/There is no outcome "bounced"/)
    expect(() => mail.script("a@b.example", [] as never)).toThrow(/at least one outcome/)
  })
})

describe("reports", () => {
  it("bounces the last mail of an address, and runs the handler before it resolves", async () => {
    const mail = openTest()
    const seen: Array<unknown> = []
    await mail.on("bounces", ["email.bounced"], ({ data }) => seen.push(data.recipient))
    await mail.send(welcome)
    await mail.bounce("ada@example.org")
    expect(seen).toStrictEqual(["ada@example.org"])
    expect((await mail.plan(welcome)).recipients).toMatchObject([
      { recipient: "ada@example.org", outcome: "suppressed" }
    ])
  })

  it("takes the id of a delivery and the details of a bounce", async () => {
    const mail = openTest()
    const { deliveryIds } = await mail.send(welcome)
    await mail.bounce(deliveryIds[0]!, { smtpCode: 550, enhancedCode: "5.7.1", text: "Blocked" })
    expect(await statusOf(mail, deliveryIds[0]!)).toBe("bounced")
    expect((await mail.suppressions.list()).items).toStrictEqual([])
  })

  it("records a complaint, and a delivery of a mail that a relay accepted", async () => {
    const mail = openTest()
    mail.script(/./, ["accepted"])
    const { deliveryIds } = await mail.send(welcome)
    await mail.delivered("ada@example.org")
    expect(await statusOf(mail, deliveryIds[0]!)).toBe("delivered")
    await mail.complain("ada@example.org")
    expect(await statusOf(mail, deliveryIds[0]!)).toBe("complained")
  })

  it("finds a delivery of another project", async () => {
    const mail = openTest()
    const tenant = mail.project("prj_b", { from: "b@two.example" })
    const { deliveryIds } = await tenant.send(welcome)
    await mail.bounce("ada@example.org")
    expect((await tenant.deliveries.get(deliveryIds[0]!)).status).toBe("bounced")
  })

  it("rejects for an address without mail and an unknown delivery", async () => {
    const mail = openTest()
    await expect(mail.bounce("ada@example.org")).rejects.toThrow(/No mail matches/)
    await expect(mail.complain("dlv_unknown")).rejects.toMatchObject({ kind: "not_found" })
  })
})

describe("on", () => {
  it("hands over the mail that a handler sends", async () => {
    const mail = openTest()
    await mail.on("alert", ["email.bounced"], async ({ data }) => {
      await mail.send({ to: "ops@acme.example", subject: `Bounce of ${data.recipient}`, text: "See the log." })
      expect(mail.last("ops@acme.example").subject).toBe("Bounce of ada@example.org")
    })
    mail.script("ada@example.org", ["refused"])
    await mail.send(welcome)
    expect(mail.captured().map(({ to }) => to)).toStrictEqual(["ops@acme.example"])
  })

  it("repeats an event at the time of the retry when a handler fails", async () => {
    const mail = openTest({ now: start })
    const seen: Array<number> = []
    await mail.on("flaky", ["email.delivered"], () => {
      seen.push(mail.now().getTime() - start)
      if (seen.length === 1) throw new Error("not now")
    })
    await mail.send(welcome)
    expect(seen).toStrictEqual([0])
    await mail.advance("1 minute")
    expect(seen).toHaveLength(2)
    expect(seen[1]).toBeGreaterThanOrEqual(800)
  })

  it("refuses a handler that moves the clock", async () => {
    const mail = openTest()
    let refusal: unknown
    await mail.on("impatient", ["email.delivered"], () =>
      mail.advance("1 day").catch((cause: unknown) => {
        refusal = cause
      })
    )
    await mail.send(welcome)
    expect(refusal).toMatchObject({ message: expect.stringContaining("move it in the test") as string })
  })
})

describe("webhookPosts", () => {
  it("has the signed requests of a webhook, and nothing is sent", async () => {
    const mail = openTest()
    await mail.webhooks.create({ url: "https://hooks.acme.example/mail", events: ["email.delivered"] })
    await mail.send(welcome)
    const [post] = mail.webhookPosts()
    expect(post).toMatchObject({ url: "https://hooks.acme.example/mail" })
    expect(post?.headers["webhook-signature"]).toMatch(/^v1,/)
    expect(JSON.parse(post!.body)).toMatchObject({ type: "email.delivered", data: { recipient: "ada@example.org" } })
  })
})

describe("the log", () => {
  it("has no warning after a send, a wait of a day and a close", async () => {
    const entries: Array<string> = []
    const mail = openTest({ onLog: ({ message }) => entries.push(message) })
    await mail.send(welcome)
    await mail.advance("1 day")
    await mail.close()
    expect(entries).toStrictEqual([])
  })
})
