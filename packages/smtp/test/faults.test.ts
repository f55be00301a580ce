import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { handOff, message, withRelay } from "./handOffHarness.ts"
import type { RelaySetup } from "./ScriptedRelay.ts"
import type { Act, Step } from "./RelayDialogue.ts"
import type { Row } from "./relayFault.ts"
import { endsAsExpected, at, closed, broken, notSmtp, silent, accepted, quick, bytes } from "./relayFault.ts"

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

describe("a hand-off to a faulty relay", () => {
  it.each([...beforeTheEnvelope, ...everyCommand, ...refusedThenLost])(
    "ends as expected, and leaves the transport usable, after $fault",
    endsAsExpected
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
