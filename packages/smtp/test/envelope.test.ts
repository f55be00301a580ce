import { describe, expect, it } from "vitest"
import type { Bench } from "./handOffHarness.ts"
import { accepted, message, offers, withRelay } from "./handOffHarness.ts"
import type { Act, Step } from "./RelayDialogue.ts"

/** The commands of the first session, without QUIT. */
const commands = ({ relay }: Bench) => relay.sessions[0]!.commands

describe("the envelope", () => {
  it("sends the size, and asks for notifications, when the relay offers both", async () => {
    await withRelay({ keywords: offers }, {}, async (bench) => {
      expect(await bench.run()).toEqual(accepted)
      const size = bench.relay.taken[0]!.raw.length
      expect(commands(bench)).toEqual([
        "EHLO client.example",
        `MAIL FROM:<bounces@acme.example> SIZE=${size} RET=HDRS ENVID=del_1`,
        "RCPT TO:<ada@example.org> NOTIFY=FAILURE,DELAY ORCPT=rfc822;ada@example.org",
        "DATA"
      ])
    })
  })

  it("sends no parameter that the relay does not offer", async () => {
    await withRelay({}, {}, async (bench) => {
      expect(await bench.run()).toEqual(accepted)
      expect(commands(bench).slice(1, 3)).toEqual(["MAIL FROM:<bounces@acme.example>", "RCPT TO:<ada@example.org>"])
    })
  })

  it.each([
    "250 mx-dsn-size.example.net",
    "250-relay.example, not -PIPELINING -SIZE 10 -DSN -SMTPUTF8 -8BITMIME\n250 HELP",
    "250-relay.example\n250-X-PIPELINING\n250-X-SIZE 10\n250-X-DSN\n250 XLIST DSN SIZE"
  ])("sends no parameter when a keyword is only a part of the reply to EHLO: %j", async (reply) => {
    await withRelay({ act: (step) => (step === "ehlo" ? { reply } : undefined) }, {}, async (bench) => {
      expect(await bench.run()).toEqual(accepted)
      expect(commands(bench).slice(1, 3)).toEqual(["MAIL FROM:<bounces@acme.example>", "RCPT TO:<ada@example.org>"])
    })
  })

  it("waits for each reply when only the name of the relay has the word PIPELINING", async () => {
    const act = (step: Step): Act | undefined =>
      step === "ehlo" ? { reply: "250 mx-pipelining.example" } : step === "mail" ? { reply: "550 5.7.1 No" } : undefined
    await withRelay({ act }, {}, async (bench) => {
      await bench.run()
      expect(commands(bench).slice(1)).toEqual(["MAIL FROM:<bounces@acme.example>"])
    })
  })

  it("asks for no notification when the option is off, and encodes the address in ORCPT when it is on", async () => {
    await withRelay({ keywords: ["DSN"] }, { dsn: false }, async (bench) => {
      await bench.run()
      expect(commands(bench)[1]).toBe("MAIL FROM:<bounces@acme.example>")
    })
    await withRelay({ keywords: ["DSN"] }, {}, async (bench) => {
      await bench.run({ envelope: { from: "b@acme.example", to: "ada+x=1@example.org" } })
      expect(commands(bench)[2]).toBe(
        "RCPT TO:<ada+x=1@example.org> NOTIFY=FAILURE,DELAY ORCPT=rfc822;ada+2Bx+3D1@example.org"
      )
    })
  })

  it("writes a domain that is not ASCII as A-labels", async () => {
    await withRelay({}, {}, async (bench) => {
      expect(await bench.run({ envelope: { from: "b@bücher.example", to: "a@bücher.example" } })).toEqual(accepted)
      expect(commands(bench).slice(1, 3)).toEqual([
        "MAIL FROM:<b@xn--bcher-kva.example>",
        "RCPT TO:<a@xn--bcher-kva.example>"
      ])
    })
  })

  it("asks for SMTPUTF8 when an address of the envelope or of the header needs it", async () => {
    await withRelay({ keywords: offers }, { dsn: false }, async (bench) => {
      await bench.run({ envelope: { from: "b@acme.example", to: "jürgen@bücher.example" } })
      await bench.run({ message: message({ cc: ["jürgen@bücher.example"] }) })
      await bench.run()
      const mails = commands(bench).filter((line) => line.startsWith("MAIL"))
      expect(mails.map((line) => / SMTPUTF8(?: |$)/.test(line))).toEqual([true, true, false])
      expect(bench.relay.taken.map(({ recipient }) => Buffer.from(recipient, "latin1").toString())).toEqual([
        "jürgen@bücher.example",
        "ada@example.org",
        "ada@example.org"
      ])
    })
  })

  it("refuses an address that is not ASCII when the relay does not take it", async () => {
    await withRelay({}, { smtpUtf8: true }, async (bench) => {
      const { ended, finalized } = await bench.run({ envelope: { from: "b@acme.example", to: "jürgen@example.org" } })
      expect([ended, finalized]).toEqual([
        "Refused at mail: 550 5.6.7 The relay does not take an address that is not ASCII.",
        0
      ])
      expect(bench.transport.capabilities.smtpUtf8).toBe(true)
    })
  })

  it("uses what the relay offers when it does not begin TLS and encryption is optional", async () => {
    const act = (step: Step): Act | undefined =>
      step === "starttls" ? { reply: "454 4.7.0 TLS not available" } : undefined
    const options = { tls: "opportunistic", dsn: false } as const
    await withRelay({ act, keywords: ["STARTTLS", "SMTPUTF8", "8BITMIME"] }, options, async (bench) => {
      expect(await bench.run({ envelope: { from: "b@acme.example", to: "jürgen@example.org" } })).toEqual(accepted)
      expect(commands(bench)[2]).toBe("MAIL FROM:<b@acme.example> SMTPUTF8 BODY=8BITMIME")
    })
    await withRelay({ act, keywords: ["STARTTLS", "SIZE 100"] }, options, async ({ run }) => {
      expect((await run()).ended).toMatch(
        /^Refused at mail: 552 5\.3\.4 The message has \d+ bytes; the relay takes 100\.$/
      )
    })
  })

  it.each([
    "250 mx-starttls.example",
    "250-relay.example starttls\r\n250 DSN",
    "250-relay.example\r\n250 X-STARTTLS-LATER"
  ])("does not begin TLS when only the name or another keyword contains STARTTLS: %j", async (reply) => {
    const act = (step: Step): Act | undefined => (step === "ehlo" ? { pieces: [`${reply}\r\n`] } : undefined)
    await withRelay({ act }, { tls: "opportunistic", dsn: false }, async (bench) => {
      expect(await bench.run()).toEqual(accepted)
      expect(bench.relay.sessions[0]!.commands).not.toContain("STARTTLS")
    })
  })

  it("sends to a quoted local part with a space", async () => {
    const to = '"a b"@example.org'
    await withRelay({ keywords: ["DSN"] }, {}, async (bench) => {
      expect(await bench.run({ envelope: { from: "bounces@acme.example", to } })).toEqual(accepted)
      expect(commands(bench)[2]).toBe(`RCPT TO:<${to}> NOTIFY=FAILURE,DELAY ORCPT=rfc822;"a+20b"@example.org`)
    })
  })

  it.each([
    "a b@x.example",
    '"a" b@x.example',
    '"a\\"@x.example',
    "a>@x.example",
    "<a@x.example",
    "a@x.example\r\nRSET",
    ""
  ])("refuses the address %j without a connection", async (to) => {
    await withRelay({}, {}, async (bench) => {
      const { ended } = await bench.run({ envelope: { from: "b@acme.example", to } })
      expect(ended).toBe("Refused at mail: null 5.1.0 An address of the envelope cannot be sent.")
      expect(bench.relay.sessions).toEqual([])
    })
  })
})
