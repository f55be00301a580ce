import { Effect, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import type { SmtpOptions } from "../src/index.ts"
import { handOff, message, withRelay } from "./handOffHarness.ts"
import type { Act, RelaySetup, Session, Step } from "./ScriptedRelay.ts"
import { testCertificate } from "./testCertificate.ts"

/** What the relay does, how the hand-off ends, and how often it ran `beforeFinalize`. */
interface Row {
  readonly fault: string
  readonly relay: RelaySetup
  readonly options?: Partial<SmtpOptions>
  readonly ended: string | RegExp
  readonly finalized?: 0 | 1
}

/** The relay does this once, at the first session that comes to the step. */
const once = (step: Step, act: Act): NonNullable<RelaySetup["act"]> => {
  let isDone = false
  return (at) => {
    if (at !== step || isDone) return undefined
    isDone = true
    return act
  }
}

const at = (step: Step, act: Act, keywords: ReadonlyArray<string> = []): RelaySetup => ({
  act: once(step, act),
  keywords
})

const closed = "Unavailable: The relay closed the connection."
const broken = "Unavailable: The connection to the relay failed (ECONNRESET)."
const notSmtp = "Unavailable: The relay sent an answer that does not follow SMTP."
const silent = "Unavailable: The relay did not answer in time."
const tooEarly = "Unavailable: The relay answered before the message was complete."
const accepted = "Accepted at endOfData: 250 2.0.0 Queued"

const quick = { timeouts: { commandMillis: 300 } }
const quickFinal = { timeouts: { endOfDataReplyMillis: 300 } }
const auth = { auth: { user: "shop", password: Redacted.make("secret") } }
const startTls = { tls: "required", certificate: { ca: testCertificate } } as const

const bytes = (text: string) => [...text].map((character) => character)

/** Every command with each kind of failure. The envelope is sent with and without PIPELINING. */
const everyCommand: ReadonlyArray<Row> = [[], ["PIPELINING"]].flatMap((keywords) =>
  (["mail", "rcpt", "data"] as const).flatMap((step): ReadonlyArray<Row> => {
    const name = `${step.toUpperCase()}${keywords.length === 0 ? "" : " with pipelining"}`
    return [
      {
        fault: `451 to ${name}`,
        relay: at(step, { reply: "451 4.3.0 Later" }, keywords),
        ended: `Refused at ${step}: 451 4.3.0 Later`
      },
      {
        fault: `550 to ${name}`,
        relay: at(step, { reply: "550 5.7.1 No" }, keywords),
        ended: `Refused at ${step}: 550 5.7.1 No`
      },
      {
        fault: `421 to ${name}`,
        relay: at(step, { reply: "421 4.4.2 Bye" }, keywords),
        ended: /^Refused at (?:mail|rcpt|data): 421 4\.4\.2 Bye$/
      },
      {
        fault: `a refusal without a text to ${name}`,
        relay: at(step, { reply: "550" }, keywords),
        ended: `Refused at ${step}: 550 null `
      },
      { fault: `a closed connection at ${name}`, relay: at(step, "drop", keywords), ended: closed },
      { fault: `a reset connection at ${name}`, relay: at(step, "reset", keywords), ended: broken },
      { fault: `silence at ${name}`, relay: at(step, "silence", keywords), options: quick, ended: silent },
      { fault: `garbage at ${name}`, relay: at(step, { reply: "\u0000\u0007what" }, keywords), ended: notSmtp },
      { fault: `an unknown code to ${name}`, relay: at(step, { reply: "999 What" }, keywords), ended: notSmtp },
      {
        fault: `a reply without an end to ${name}`,
        relay: at(step, { pieces: ["x".repeat(1024 * 1024)] }, keywords),
        ended: notSmtp
      },
      {
        fault: `endless continuation lines at ${name}`,
        relay: at(step, { pieces: ["550-no\r\n".repeat(20_000)] }, keywords),
        ended: notSmtp
      },
      {
        fault: `many empty lines at ${name}`,
        relay: at(step, { pieces: ["\r\n".repeat(200_000)] }, keywords),
        ended: notSmtp
      },
      {
        fault: `a reply byte by byte to ${name}`,
        relay: at(step, { pieces: bytes("550 5.1.1 Unknown\r\n") }, keywords),
        ended: `Refused at ${step}: 550 5.1.1 Unknown`
      },
      {
        fault: `a reply that is split in its line break to ${name}`,
        relay: at(step, { pieces: ["550-5.1.1 Un\r", "\n550 5.1.1 known\r", "\n"] }, keywords),
        ended: `Refused at ${step}: 550 5.1.1 Un known`
      },
      {
        fault: `a reply that ends without a line break to ${name}`,
        relay: at(step, { pieces: ["550 5.1.1 Unknown"], thenDrop: true }, keywords),
        ended: notSmtp
      }
    ]
  })
)

/** Each refusal of the envelope with each end that comes instead of the next reply. */
const refusedThenLost: ReadonlyArray<Row> = [[], ["PIPELINING"]].flatMap((keywords) =>
  (["mail", "rcpt"] as const).flatMap((step) =>
    (["550 5.1.1 Unknown", "450 4.2.1 Later"] as const).flatMap((reply): ReadonlyArray<Row> => {
      const name = `${reply} to ${step.toUpperCase()}${keywords.length === 0 ? "" : " with pipelining"}`
      const ended = `Refused at ${step}: ${reply}`
      const after = (act: Act): RelaySetup => ({
        act: (at) => {
          if (at === step) return { reply }
          return at === "data" || (step === "mail" && at === "rcpt") ? act : undefined
        },
        keywords
      })
      return [
        {
          fault: `${name}, then the end of the connection`,
          relay: at(step, { pieces: [`${reply}\r\n`], thenDrop: true }, keywords),
          ended
        },
        { fault: `${name}, then a closed connection`, relay: after("drop"), ended },
        { fault: `${name}, then silence`, relay: after("silence"), options: quick, ended }
      ]
    })
  )
)

const beforeTheEnvelope: ReadonlyArray<Row> = [
  { fault: "a closed connection at once", relay: at("greeting", "drop"), ended: closed },
  { fault: "a reset connection at once", relay: at("greeting", "reset"), ended: broken },
  {
    fault: "no greeting",
    relay: at("greeting", "silence"),
    options: { timeouts: { greetingMillis: 300 } },
    ended: "Unavailable: The relay sent no greeting in time."
  },
  {
    fault: "421 as the greeting",
    relay: at("greeting", { reply: "421 4.3.2 Busy" }),
    ended: "Refused at greeting: 421 4.3.2 Busy"
  },
  {
    fault: "554 as the greeting",
    relay: at("greeting", { reply: "554 5.7.1 Go away" }),
    ended: "Refused at greeting: 554 5.7.1 Go away"
  },
  { fault: "garbage as the greeting", relay: at("greeting", { reply: "SSH-2.0-server" }), ended: notSmtp },
  { fault: "a greeting without an end", relay: at("greeting", { pieces: ["x".repeat(1024 * 1024)] }), ended: notSmtp },
  {
    fault: "a greeting byte by byte",
    relay: at("greeting", { pieces: bytes("220 hi\r\n") }),
    ended: accepted,
    finalized: 1
  },
  { fault: "a closed connection at EHLO", relay: at("ehlo", "drop"), ended: closed },
  { fault: "silence at EHLO", relay: at("ehlo", "silence"), options: quick, ended: silent },
  {
    fault: "421 to EHLO",
    relay: at("ehlo", { reply: "421 4.3.2 Busy" }),
    ended: "Refused at greeting: 421 4.3.2 Busy"
  },
  {
    fault: "a relay that knows only HELO",
    relay: at("ehlo", { reply: "502 5.5.1 What" }),
    ended: accepted,
    finalized: 1
  },
  {
    fault: "550 to EHLO and HELO",
    relay: { act: (step) => (step === "ehlo" || step === "helo" ? { reply: "550 5.7.1 No" } : undefined) },
    ended: "Refused at greeting: 550 5.7.1 No"
  },
  {
    fault: "an offer that is split in its line break",
    relay: at("ehlo", { pieces: ["250-relay\r", "\n250-SI", "ZE 5\r\n250 DSN\r", "\n"] }),
    ended: /^Refused at mail: 552 5\.3\.4 The message has \d+ bytes; the relay takes 5\.$/
  }
]

const encryption: ReadonlyArray<Row> = [
  {
    fault: "no STARTTLS",
    relay: at("starttls", { reply: "502 5.5.1 What" }),
    options: startTls,
    ended: "Unavailable: The relay does not encrypt the connection: it answered STARTTLS with 502."
  },
  {
    fault: "454 to STARTTLS",
    relay: at("starttls", { reply: "454 4.7.0 Not now" }, ["STARTTLS"]),
    options: startTls,
    ended: "Unavailable: The relay does not encrypt the connection: it answered STARTTLS with 454."
  },
  {
    fault: "a closed connection at STARTTLS",
    relay: at("starttls", "drop", ["STARTTLS"]),
    options: startTls,
    ended: closed
  },
  {
    fault: "a closed connection in the handshake",
    relay: at("handshake", "drop", ["STARTTLS"]),
    options: startTls,
    ended: "Unavailable: The connection to the relay failed (ECONNRESET)."
  },
  {
    fault: "a certificate of an unknown authority after STARTTLS",
    relay: { keywords: ["STARTTLS"] },
    options: { tls: "required" },
    ended: "Unavailable: The certificate of the relay is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT)."
  },
  {
    fault: "a certificate of another name after STARTTLS",
    relay: { keywords: ["STARTTLS"] },
    options: { tls: "required", certificate: { ca: testCertificate, servername: "relay.example" } },
    ended: "Unavailable: The certificate of the relay is not accepted (ERR_TLS_CERT_ALTNAME_INVALID)."
  },
  {
    fault: "a certificate of an unknown authority with implicit TLS",
    relay: { implicitTls: true },
    options: { tls: "implicit" },
    ended: "Unavailable: The certificate of the relay is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT)."
  },
  {
    fault: "any certificate when none is checked",
    relay: { keywords: ["STARTTLS"] },
    options: { tls: "required", certificate: { rejectUnauthorized: false } },
    ended: accepted,
    finalized: 1
  },
  {
    fault: "plain text on a port for implicit TLS",
    relay: {},
    options: { tls: "implicit", certificate: { ca: testCertificate } },
    ended: /^Unavailable: The connection to the relay failed \(ERR_SSL_[A-Z_]+\)\.$/
  },
  {
    fault: "454 to STARTTLS when encryption is optional",
    relay: at("starttls", { reply: "454 4.7.0 Not now" }, ["STARTTLS"]),
    options: { tls: "opportunistic", certificate: { ca: testCertificate } },
    ended: accepted,
    finalized: 1
  },
  {
    fault: "plain text behind the reply to STARTTLS",
    relay: at("starttls", { pieces: ["220 2.0.0 Ready\r\n250-evil\r\n250 SIZE 1\r\n"] }, ["STARTTLS"]),
    options: startTls,
    ended: accepted,
    finalized: 1
  }
]

const logins: ReadonlyArray<Row> = [
  {
    fault: "no AUTH",
    relay: {},
    options: { ...auth, tls: "opportunistic" },
    ended: "Unavailable: The relay and the transport have no common way to log in."
  },
  {
    fault: "535 to AUTH PLAIN",
    relay: at("auth", { reply: "535 5.7.8 Wrong" }, ["AUTH PLAIN"]),
    options: { ...auth, tls: "opportunistic" },
    ended: "Refused at auth: 535 5.7.8 The relay refused the login."
  },
  {
    fault: "454 to AUTH LOGIN",
    relay: at("auth", { reply: "454 4.7.0 Later" }, ["AUTH LOGIN"]),
    options: { ...auth, tls: "opportunistic" },
    ended: "Refused at auth: 454 4.7.0 The relay refused the login."
  },
  ...["AUTH PLAIN", "AUTH LOGIN"].map((keyword) => ({
    fault: `334 to every line of ${keyword}`,
    relay: {
      keywords: [keyword],
      act: (step: Step, { commands }: Session): Act | undefined => {
        if (step !== "auth") return undefined
        return commands.length > 50 ? "drop" : { reply: "334 " }
      }
    },
    options: { ...auth, tls: "opportunistic" } as const,
    ended: notSmtp
  })),
  {
    fault: "a closed connection at AUTH",
    relay: at("auth", "drop", ["AUTH PLAIN"]),
    options: { ...auth, tls: "opportunistic" },
    ended: closed
  },
  {
    fault: "silence at AUTH",
    relay: at("auth", "silence", ["AUTH PLAIN"]),
    options: { ...auth, ...quick, tls: "opportunistic" },
    ended: silent
  },
  {
    fault: "garbage at AUTH",
    relay: at("auth", { reply: "what" }, ["AUTH PLAIN"]),
    options: { ...auth, tls: "opportunistic" },
    ended: notSmtp
  }
]

const theMessage: ReadonlyArray<Row> = [
  { fault: "a closed connection in the message", relay: at("body", "drop"), ended: closed, finalized: 1 },
  {
    fault: "250 before the message is complete",
    relay: at("data", { pieces: ["354 Go\r\n250 2.0.0 Queued\r\n"] }),
    ended: tooEarly
  },
  {
    fault: "552 before the message is complete",
    relay: at("data", { pieces: ["354 Go\r\n552 5.3.4 Too big\r\n"] }),
    ended: "Refused at data: 552 5.3.4 Too big"
  },
  {
    fault: "421 before the message is complete",
    relay: at("data", { pieces: ["354 Go\r\n421 4.3.2 Bye\r\n"] }),
    ended: "Refused at data: 421 4.3.2 Bye"
  },
  {
    fault: "451 to the message",
    relay: at("endOfData", { reply: "451 4.3.0 Later" }),
    ended: "Refused at endOfData: 451 4.3.0 Later",
    finalized: 1
  },
  {
    fault: "554 to the message",
    relay: at("endOfData", { reply: "554 5.7.1 Spam" }),
    ended: "Refused at endOfData: 554 5.7.1 Spam",
    finalized: 1
  },
  {
    fault: "421 to the message",
    relay: at("endOfData", { reply: "421 4.3.2 Bye" }),
    ended: "Refused at endOfData: 421 4.3.2 Bye",
    finalized: 1
  },
  { fault: "a closed connection after the end of data", relay: at("endOfData", "drop"), ended: closed, finalized: 1 },
  { fault: "a reset connection after the end of data", relay: at("endOfData", "reset"), ended: broken, finalized: 1 },
  {
    fault: "silence after the end of data",
    relay: at("endOfData", "silence"),
    options: quickFinal,
    ended: silent,
    finalized: 1
  },
  {
    fault: "garbage after the end of data",
    relay: at("endOfData", { reply: "2garbage" }),
    ended: notSmtp,
    finalized: 1
  },
  {
    fault: "a reply without an end after the end of data",
    relay: at("endOfData", { pieces: ["2".repeat(1024 * 1024)] }),
    ended: notSmtp,
    finalized: 1
  },
  {
    fault: "a reply byte by byte to the message",
    relay: at("endOfData", { pieces: bytes("250 2.0.0 Queued\r\n") }),
    ended: accepted,
    finalized: 1
  },
  {
    fault: "a positive reply of several lines with control characters",
    relay: at("endOfData", { reply: "250-2.0.0 One\u0000\u001b[31m\n250-2.0.0\n250 2.0.0 two" }),
    ended: "Accepted at endOfData: 250 2.0.0 One [31m two",
    finalized: 1
  },
  { fault: "a closed connection at QUIT", relay: at("quit", "drop"), ended: accepted, finalized: 1 }
]

describe("a hand-off to a faulty relay", () => {
  it.each([...beforeTheEnvelope, ...encryption, ...logins, ...everyCommand, ...refusedThenLost, ...theMessage])(
    "ends as expected, and leaves the transport usable, after $fault",
    async ({ relay, options = {}, ended, finalized = 0 }) => {
      await withRelay(relay, options, async (bench) => {
        expect(await bench.run()).toEqual({
          ended: typeof ended === "string" ? ended : expect.stringMatching(ended),
          finalized
        })
        const again = await bench.run()
        expect(again.ended.split(" at ")[0]).toMatch(/^(?:Accepted|Unavailable|Refused)/)
        if (relay.act !== undefined && bench.relay.openSessions > 0) expect(bench.relay.openMax).toBeLessThanOrEqual(1)
      })
    }
  )

  it("fails when nothing listens at the port", async () => {
    const port = await withRelay({}, {}, async ({ relay }) => relay.port)
    await withRelay({}, { port }, async ({ run }) => {
      expect(await run()).toEqual({
        ended: "Unavailable: The connection to the relay failed (ECONNREFUSED).",
        finalized: 0
      })
    })
  })

  it("fails when the name of the relay is not found", async () => {
    await withRelay({}, { host: "no-such-name.invalid" }, async ({ run }) => {
      expect((await run()).ended).toMatch(/^Unavailable: The name of the relay was not found \([A-Z_]+\)\.$/)
    })
  })

  it("refuses a message above the limit of the relay before it sends a command", async () => {
    await withRelay({ keywords: ["SIZE 1000"] }, {}, async ({ run, relay }) => {
      const { ended } = await run(handOff({ message: message({ text: "x".repeat(2000) }) }))
      expect(ended).toMatch(/^Refused at mail: 552 5\.3\.4 /)
      expect(relay.sessions.flatMap(({ commands }) => commands)).toEqual(["EHLO client.example"])
    })
  })

  it("says that the relay was not reached when the transport itself refuses, and not when the relay refuses", async () => {
    const large = handOff({ message: message({ text: "x".repeat(2000) }) })
    const unsafe = handOff({ envelope: { from: "b@acme.example", to: "a b@x.example" } })
    const act = (step: Step): Act | undefined => (step === "mail" ? { reply: "552 5.3.4 Too big" } : undefined)
    await withRelay({ keywords: ["SIZE 1000"], act }, {}, async ({ transport }) => {
      for (const one of [large, unsafe])
        expect(await Effect.runPromise(transport.handOff(one))).toMatchObject({ _tag: "Refused", reachedRelay: false })
      expect(await Effect.runPromise(transport.handOff(handOff()))).not.toHaveProperty("reachedRelay")
    })
  })
})
