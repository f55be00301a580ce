import type { HandOff, OutgoingAttachment } from "@mailkeep/core/adapter"
import { HandOffRevoked, Transport } from "@mailkeep/core/adapter"
import { Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import type { SmtpOptions } from "../src/index.ts"
import { SmtpTransport } from "../src/index.ts"
import { accepted, handOff, message, shown, withRelay } from "./handOffHarness.ts"

/** An attachment of that many bytes, which are made while they are read. */
const bigFile = (size: number): OutgoingAttachment => ({
  filename: "big.bin",
  contentType: "application/octet-stream",
  contentId: null,
  disposition: "attachment",
  size,
  read: async function* () {
    const piece = new Uint8Array(64 * 1024)
    for (let at = 0; at < size; at += piece.length) yield piece.subarray(0, Math.min(piece.length, size - at))
  }
})

const withFile = (size: number): Partial<HandOff> => ({ message: message({ attachments: [bigFile(size)] }) })

describe("the message", () => {
  it("keeps the dots of a message, and ends its lines with CR LF", async () => {
    await withRelay({}, {}, async (bench) => {
      expect(await bench.run({ message: message({ text: ".\n..\n.a\r.\r\nend\n" }) })).toEqual(accepted)
      const text = bench.relay.taken[0]!.raw.toString().split("\r\n\r\n")[1]
      expect(text).toBe(".\r\n..\r\n.a\r\n.\r\nend\r\n")
    })
  })

  it("sends the same bytes in every attempt, also after a lost connection", async () => {
    let drops = 1
    await withRelay(
      { act: (step) => (step === "endOfData" && drops-- > 0 ? "drop" : undefined) },
      {},
      async (bench) => {
        await bench.run()
        await bench.run({ attempt: 2 })
        await bench.run({ attempt: 3 })
        expect(bench.relay.taken).toHaveLength(3)
        expect(new Set(bench.relay.taken.map(({ raw }) => raw.toString()))).toHaveLength(1)
      }
    )
  })

  it("refuses a message without a connection when it is larger than the option allows", async () => {
    await withRelay({}, { maxMessageBytes: 100 }, async (bench) => {
      expect((await bench.run()).ended).toMatch(
        /^Refused at mail: 552 5\.3\.4 The message has \d+ bytes; the relay takes 100\.$/
      )
      expect([bench.relay.sessions, bench.transport.capabilities.maxMessageBytes]).toEqual([[], 100])
    })
  })

  it("refuses a message that cannot be signed", async () => {
    await withRelay({}, {}, async (bench) => {
      const dkim = { domain: "acme.example", selector: "s", privateKey: Redacted.make("canary") }
      expect((await bench.run({ dkim })).ended).toBe(
        "Refused at mail: null 5.6.0 The message could not be composed or signed."
      )
    })
  })

  it("sends a large attachment", async () => {
    await withRelay({}, {}, async (bench) => {
      expect(await bench.run(withFile(20_000_000))).toEqual(accepted)
      expect(bench.relay.taken[0]!.raw.length).toBeGreaterThan(26_000_000)
    })
  })

  it("reports a delivery when the relay is the recipient's own server", async () => {
    await withRelay({}, { confirmsDelivery: true }, async (bench) => {
      expect((await bench.run()).ended).toBe("Delivered at endOfData: 250 2.0.0 Queued")
    })
  })
})

describe("beforeFinalize", () => {
  it("does not run beforeFinalize when the connection is lost in a large message", async () => {
    await withRelay({ act: (step) => (step === "body" ? "reset" : undefined) }, {}, async (bench) => {
      const { ended, finalized } = await bench.run(withFile(20_000_000))
      expect(ended).toMatch(/^Unavailable: The connection to the relay failed \((?:ECONNRESET|EPIPE)\)\.$/)
      expect(finalized).toBe(0)
    })
  })

  it("does not run beforeFinalize while the relay reads nothing", async () => {
    await withRelay(
      { act: (step) => (step === "body" ? "pause" : undefined) },
      { timeouts: { dataBlockMillis: 100 } },
      async (bench) => {
        expect(await bench.run(withFile(40_000_000))).toEqual({
          ended: "Unavailable: The relay did not answer in time.",
          finalized: 0
        })
      }
    )
  })

  it("runs beforeFinalize when the relay has the whole message except the end of data", async () => {
    await withRelay({ keywords: ["PIPELINING"] }, {}, async (bench) => {
      await bench.run(withFile(3_000_000))
      const size = bench.relay.taken[0]!.raw.length
      expect(bench.relay.bodyBytes).toBe(size)
      let takenBefore = 0
      const beforeFinalize = Effect.promise(async () => {
        await bench.relay.until(() => bench.relay.bodyBytes === 2 * size)
        takenBefore = bench.relay.taken.length
      })
      expect(await bench.run({ ...withFile(3_000_000), beforeFinalize })).toEqual(accepted)
      expect([takenBefore, bench.relay.taken.length]).toEqual([1, 2])
    })
  })

  it("does not send the end of data when beforeFinalize fails, and opens another connection then", async () => {
    await withRelay({}, {}, async (bench) => {
      const beforeFinalize = Effect.fail(new HandOffRevoked({ why: "suppressed" }))
      expect(await bench.run({ beforeFinalize })).toEqual({ ended: "Revoked: suppressed", finalized: 1 })
      await bench.relay.until(() => bench.relay.openSessions === 0)
      expect(bench.relay.taken).toEqual([])
      expect(await bench.run()).toEqual(accepted)
      expect(bench.relay.sessions).toHaveLength(2)
    })
  })

  it("does not send the end of data when the relay answers or is lost during beforeFinalize", async () => {
    for (const [act, ended, certainlyNotAccepted] of [
      ["answer", "Unavailable: The relay answered before the message was complete.", false],
      ["die", "Unavailable: The connection to the relay failed (ECONNRESET).", true]
    ] as const)
      await withRelay({}, {}, async (bench) => {
        const beforeFinalize = Effect.promise(async () => {
          if (act === "die") bench.relay.die()
          else bench.relay.say("250 2.0.0 Queued")
          await new Promise<void>((resolve) => setImmediate(() => setImmediate(() => setImmediate(resolve))))
        })
        const failure = await Effect.runPromise(Effect.flip(bench.transport.handOff(handOff({ beforeFinalize }))))
        expect([shown(failure), "certainlyNotAccepted" in failure]).toEqual([ended, certainlyNotAccepted])
        await bench.relay.until(() => bench.relay.openSessions === 0)
        expect(bench.relay.taken).toEqual([])
      })
  })
})

describe("an interruption", () => {
  it.each(["greeting", "ehlo", "mail", "rcpt", "data", "endOfData", "starttls", "auth"] as const)(
    "closes the connection when it is interrupted at %s",
    async (at) => {
      const options = {
        auth: { user: "u", password: Redacted.make("p") },
        tls: at === "starttls" ? ("required" as const) : ("off" as const)
      }
      await withRelay(
        { keywords: ["AUTH PLAIN"], act: (step) => (step === at ? "silence" : undefined) },
        options,
        async ({ relay, transport }) => {
          const reached = at === "greeting" ? () => relay.sessions.length === 1 : () => relay.reached.includes(at)
          const fiber = Effect.runFork(transport.handOff(handOff()))
          await relay.until(reached)
          await Effect.runPromise(Fiber.interrupt(fiber))
          await relay.until(() => relay.openSessions === 0)
          expect(relay.sessions).toHaveLength(1)
        }
      )
    }
  )

  it("ends the composition of a message when it is interrupted, and closes the attachment", async () => {
    const closed = Promise.withResolvers<string>()
    const begun = Promise.withResolvers<void>()
    const read = async function* () {
      try {
        begun.resolve()
        for (;;) yield await new Promise<Uint8Array>((resolve) => setImmediate(() => resolve(new Uint8Array(1000))))
      } finally {
        closed.resolve("closed")
      }
    }
    await withRelay({}, {}, async ({ transport }) => {
      const attachments = [{ ...bigFile(1e12), read }]
      const fiber = Effect.runFork(transport.handOff(handOff({ message: message({ attachments }) })))
      await begun.promise
      await Effect.runPromise(Fiber.interrupt(fiber))
      expect(await closed.promise).toBe("closed")
    })
  })
})

describe("the timeouts", () => {
  it("connects with the longest times that the options allow", async () => {
    const longest = 2 ** 31 - 1
    const warnings: Array<string> = []
    const onWarning = ({ name }: Error) => void warnings.push(name)
    process.on("warning", onWarning)
    const timeouts = { connectMillis: longest, greetingMillis: longest, commandMillis: longest }
    await withRelay({}, { timeouts }, async ({ run }) => expect(await run()).toEqual(accepted))
    process.off("warning", onWarning)
    // Node warns of a timer that is too long, and ends it at once.
    expect(warnings).not.toContain("TimeoutOverflowWarning")
  })
})

describe("the layer", () => {
  it("provides the transport by a URL, and replaces options of the URL by the given ones", async () => {
    await withRelay({}, {}, async ({ relay }) => {
      const layer = SmtpTransport.layerFromUrl(Redacted.make(`smtp://127.0.0.1:${relay.port}?name=a.example`), {
        clientName: "b.example"
      })
      const program = Effect.flatMap(Transport, (transport) => transport.handOff(handOff()))
      expect((await Effect.runPromise(Effect.provide(program, layer)))._tag).toBe("Accepted")
      await relay.until(() => relay.openSessions === 0)
      expect(relay.sessions[0]!.commands.map((line) => line.replace(/:.*/, ""))).toEqual([
        "EHLO b.example",
        "MAIL FROM",
        "RCPT TO",
        "DATA",
        "QUIT"
      ])
    })
  })

  it("keeps what the URL says when an option is undefined", async () => {
    await withRelay({}, {}, async ({ relay }) => {
      const absent = { clientName: undefined, tls: undefined, host: undefined, port: undefined }
      const layer = SmtpTransport.layerFromUrl(
        `smtp://127.0.0.1:${relay.port}?name=a.example`,
        absent as unknown as Partial<SmtpOptions>
      )
      const program = Effect.flatMap(Transport, (transport) => transport.handOff(handOff()))
      expect((await Effect.runPromise(Effect.provide(program, layer)))._tag).toBe("Accepted")
      expect(relay.sessions[0]!.commands[0]).toBe("EHLO a.example")
    })
  })

  it("fails when the options or the URL are wrong", async () => {
    for (const layer of [SmtpTransport.layer({ host: "" }), SmtpTransport.layerFromUrl("mail")]) {
      const exit = await Effect.runPromiseExit(Effect.scoped(Layer.build(layer)))
      expect(Exit.isFailure(exit) && exit.cause.reasons).toMatchObject([
        { _tag: "Fail", error: { _tag: "SmtpOptionsInvalid", isRetryable: false } }
      ])
    }
  })
})
