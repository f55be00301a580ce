/**
 * The bounce listener over real sockets: with the service `Feedback` behind it, and with a program's own code.
 */
import { clearInterval, setInterval } from "node:timers"
import { Feedback, StoreUnavailable } from "@mailkeep/core"
import { StubTransport } from "@mailkeep/smtp"
import { detail, openTestMail, sendOne, stores, tick } from "@mailkeep/test-support"
import { Effect, Layer, Logger, ManagedRuntime } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import type { BounceListenerOptions, ReturnedMail, ReturnedMessage } from "../../src/index.ts"
import { BounceListener } from "../../src/index.ts"
import type { SmtpClient } from "../smtpClient.ts"
import { smtpClient } from "../smtpClient.ts"

const opened: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

const report = (action: string, status: string): string =>
  [
    "From: MAILER-DAEMON@relay.example",
    "Subject: Undelivered",
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    "",
    "--b",
    "",
    "Your message could not be delivered.",
    "--b",
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; relay.example",
    "",
    "Final-Recipient: rfc822; ada@example.org",
    `Action: ${action}`,
    `Status: ${status}`,
    "Diagnostic-Code: smtp; 550 5.1.1 No such user",
    "--b--",
    ""
  ].join("\r\n")

const complaint = [
  "Subject: complaint",
  'Content-Type: multipart/report; report-type=feedback-report; boundary="b"',
  "",
  "--b",
  "",
  "A complaint",
  "--b",
  "Content-Type: message/feedback-report",
  "",
  "Feedback-Type: abuse",
  "Version: 1",
  "User-Agent: test/1",
  "--b--",
  ""
].join("\r\n")

/** Sends a message to the recipients, and returns the replies to the message. */
const deliver = async (client: SmtpClient, message: string, ...recipients: ReadonlyArray<string>) => {
  await client.command("MAIL FROM:<>")
  const replies: Array<string> = []
  for (const recipient of recipients) replies.push(await client.command(`RCPT TO:<${recipient}>`))
  if (!replies.some((reply) => reply.startsWith("250"))) return replies
  await client.command("DATA")
  return [await client.command(`${message}.`)]
}

/** A core whose only delivery was accepted by the relay, its return path, and a listener for its bounces. */
const withDelivery = async (options: Partial<BounceListenerOptions> = {}) => {
  const mail = await openTestMail(stores[0], { handOff: { bounceDomain: "bounces.example" } })
  opened.push(() => mail.dispose())
  const services = Layer.succeedContext(await mail.context())
  const server = ManagedRuntime.make(
    BounceListener.layer({ port: 0, hostName: "mx.test", ...options }).pipe(Layer.provide(services))
  )
  opened.push(() => server.dispose())
  const listener = await server.runPromise(BounceListener)
  const id = await mail.runPromise(sendOne)
  await mail.runPromise(tick)
  const [captured] = await mail.runPromise(Effect.map(StubTransport.StubTransport, (stub) => stub.captured()))
  const client = await smtpClient(listener.port)
  await client.command(options.protocol === "lmtp" ? "LHLO relay.example" : "EHLO relay.example")
  return {
    client,
    listener,
    returnPath: captured!.envelope.from,
    found: () => mail.runPromise(detail(id)),
    isReturnPath: (address: string) =>
      mail.runPromise(Effect.flatMap(Feedback, (feedback) => feedback.isReturnPath(address)))
  }
}

describe("BounceListener.layer", () => {
  it("records a bounce to the return path of a delivery, also in capital letters", async () => {
    const { client, listener, returnPath, found } = await withDelivery()
    expect(await deliver(client, report("failed", "5.1.1"), returnPath.toUpperCase())).toEqual(["250 2.0.0 Ok"])
    expect(await found()).toMatchObject({ status: "bounced", bounceType: "hard" })
    expect(await deliver(client, report("failed", "5.1.1"), returnPath)).toEqual(["250 2.0.0 Ok"])
    expect(listener.counts()).toEqual({ recorded: 2, unmatched: 0, no_report: 0, unknown_recipient: 0 })
  })

  it("records a complaint to the return path of a delivery", async () => {
    const { client, returnPath, found } = await withDelivery()
    expect(await deliver(client, complaint, returnPath)).toEqual(["250 2.0.0 Ok"])
    expect(await found()).toMatchObject({ status: "complained" })
  })

  it("records a bounce that returns a message of 20 MiB, and keeps 10 MiB of it in memory", async () => {
    const { client, listener, returnPath, found } = await withDelivery()
    expect(await client.command("EHLO relay.example")).toContain("SIZE 67108864")
    const bounce = report("failed", "5.1.1").replace("--b--", "--b\r\nContent-Type: message/rfc822\r\n\r\nSubject: x")
    const returned = `${"x".repeat(76)}\r\n`.repeat(270_000)
    expect(await client.command(`MAIL FROM:<> SIZE=${bounce.length + returned.length}`)).toMatch(/^250 /)
    await client.command(`RCPT TO:<${returnPath}>`)
    await client.command("DATA")
    client.send(`${bounce}\r\n${returned}`)
    const reply = client.command("--b--\r\n.")
    let bytesMax = 0
    const timer = setInterval(() => (bytesMax = Math.max(bytesMax, listener.messageBytes())), 1)
    expect(await reply).toBe("250 2.0.0 Ok")
    clearInterval(timer)
    expect(bytesMax).toBeGreaterThan(0)
    expect(bytesMax).toBeLessThanOrEqual(10 * 1024 * 1024)
    expect(await found()).toMatchObject({ status: "bounced", bounceType: "hard" })
  })

  it("changes nothing for a delay, an automatic reply and another message, and counts them", async () => {
    const { client, listener, returnPath, found } = await withDelivery()
    const { status } = await found()
    await deliver(client, report("delayed", "4.2.1"), returnPath)
    await deliver(client, "Subject: Out of office\r\nAuto-Submitted: auto-replied\r\n\r\nHi\r\n", returnPath)
    await deliver(client, "Hi\r\n", returnPath)
    expect(await found()).toMatchObject({ status })
    expect(listener.counts()).toMatchObject({ recorded: 0, no_report: 3 })
  })

  it.each([
    ["an address that is no return path", () => "ada@example.org"],
    ["a forged return path", (path: string) => path.replace(/\.(.)/, (_, first) => (first === "0" ? ".1" : ".0"))],
    ["a shortened return path", (path: string) => path.replace(/.@/, "@")]
  ])("refuses %s before it reads the message, and counts it", async (_, change) => {
    const { client, listener, returnPath, found, isReturnPath } = await withDelivery()
    expect(await isReturnPath(returnPath)).toBe(true)
    const { status } = await found()
    expect(await deliver(client, report("failed", "5.1.1"), change(returnPath))).toEqual([
      "550 5.1.1 No such address here"
    ])
    expect(await client.command("DATA")).toBe("554 5.5.1 No valid recipients")
    expect(await found()).toMatchObject({ status })
    expect(listener.counts()).toMatchObject({ recorded: 0, unknown_recipient: 1 })
  })

  it("takes bounces over LMTP", async () => {
    const { client, returnPath, found } = await withDelivery({ protocol: "lmtp" })
    expect(await deliver(client, report("failed", "5.1.1"), returnPath)).toEqual(["250 2.0.0 Ok"])
    expect(await found()).toMatchObject({ status: "bounced" })
  })
})

/** A listener whose mail is given to the test. Addresses at `known.example` are return paths. */
const withMail = async (
  options: Partial<BounceListenerOptions>,
  receive: ReturnedMail["receive"],
  logger: Layer.Layer<never> = Layer.empty
) => {
  const isReturnPath = (address: string) => Effect.succeed(address.endsWith("@known.example"))
  const server = ManagedRuntime.make(
    BounceListener.layerWith({ port: 0, ...options }, { isReturnPath, receive }).pipe(Layer.provideMerge(logger))
  )
  opened.push(() => server.dispose())
  const listener = await server.runPromise(BounceListener)
  const client = await smtpClient(listener.port)
  await client.command(options.protocol === "lmtp" ? "LHLO relay.example" : "EHLO relay.example")
  return { client, listener }
}

const unavailable = new StoreUnavailable({ reason: "locked" })

describe("BounceListener.layerWith", () => {
  it("gives the message to its handler once for each known recipient, with its envelope and its bytes", async () => {
    const received: Array<ReturnedMessage> = []
    const { client, listener } = await withMail({}, (message) =>
      Effect.sync(() => {
        received.push(message)
        return "unmatched"
      })
    )
    expect(await deliver(client, "Hi\r\n", "a@known.example", "x@other.example", "b@known.example")).toEqual([
      "250 2.0.0 Ok"
    ])
    expect(
      received.map(({ envelopeSender, envelopeRecipient, raw }) => ({
        envelopeSender,
        envelopeRecipient,
        text: Buffer.from(raw).toString()
      }))
    ).toEqual([
      { envelopeSender: "", envelopeRecipient: "a@known.example", text: "Hi\r\n" },
      { envelopeSender: "", envelopeRecipient: "b@known.example", text: "Hi\r\n" }
    ])
    expect(listener.counts()).toEqual({ recorded: 0, unmatched: 2, no_report: 0, unknown_recipient: 1 })
  })

  it("reads a message once, and gives it once for each different recipient", async () => {
    const received: Array<ReturnedMessage> = []
    const { client, listener } = await withMail({ protocol: "lmtp" }, (message) =>
      Effect.sync(() => {
        received.push(message)
        return "recorded"
      })
    )
    const recipients = ["a@known.example", "A@known.example", "b@known.example", "a@known.example"]
    expect(await deliver(client, report("failed", "5.1.1"), ...recipients)).toEqual(["250 2.0.0 Ok"])
    for (const _ of recipients.slice(1)) expect(await client.reply()).toBe("250 2.0.0 Ok")
    expect(received.map(({ envelopeRecipient }) => envelopeRecipient)).toEqual(["a@known.example", "b@known.example"])
    const [first, second] = received.map(({ reports }) => reports())
    expect(first).toMatchObject({ kind: "delivery-status", reports: [{ recipient: "ada@example.org" }] })
    expect(second).toBe(first)
    expect(listener.counts().recorded).toBe(2)
  })

  it("lets other work of the process run between two recipients", async () => {
    let turns = 0
    const seen: Array<number> = []
    const { client } = await withMail({}, () => Effect.sync(() => (seen.push(turns), "recorded")))
    const count = () => {
      turns++
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    await deliver(client, "Hi\r\n", "a@known.example", "b@known.example", "c@known.example")
    clearImmediate(timer)
    expect(new Set(seen).size).toBe(3)
  })

  it("refuses temporarily for all recipients over SMTP, and for the failed ones over LMTP", async () => {
    const receive = ({ envelopeRecipient }: ReturnedMessage) =>
      envelopeRecipient.startsWith("b") ? Effect.fail(unavailable) : Effect.succeed("recorded" as const)
    const smtp = await withMail({}, receive)
    const notStored = "451 4.3.0 The report cannot be recorded now, try again later"
    expect(await deliver(smtp.client, "Hi\r\n", "a@known.example", "b@known.example")).toEqual([notStored])
    const lmtp = await withMail({ protocol: "lmtp" }, receive)
    expect(await deliver(lmtp.client, "Hi\r\n", "a@known.example", "b@known.example")).toEqual(["250 2.0.0 Ok"])
    expect(await lmtp.client.reply()).toBe(notStored)
  })

  it("answers with a temporary reply when the code of the program has a bug, and logs no content", async () => {
    const lines: Array<string> = []
    const logger = Logger.layer([Logger.make(({ message }) => void lines.push(JSON.stringify(message)))])
    const { client } = await withMail({}, () => Effect.die(new RangeError("secret")), logger)
    expect(await deliver(client, "secret\r\n", "a@known.example")).toEqual([
      "451 4.3.0 Something went wrong here, try again later"
    ])
    expect(await client.command("NOOP")).toBe("250 2.0.0 Ok")
    expect(lines.join("\n")).toContain("RangeError")
    expect(lines.join("\n")).not.toContain("secret")
  })

  it("offers no AUTH, and takes no API key", async () => {
    const { client } = await withMail({}, () => Effect.succeed("recorded"))
    expect(await client.command("EHLO c")).not.toContain("AUTH")
    expect(await client.command("AUTH PLAIN AGEAYg==")).toBe("502 5.5.1 Command not implemented")
  })

  it("takes 100 recipients in one transaction, and refuses the next one temporarily", async () => {
    const { client, listener } = await withMail({}, () => Effect.succeed("recorded"))
    await client.command("MAIL FROM:<>")
    for (let index = 0; index < 100; index++)
      expect(await client.command(`RCPT TO:<a${index}@known.example>`)).toBe("250 2.1.5 Ok")
    expect(await client.command("RCPT TO:<a@known.example>")).toMatch(/^452 4\.5\.3 /)
    await client.command("DATA")
    await client.command(".")
    expect(listener.counts().recorded).toBe(100)
  })
})
