/**
 * The check of a relay, which sends no mail.
 */
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { offers, withRelay } from "./handOffHarness.ts"
import { testCertificate } from "./testCertificate.ts"

describe("check", () => {
  it("returns what the relay offers when it is checked, and sends no mail", async () => {
    const options = {
      tls: "required",
      certificate: { ca: testCertificate },
      auth: { user: "u", password: Redacted.make("p") }
    } as const
    await withRelay(
      { keywords: [...offers, "STARTTLS", "AUTH LOGIN PLAIN"] },
      options,
      async ({ relay, transport }) => {
        expect(await Effect.runPromise(transport.check)).toEqual({
          tlsVersion: "TLSv1.3",
          authenticated: true,
          authMethods: ["LOGIN", "PLAIN"],
          sizeMax: 1_000_000,
          pipelining: true,
          smtpUtf8: true,
          dsn: true,
          eightBitMime: true
        })
        await relay.until(() => relay.openSessions === 0)
        expect(relay.sessions[0]!.commands.map((line) => line.split(" ")[0])).toEqual([
          "EHLO",
          "STARTTLS",
          "EHLO",
          "AUTH",
          "QUIT"
        ])
      }
    )
  })

  it("fails with the refusal of the relay when it is checked", async () => {
    const options = { auth: { user: "u", password: Redacted.make("p") } }
    const act = (step: string) => (step === "auth" ? { reply: "535 5.7.8 Wrong" } : undefined)
    await withRelay({ keywords: ["AUTH PLAIN"], act }, options, async ({ transport }) => {
      const failure = await Effect.runPromise(Effect.flip(transport.check))
      expect([failure._tag, failure.message]).toEqual([
        "RelayRefused",
        "The relay refused at the stage auth: 535 5.7.8."
      ])
    })
  })
})

describe("check of a silent relay", () => {
  it("fails after 2 minutes, and closes the connection", async () => {
    await withRelay({ act: (step) => (step === "ehlo" ? "silence" : undefined) }, {}, async ({ relay, transport }) => {
      const program = Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(Effect.flip(transport.check))
        yield* Effect.promise(() => relay.until(() => relay.reached.includes("ehlo")))
        yield* TestClock.adjust("2 minutes")
        return yield* Fiber.join(fiber)
      })
      const failure = await Effect.runPromise(Effect.provide(program, TestClock.layer()))
      expect(failure).toMatchObject({ _tag: "TransportUnavailable", reason: "The relay did not answer in time." })
      await relay.until(() => relay.openSessions === 0)
    })
  })
})
